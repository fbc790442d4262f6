"""`parley runs` and `parley show`: what is in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from harness.cli.described import match_json, run_json, whole_run_json
from harness.cli.find import listing, match_named, opened, run_named
from harness.cli.options import as_json, database, database_option, program
from harness.cli.output import Column, count, emit, moment, one_line, say, several, span, table
from harness.cli.unconfirmed import unconfirmed, unconfirmed_line
from harness.telling import first_place, money

if TYPE_CHECKING:
    pass


@click.command(short_help="List the runs in the database.")
@database
@as_json
def runs(db: str | None, as_json: bool) -> None:
    """List every run, the latest last: how far it is, what it took, what it cost."""
    with opened(db) as store:
        counts, held, forks = store.run_counts(), store.holders(), store.forks()
        for run_id, count_of in counts.items():
            # What cost nothing has nothing open either, so the calls of most runs need not be read.
            count_of["unconfirmed"] = sum(unconfirmed(store, [run_id]).values()) if count_of["cost"] else 0.0
        listed = [
            run_json(run, counts.get(run.id or 0, {}), run.id in held, forks.get(run.id or 0)) for run in store.runs()
        ]
        where = store.where
    if as_json:
        emit(listed)
        return
    if not listed:
        say(f"No runs in {where} yet; `parley run FILE` makes one.")
        return
    some_open = any(run["unconfirmed"] for run in listed)
    table(
        [
            Column("run", flexible=True),
            Column("status"),
            Column("finished", number=True),
            Column("games", spare=3),
            Column("players", spare=5),
            Column("calls", number=True, spare=2),
            Column("tokens", number=True, spare=1),
            Column("cost", number=True),
            *([Column("not confirmed", number=True)] if some_open else []),
            Column("begun", spare=4),
            Column("forked from", spare=6),
        ],
        [
            (
                run["run"],
                run["status"],
                f"{count(run['matches']['finished'])}/{count(sum(run['matches'].values()))}",
                ", ".join(run["games"]),
                ", ".join(run["players"]),
                count(run["calls"]),
                count(run["tokens"]),
                money(run["cost"], run["unpriced"], calls=run["calls"]),
                *([money(run["unconfirmed"], calls=run["calls"])] if some_open else []),
                moment(run["_begun"]),
                _origin(run["forked_from"]) or "–",
            )
            for run in (entry | {"_begun": _time(entry["begun"])} for entry in listed)
        ],
    )


@click.command(short_help="Show a run with its matches, or one match.")
@click.argument("name", metavar="RUN|MATCH")
@database
@as_json
def show(name: str, db: str | None, as_json: bool) -> None:
    """Show RUN with its players and matches, or MATCH with its seats."""
    with opened(db) as store:
        if name.isdigit():
            match, run_name = match_named(store, name)
            described = match_json(store, match, run_name)
            emit(described) if as_json else _print_match(described, database_option(db))
        else:
            run = run_named(store, name)
            described = whole_run_json(store, run)
            emit(described) if as_json else _print_run(described)


def _origin(forked_from: Mapping[str, Any] | None) -> str:
    """Where the matches of a run of forks come from; nothing for another run."""
    if forked_from is None:
        return ""
    parents, (first, last) = forked_from["parents"], forked_from["plies"]
    of = "matches that were taken away"
    if parents is not None:
        of = f"match {parents[0]}" if parents[0] == parents[1] else f"matches {parents[0]} to {parents[1]}"
    return f"{of} at ply {first}" if first == last else f"{of} at plies {first} to {last}"


def _parent(forked_from: Mapping[str, Any] | None) -> str:
    """The position that a match was forked from; a dash for another match."""
    if forked_from is None:
        return "–"
    of = "a match taken away" if forked_from["match"] is None else f"match {forked_from['match']}"
    return f"{of} at ply {forked_from['ply']}"


def _spent(run: Mapping[str, Any]) -> str:
    """A run's calls, tokens and cost."""
    if not run["calls"]:
        return "no calls"
    cost = money(run["cost"], run["unpriced"])
    if run["unconfirmed"]:
        cost += f", of which {money(run['unconfirmed'])} not confirmed by the provider"
    return f"{several(run['calls'], 'call', 'calls')} · {several(run['tokens'], 'token', 'tokens')} · {cost}"


def _print_run(run: Mapping[str, Any]) -> None:
    say((run["run"], "bold"), f" · {run['status']}", f": {run['why']}" if run["why"] else "")
    took = _between(run["begun"], run["ended"])
    say(
        f"seed {run['seed']} · {_spent(run)} · begun {moment(_time(run['begun']))}"
        + (f" · took {took}" if took else "")
    )
    if run["forked_from"]:
        say(f"forked from {_origin(run['forked_from'])}")
    settings = run["settings"]
    talk, interface = settings["talk"] or {}, settings["interface"] or {}
    say(
        f"seating {settings['seating']}{_schedule(settings)} · pledges {settings['pledges']} · "
        f"{settings['retries']} retries, then {settings['on_illegal']}"
    )
    for name, setting in (("talk", talk), ("interface", interface)):
        say(f"{name}: " + ", ".join(f"{key} {_word(value)}" for key, value in setting.items()))
    for game in run["games"]:
        options = ", ".join(f"{key} {value}" for key, value in (game["options"] or {}).items())
        start = f", start {game['start']}" if game["start"] else ""
        say(f"{game['game']}{start}" + (f": {options}" if options else ""))
    click.echo()
    table(
        [Column("player"), Column("kind"), Column("plays", flexible=True), Column("persona", spare=1)],
        [
            (player["label"], player["kind"], player["plays"] or "–", player["persona"] or "–")
            for player in run["players"]
        ],
    )
    click.echo()
    _print_matches(run["matches"])
    _print_reasons(run["matches"])


def _print_matches(matches: Sequence[Mapping[str, Any]]) -> None:
    several_games = len({match["game"] for match in matches}) > 1
    fell = any(match["fallbacks"] for match in matches)
    table(
        [
            Column("match", number=True),
            Column("no.", number=True, spare=3),
            *([Column("game", spare=1)] if several_games else []),
            Column("status"),
            Column("turns", number=True, spare=2),
            *([Column("fallbacks", number=True)] if fell else []),
            Column("won by", flexible=True),
            Column("seats", flexible=True, spare=4),
            Column("forked from", spare=1),
        ],
        [
            (
                str(match["match"]),
                str(match["number"]),
                *([match["game"]] if several_games else []),
                match["status"],
                count(match["turns"]),
                *([count(match["fallbacks"] or None)] if fell else []),
                _won_by(match),
                ", ".join(f"{seat} {label}" for seat, label in match["seats"].items()),
                _parent(match["forked_from"]),
            )
            for match in matches
        ],
    )


def _won_by(match: Mapping[str, Any]) -> str:
    """A winner's label; of several that share the first place, how it came and each with its seat."""
    labels = [match["seats"].get(seat, seat) for seat in match["winners"]]
    if len(labels) > 1:
        named = [f"{label} ({seat})" for label, seat in zip(labels, match["winners"], strict=True)]
        return first_place(named, match["reason"])
    return labels[0] if labels else "–"


def _print_reasons(matches: Sequence[Mapping[str, Any]]) -> None:
    """Why matches are paused or void, each reason once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for match in matches:
        if match["why"]:
            reasons.setdefault((match["status"], match["why"]), []).append(str(match["match"]))
    for (status, why), numbers in reasons.items():
        say((f"{status}, match {listing(numbers)}: ", "yellow"), one_line(why))


def _print_match(match: Mapping[str, Any], suffix: str) -> None:
    say(
        (f"Match {match['match']}", "bold"),
        f" · {match['run']} no. {match['number']} · {match['game']} · {match['status']}",
        f": {match['why']}" if match["why"] else "",
    )
    took = _between(match["begun"], match["ended"])
    ended = f" · ended by {match['reason']}" if match["reason"] else ""
    say(
        f"{several(match['turns'], 'turn', 'turns')}{ended} · seed {match['seed']}"
        + (f" · took {took}" if took else "")
    )
    if match["forked_from"]:
        before = ", ".join(f"{seat} {label}" for seat, label in match["forked_from"]["seats"].items())
        say(f"forked from {_parent(match['forked_from'])} (played before: {before})")
    options = ", ".join(f"{key} {value}" for key, value in match["options"].items())
    start = f"start {match['scenario']}" if match["scenario"] else ""
    if options or start:
        say(" · ".join(part for part in (start, options) if part))
    click.echo()
    table(
        [
            Column("seat"),
            Column("player", flexible=True),
            Column("place", number=True),
            Column("turns", number=True, spare=4),
            Column("forced", number=True, spare=6),
            Column("fallback", number=True),
            Column("illegal", number=True, spare=1),
            Column("unreadable", number=True, spare=3),
            Column("messages", number=True, spare=5),
            Column("calls", number=True, spare=7),
            Column("tokens", number=True, spare=2),
            Column("cost", number=True),
            Column("seconds", number=True, spare=8),
        ],
        [
            (
                seat["seat"],
                seat["label"],
                count(seat["place"]),
                count(seat["turns"]),
                count(seat["forced"]),
                count(seat["fallback"]),
                count(seat["illegal"]),
                count(seat["unreadable"]),
                count(seat["messages"]),
                count(seat["calls"]),
                count(seat["prompt_tokens"] + seat["completion_tokens"]),
                money(seat["cost"], seat["unpriced"], calls=seat["calls"]),
                f"{seat['latency_ms'] / 1000:,.1f}",
            )
            for seat in match["seats"]
        ],
    )
    open_costs = {seat["label"]: seat["unconfirmed"] for seat in match["seats"] if seat["unconfirmed"]}
    if open_costs:
        say(unconfirmed_line(open_costs))
    click.echo()
    say(f"Step through it: {program()} replay {match['match']}{suffix}")


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _between(begun: str | None, ended: str | None) -> str:
    """How long something took; empty while it goes on."""
    first, last = _time(begun), _time(ended)
    return "" if first is None or last is None else span((last - first).total_seconds())


def _schedule(settings: dict[str, Any]) -> str:
    """What of the schedule is not as usual."""
    kind, told = settings.get("line_ups", "auto"), ""
    if isinstance(kind, dict):
        told += f" · gauntlet against {listing(kind['gauntlet'])}"
    elif kind != "auto":
        told += f" · line-ups {kind}"
    if settings.get("replicates", 1) > 1:
        told += f" · each match {settings['replicates']} times"
    for stage in settings.get("added") or ():
        told += f" · added later: {listing(stage['players'])}"
    return told


def _word(value: object) -> str:
    if value is None:
        return "none"
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
