"""Databases with runs in them, made through the store, and the two ways of calling `parley`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.cli.calling import Call, invoke
from tests.harness.cli.hostile import make_hostile

BOTS = """\
name: bots
seed: 7
matches: 4
parallel: 2
games: [{game: so_long_sucker, options: {chips: 3}}]
players:
  - {label: greedy, bot: greedy}
  - {label: banker, bot: banker}
  - {label: turncoat, bot: turncoat}
  - {label: chance, bot: random}
"""


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of whoever runs the tests, and a working directory of its own."""
    for name in ("PARLEY_DB", "NO_COLOR", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Call]:
    """A database with a finished run of bots named `bots`, and what the command that played it printed."""
    folder = tmp_path_factory.mktemp("played")
    file = folder / "bots.yaml"
    file.write_text(BOTS)
    db = str(folder / "parley.db")
    return db, invoke("run", str(file), "--db", db)


@pytest.fixture(scope="session")
def db(played: tuple[str, Call]) -> str:
    """The path of that database."""
    assert played[1].status == 0, played[1].err
    return played[0]


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database in which every text that a model or a provider can reach tries to break the terminal."""
    path = str(tmp_path_factory.mktemp("hostile") / "parley.db")
    make_hostile(path)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The tournament file of the bots."""
    path = tmp_path / "bots.yaml"
    path.write_text(BOTS)
    return path
