"""The `loopback` fixture. A test module (or conftest) that wants it says `from tests.providers.fixtures import
loopback`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.providers.server import Loopback


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A scripted provider for one test."""
    with Loopback() as server:
        yield server
