"""A run's log is read once for measures, ledger and alliances, and match by match."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any, cast
from weakref import ref

import pytest

from harness.behaviour.alliances import KINDS, alliances
from harness.behaviour.ledger import ledger
from harness.behaviour.log import Played
from harness.behaviour.tables import behaviour, kinds
from harness.store import Store
from harness.views import results as module
from harness.views.results import Results
from tests.harness.views.logged import match, packs
from tests.harness.views.made import run_of


def test_one_reading_feeds_all_three(monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[frozenset[str]] = []
    read_so_far: list[ref[Played]] = []
    held: list[int] = []

    def read(_store: Any, _runs: Any, wanted: frozenset[str]) -> Iterator[Played]:
        readings.append(wanted)
        for number in range(8):
            one = match(number)
            read_so_far.append(ref(one))
            yield one
            del one
            gc.collect()
            held.append(sum(known() is not None for known in read_so_far))

    monkeypatch.setattr(module, "played", read)
    found = Results(cast("Store", None), run_of())
    assert found.behaviour == behaviour(packs(2))
    assert found.ledger == ledger(packs(2))
    assert found.alliances == alliances(packs(2))
    assert readings == [kinds() | KINDS]
    assert max(held) <= 1, "a match is let go when the next one is read"
