"""A database with all that an export has to hold: models with calls and costs, forfeits, voids, pauses, forks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from games import GAMES
from harness.store import Store
from tests.harness.forking import go, models, planned, steady
from tests.providers import Loopback

TALK = "talk: {messages: 1, chars: 120, private: true, round: 6}\nmatches: 4\nparallel: 4\n"
RUNS = ("models", "forfeits", "halted", "again")
"""The runs of that database: finished with a void match, ended by forfeit, stopped half-way, forked from the first."""


def fill(store: Store, game: str, loopback: Loopback) -> None:
    """Play those runs."""
    loopback.always(steady)
    asyncio.run(go(models(game, loopback, TALK), store))
    strict = models(game, loopback, "on_illegal: forfeit\nretries: 0\n" + TALK)
    asyncio.run(go(strict.with_overrides(name="forfeits"), store))
    asyncio.run(go(models(game, loopback, TALK).with_overrides(name="halted"), store, after=9))
    first, second = (match.id or 0 for match in store.matches(store.runs()[0].id or 0)[:2])
    made = planned(store, [(first, 4), (second, 0)], times=2, name="again")
    asyncio.run(go(made.spec, store))
    store.set_match(second, "void", "by hand, \x07 of a \ud800 whim").result()


@pytest.fixture(scope="session", params=GAMES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The path of such a database, for each game."""
    path = tmp_path_factory.mktemp(request.param) / "parley.db"
    with pytest.MonkeyPatch.context() as patch, Loopback() as loopback, Store.open(path) as store:
        patch.setenv("HOUSE_KEY", "sk-house-0123456789")
        fill(store, request.param, loopback)
    return str(path)


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PARLEY_DB", raising=False)
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")
    monkeypatch.chdir(tmp_path)
