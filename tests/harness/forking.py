"""Runs to fork, and a provider whose models choose by what is legal alone, so that the same position gets the same
answer in whatever order it is shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from harness.fork import Plan, Point, plan, point
from harness.records import MatchRecord
from harness.runs import record_id
from harness.spec import Tournament, parse
from harness.store import Store
from harness.tournament import Control, RunResult, run
from harness.verify import verify
from tests.harness.watching import Watching
from tests.providers import Answer, Loopback
from tests.providers.choose import legal_in
from tests.providers.server import Seen

GAMES = {
    "so_long_sucker": ("{game: so_long_sucker, options: {chips: 2}}", ("banker", "turncoat", "greedy", "random")),
    "twenty_one": ("{game: twenty_one}", ("greedy", "random")),
    "trap_race": ("{game: trap_race, options: {cap: 24}}", ("normal", "forward")),
    "star_ludo": ("{game: star_ludo, options: {cap: 60}}", ("strategic", "random", "balanced", "casual")),
}
"""Each game, short, with bots to play it."""


def bots(game: str, more: str = "") -> Tournament:
    """A tournament of one game between its bots, seated as given."""
    entry, names = GAMES[game]
    players = "".join(f"  - {{label: {name}, bot: {name}}}\n" for name in names)
    return parse(f"name: bots\nseating: fixed\ngames: [{entry}]\nplayers:\n{players}{more}", "bots.yaml")


def models(game: str, loopback: Loopback, more: str = "", price: str = "{input: 1.0, output: 2.0}") -> Tournament:
    """A tournament of one game between as many models of the provider on loopback."""
    entry, names = GAMES[game]
    model = f"model: openai/any, api_base: {loopback.api_base}, api_key_env: HOUSE_KEY, price: {price}"
    players = "".join(f"  - {{label: m{number}, {model}}}\n" for number in range(len(names)))
    return parse(f"name: models\nseating: fixed\ngames: [{entry}]\nplayers:\n{players}{more}", "models.yaml")


def steady(seen: Seen) -> Answer:
    """A choice, or a plan of two, by what is legal, told to all and noted; one first try in four is illegal."""
    legal = sorted(legal_in(seen.body))
    digest = hashlib.sha256("|".join(legal).encode()).digest()
    word = digest.hex()[:6]
    reply: dict[str, Any] = {"thoughts": f"thought {word}", "notes": f"note {word}"}
    if legal:
        # A plan, whose second action is often not to be had any more: what was sent is remembered all the same.
        reply["actions"] = [legal[digest[0] % len(legal)], legal[digest[3] % len(legal)]][: 1 + digest[4] % 2]
        last = json.dumps(seen.body["messages"][-1])
        if digest[1] % 4 == 0 and "fly" not in last and "fly" not in json.dumps(seen.body["messages"][-2:]):
            reply["actions"] = "fly"
    if digest[2] % 3 == 0 or not legal:
        reply["messages"] = [{"to": "all", "text": f"said {word}"}]
    return Answer(json.dumps(reply))


async def go(spec: Tournament, store: Store, *, after: int | None = None) -> RunResult:
    """Play a run; with `after`, stop it once so many turns are played."""
    control = Control(grace=5.0)

    def turned(*_: object) -> None:
        if after is not None and watching.turns >= after:
            control.stop.set()

    watching = Watching(on_turn=turned)
    return await run(spec, store, progress=watching, control=control)


def planned(store: Store, starts: Sequence[tuple[int, int]], **more: Any) -> Plan:
    """A run of forks of these matches at these plies, stored but not played."""
    points: list[Point] = [point(store, match_id, ply) for match_id, ply in starts]
    parent = store.run(points[0].match.run_id or 0)
    assert parent is not None
    made = plan(store, parent, points, **more)
    store.create_forks(made.run, made.matches).result()
    return made


async def forked(store: Store, match_id: int, ply: int, **more: Any) -> MatchRecord:
    """A fork of a match, played to its end and verified."""
    made = planned(store, [(match_id, ply)], **more)
    result = await go(made.spec, store)
    assert result.status == "finished", result.why
    (match,) = store.matches(result.run_id, with_start=True)
    assert verify(match, store.turns(record_id(match))) is None
    return match


def log_of(store: Store, match_id: int, after: int = 0) -> list[Any]:
    """What was played and said after a ply, without what is each match's own."""
    own = {"call_id", "at", "shown_index"}
    turns = [turn.model_dump(exclude=own) for turn in store.turns(match_id) if turn.ply > after]
    said = [message.model_dump(exclude=own) for message in store.messages(match_id) if message.ply > after]
    return [*turns, *said]
