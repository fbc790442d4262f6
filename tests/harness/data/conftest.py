"""A database with all that an export has to hold: models with calls and costs, forfeits, voids, pauses, forks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from games import GAMES
from harness.spec import Tournament
from harness.store import Store
from tests.harness.forking import go, models, planned, steady
from tests.providers import Answer, Loopback, Seen
from tests.providers.choose import nodes, schema_in

TALK = "talk: {messages: 1, chars: 120, private: true, round: 6}\nmatches: 2\nparallel: 4\n"
RUNS = ("models", "forfeits", "halted", "again")
"""The runs of that database: finished with a void match, ended by forfeit, stopped half-way, forked from the first."""


def talkative(seen: Seen) -> Answer:
    """As `steady`, but what it says carries a pledge where pledges may be made, and every other word is private."""
    answer = steady(seen)
    assert isinstance(answer.content, str)
    reply = json.loads(answer.content)
    said = reply.get("messages", ())
    of = [node["properties"] for node in nodes(schema_in(seen.body) or {}) if "kind" in node.get("properties", {})]
    for message in said:
        if of:
            kind, to = (of[0][name]["enum"] for name in ("kind", "to"))
            message["pledges"] = [{"kind": kind[0], "to": to[0], "turns": 6, "if": None}]
            if message["text"][-1] in "02468ace":
                message |= {"to": to[0], "text": f"secret {message['text']}"}
    return Answer(json.dumps(reply), reasoning="I weigh it." if said else None)


def short(game: str, loopback: Loopback, settings: str) -> Tournament:
    """Models at a game that a cap ends soon, if it has one: what is written of a turn is what counts, not how many."""
    spec = models(game, loopback, settings).to_json()
    for entry in spec["games"]:
        if entry["options"].get("cap"):
            entry["options"]["cap"] //= 3
    return Tournament.from_json(spec)


def fill(store: Store, game: str, loopback: Loopback) -> None:
    """Play those runs."""
    loopback.always(talkative)
    # Long matches are told without their history, which most of the time would go into.
    settings = TALK + ("interface: {history: none}\n" if game in ("trap_race", "star_ludo") else "")
    asyncio.run(go(short(game, loopback, settings), store))
    strict = short(game, loopback, "on_illegal: forfeit\nretries: 0\n" + settings)
    asyncio.run(go(strict.with_overrides(name="forfeits"), store))
    asyncio.run(go(short(game, loopback, settings).with_overrides(name="halted"), store, after=9))
    first, second = (match.id or 0 for match in store.matches(store.runs()[0].id or 0)[:2])
    made = planned(store, [(first, 4), (second, 0)], times=2, name="again")
    asyncio.run(go(made.spec, store))
    store.set_match(second, "void", "by hand, \x07 of a \ud800 whim").result()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The path of such a database of a game, made when it is first asked for."""

    @cache
    def path_of(game: str) -> str:
        path = tmp_path_factory.mktemp(game) / "parley.db"
        with pytest.MonkeyPatch.context() as patch, Loopback() as loopback, Store.open(path) as store:
            patch.setenv("HOUSE_KEY", "sk-house-0123456789")
            fill(store, game, loopback)
        return str(path)

    return path_of


@pytest.fixture(scope="session", params=GAMES)
def played(request: pytest.FixtureRequest, databases: Callable[[str], str]) -> str:
    """The path of such a database, for each game."""
    return databases(request.param)


@pytest.fixture(scope="session", params=["so_long_sucker", "twenty_one"])
def either(request: pytest.FixtureRequest, databases: Callable[[str], str]) -> str:
    """The path of one of four seats with pledges, and of one of two without."""
    return databases(request.param)


@pytest.fixture(scope="session")
def sucker(databases: Callable[[str], str]) -> str:
    """The path of the one of So Long Sucker, where players talk most."""
    return databases("so_long_sucker")


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PARLEY_DB", raising=False)
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")
    monkeypatch.chdir(tmp_path)
