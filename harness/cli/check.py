"""`parley check`: is a tournament file right, and can its models be reached?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from harness.cli.find import listing
from harness.cli.gains import gain, gain_in_words, gain_json
from harness.cli.options import as_json, database
from harness.cli.output import Column, complain, count, emit, one_line, say, several, table
from harness.telling import money

if TYPE_CHECKING:
    from harness.gateway import Gateway
    from harness.records import CallRecord, MatchRecord
    from harness.spec import PlayerSpec, Tournament

HURRY: dict[str, Any] = {"attempts": 2, "timeouts": 1, "first": 0.5, "total": 20.0}
"""A check tries once more and no longer: whoever asked is waiting."""


@click.command(short_help="Check a tournament file, and with --call each of its models.")
@click.argument("file", metavar="FILE")
@click.option("--call", is_flag=True, help="Ask each model once with the largest answer form of each game.")
@click.option("--add-player", is_flag=True, help="Say what `run --add-player` would add to the run that is stored.")
@database
@as_json
@click.pass_context
def command(ctx: click.Context, file: str, call: bool, add_player: bool, db: str | None, as_json: bool) -> None:
    """Check FILE: its keys and values, its players' API keys, the matches that it would play.

    --add-player says how many matches the run of FILE in the database would gain, and for whom. It changes nothing.

    Exit status 2 for a bad file or a missing key; with --call, 1 where a model did not answer.
    """
    from harness.spec import SpecError, load

    spec = load(file)
    from harness.models import check

    described = _described(spec, file)
    grown = gain(spec, db).grown if add_player else None
    if grown is not None:
        described["gains"] = gain_json(grown)
    fault: SpecError | None = None
    try:
        check(spec)
    except SpecError as error:
        fault = error
    described["fault"] = None if fault is None else str(fault)
    if not as_json:
        _print_file(described)
        if grown is not None:
            say(gain_in_words(grown))
    if fault is None and call:
        described["calls"] = asyncio.run(_ask_all(spec))
        if not as_json:
            _print_calls(described["calls"])
    if as_json:
        emit(described)
    if fault is not None:
        complain(str(fault))
        ctx.exit(2)
    failed = [answer for answer in described.get("calls", ()) if answer["error_kind"] is not None]
    if failed:
        names = ", ".join(dict.fromkeys(answer["label"] for answer in failed))
        complain(f"{len(failed)} of {several(len(described['calls']), 'call', 'calls')} failed: {names}")
        ctx.exit(1)


def _described(spec: Tournament, file: str) -> dict[str, Any]:
    from harness.schedule import schedule

    matches = schedule(spec)
    games = []
    for index, entry in enumerate(spec.games):
        own = [match for match in matches if match.game_index == index]
        games.append(
            {
                "game": entry.game,
                "start": entry.start,
                "options": own[0].options if own else dict(entry.options),
                "seats": [seat.seat for seat in own[0].seats] if own else [],
                "matches": len(own),
                **_schedule(spec, index, own),
            }
        )
    return {
        "file": file,
        "run": spec.name,
        "seed": spec.seed,
        "parallel": spec.parallel,
        "seating": spec.seating,
        "line_ups": spec.to_json()["line_ups"],
        "replicates": spec.replicates,
        "until": None if spec.until is None else {"apart": list(spec.until.apart), "at_most": spec.until.at_most},
        "matches": len(matches),
        "games": games,
        "players": [_player(player) for player in spec.players],
    }


def _schedule(spec: Tournament, index: int, matches: Sequence[MatchRecord]) -> dict[str, Any]:
    """Line-ups, packs, meetings and seats of one entry of `games`, in numbers and in words."""
    from harness.schedule.overview import in_words, overview
    from harness.spec.tables import baselines, pool

    entry = spec.games[index]
    beside = [player.label for player in baselines(spec, entry)]
    labels = [player.label for player in pool(spec, entry)]
    found = overview(matches, labels)
    challengers = [label for label in labels if label not in beside] if beside else []
    words = in_words(found, self_play=spec.line_ups == "self_play", never=challengers)
    described = {**found.to_json(), "in_words": words, "looks": None}
    if spec.until is not None:
        from harness.adaptive import looks

        plan, size = looks(spec, index)
        described["looks"] = [{"packs": packs, "matches": packs * size} for packs in plan.looks]
    return described


def _player(player: PlayerSpec) -> dict[str, Any]:
    from harness.gateway import missing_key
    from harness.local import is_local

    key, why = None, None
    if player.model is not None and is_local(player.model):
        key = "none needed"
    elif player.model is not None:
        why = missing_key(player)
        key = "present" if why is None else "missing"
    return {
        "label": player.label,
        "kind": player.kind,
        "plays": player.model or player.bot,
        "persona": player.persona,
        "api_base": player.api_base,
        "key": key,
        "key_missing": why,
    }


def _print_file(described: dict[str, Any]) -> None:
    say(
        (one_line(described["file"]), "bold"),
        f": run {described['run']}, {several(described['matches'], 'match', 'matches')}, "
        f"{described['parallel']} at once, seed {described['seed']}, seating {described['seating']}",
        _apart_from_the_usual(described),
    )
    click.echo()
    table(
        [
            Column("game"),
            Column("start"),
            Column("options", flexible=True),
            Column("seats", spare=1),
            Column("line-ups", True, spare=3),
            Column("packs", True, spare=2),
            Column("matches", True),
        ],
        [
            (
                game["game"],
                game["start"] or "the game's own",
                ", ".join(f"{key} {value}" for key, value in game["options"].items()) or "–",
                ", ".join(game["seats"]),
                count(game["line_ups"]),
                count(game["packs"]),
                count(game["matches"]),
            )
            for game in described["games"]
        ],
    )
    for line in _schedule_lines(described):
        say(line)
    click.echo()
    table(
        [
            Column("player"),
            Column("kind", spare=2),
            Column("plays", flexible=True),
            Column("persona", spare=3),
            Column("endpoint", spare=1),
            Column("key", spare=4),
        ],
        [
            (
                player["label"],
                player["kind"],
                player["plays"] or "a person, by `parley play`",
                player["persona"] or "–",
                player["api_base"] or "–",
                player["key"] or "–",
            )
            for player in described["players"]
        ],
    )
    for player in described["players"]:
        if player["key_missing"]:
            say((f"{player['label']}: ", "yellow"), player["key_missing"])


def _apart_from_the_usual(described: dict[str, Any]) -> str:
    """The keys of the schedule that differ from their defaults."""
    told = ""
    kind = described["line_ups"]
    if isinstance(kind, dict):
        told += f", a gauntlet against {listing(kind['gauntlet'])}"
    elif kind != "auto":
        told += f", line-ups {kind}"
    if described["replicates"] > 1:
        told += f", each match {described['replicates']} times"
    if described["until"] is not None:
        first, second = map(one_line, described["until"]["apart"])
        told += f", until {first} and {second} are told apart"
    return told


def _schedule_lines(described: dict[str, Any]) -> list[str]:
    """What the tables come to, a line for each game."""
    several_games = len(described["games"]) > 1
    lines = []
    for index, game in enumerate(described["games"]):
        told = "; ".join(game["in_words"])
        if game["looks"]:
            packs = ", ".join(str(look["packs"]) for look in game["looks"])
            told += f"; looks after {packs} packs, at most {count(game['matches'])} matches"
        if told:
            lines.append(f"games[{index}]: {told}." if several_games else f"{told[0].upper()}{told[1:]}.")
    return lines


async def _ask_all(spec: Tournament) -> list[dict[str, Any]]:
    """Ask every model, all at once; one answer for each model and game, in the file's order."""
    from harness.gateway import Gateway, Patience
    from harness.local import LocalServers

    recorded: list[CallRecord] = []

    async def record(call: CallRecord) -> int:
        recorded.append(call)
        return len(recorded)

    locals_ = LocalServers()
    gateway = Gateway(spec, run_id=None, record=record, spent={}, locals=locals_, patience=Patience(**HURRY))
    try:
        answers = await asyncio.gather(
            *(_ask(gateway, spec, player, recorded) for player in spec.players if player.model is not None)
        )
    finally:
        await gateway.close()
        closing: Any = locals_.close()
        if asyncio.iscoroutine(closing):
            await closing
    return [answer for several in answers for answer in several]


async def _ask(
    gateway: Gateway, spec: Tournament, player: PlayerSpec, recorded: Sequence[CallRecord]
) -> list[dict[str, Any]]:
    from harness.gateway import Paused
    from harness.local import LocalModelError, is_local
    from harness.models import largest_schemas
    from harness.schedule import schedule

    answers = []
    schemas = largest_schemas(spec, schedule(spec), bounded=player.model is not None and is_local(player.model))
    for entry, schema in zip(spec.games, schemas, strict=True):
        call: CallRecord | None = None
        kind: str | None = None
        error: str | None = None
        try:
            call = await gateway.probe(player.label, schema)
            kind, error = call.error_kind, call.error
        except Paused as paused:
            kind, error = paused.kind, paused.why
            call = next((made for made in reversed(recorded) if made.label == player.label), None)
        except LocalModelError as failure:
            kind, error = "unknown_model", str(failure)
        answers.append(_answer(player, entry.game, call, kind, error))
    return answers


def _answer(
    player: PlayerSpec, game: str, call: CallRecord | None, kind: str | None, error: str | None
) -> dict[str, Any]:
    return {
        "label": player.label,
        "model": player.model,
        "game": game,
        "error_kind": kind,
        "error": error,
        "served": None if call is None else call.served.get("model"),
        "latency_ms": None if call is None else call.latency_ms,
        "prompt_tokens": None if call is None else call.prompt_tokens,
        "completion_tokens": None if call is None else call.completion_tokens,
        "cost": None if call is None else call.cost,
        "content": None if call is None else call.content,
    }


def _print_calls(answers: Sequence[dict[str, Any]]) -> None:
    click.echo()
    if not answers:
        say("No model to ask.")
        return
    table(
        [
            Column("player"),
            Column("game", spare=3),
            Column("answer"),
            Column("latency", number=True),
            Column("tokens", number=True, spare=2),
            Column("cost", number=True, spare=1),
        ],
        [
            (
                answer["label"],
                answer["game"],
                "ok" if answer["error_kind"] is None else answer["error_kind"],
                "–" if answer["latency_ms"] is None else f"{answer['latency_ms']:,.0f} ms",
                count((answer["prompt_tokens"] or 0) + (answer["completion_tokens"] or 0)),
                _cost(answer),
            )
            for answer in answers
        ],
    )
    for answer in answers:
        if answer["error"]:
            # A sentence of the gateway begins with the label already.
            named = f"{answer['label']}: "
            say((named, "red"), one_line(answer["error"].removeprefix(named)))


def _cost(answer: dict[str, Any]) -> str:
    """What an answer cost; a dash for none."""
    if answer["error_kind"] is not None and not answer["cost"]:
        return "–"
    return "unknown" if answer["cost"] is None else money(answer["cost"])
