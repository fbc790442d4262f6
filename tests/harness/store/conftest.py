from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.store import Store
from tests.harness.store.postgres import PrivateServer

ENGINES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)]


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    server = PrivateServer()
    yield server
    server.stop()


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that does not exist yet (SQLite) or is empty (PostgreSQL)."""
    if request.param == "sqlite":
        return str(tmp_path / "parley.db")
    server: PrivateServer = request.getfixturevalue("server")
    return server.new_database()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as store:
        yield store
