"""What most tests of the harness need: a database of their own, and a key for the provider on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.store import Store


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "parley.db")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


@pytest.fixture
def house_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key that a file's `api_key_env: HOUSE_KEY` names."""
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")
