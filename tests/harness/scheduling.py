"""Games that are nothing but seats, tournaments of them, and what a schedule made of one says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

import games
from games.chance import SEED_LIMIT
from harness.records import MatchRecord
from harness.schedule import schedule
from harness.spec import GameEntry, Gauntlet, PlayerSpec, Tournament

SEATS = ("north", "east", "south", "west", "up", "down")
SEATINGS = ["rotate", "balanced", "random", "fixed"]
KINDS = ["auto", "all", "sampled", "self_play", "gauntlet"]


class TableOptions(BaseModel):
    """One switch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wide: bool = False


class Table:
    """What a schedule asks of a game, for two to six seats."""

    version = "1"
    players = (2, 3, 4, 5, 6)
    Options = TableOptions
    bots: ClassVar[dict[str, Any]] = {"b": None}
    scenarios: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def seats(self, number: int) -> tuple[str, ...]:
        """The first so many."""
        return SEATS[:number]


@pytest.fixture(autouse=True, scope="module")
def tables() -> Any:
    """Two games of that kind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "GAMES", ("table", "bench"))
        patch.setattr(games, "get_game", {"table": Table("table"), "bench": Table("bench")}.__getitem__)
        yield


def tournament(pool: int, seats: int, **keys: Any) -> Tournament:
    """A tournament of bots p0, p1, ... with one game."""
    entries = keys.pop("games", (GameEntry(game="table", seats=seats),))
    players = tuple(PlayerSpec(label=f"p{n}", bot="b") for n in range(pool))
    return Tournament(name="t", games=entries, players=players, **keys)


def packs(matches: list[MatchRecord]) -> dict[tuple[int, int], list[MatchRecord]]:
    """The matches by entry and pack."""
    found: dict[tuple[int, int], list[MatchRecord]] = {}
    for match in matches:
        found.setdefault((match.game_index, match.pack), []).append(match)
    return found


def order(match: MatchRecord) -> tuple[str, ...]:
    """The labels by seat."""
    return tuple(seat.label for seat in match.seats)


def of_kind(kind: str, pool: int, seats: int, **keys: object) -> Tournament:
    """A tournament of one kind of line-ups; in a gauntlet the last of the pool are baselines, one more than needed
    where the pool has them."""
    line_ups: object = kind
    if kind == "gauntlet":
        beside = min(pool - 1, seats)
        line_ups = Gauntlet(gauntlet=tuple(f"p{n}" for n in range(pool - beside, pool)))
    return tournament(pool, seats, line_ups=line_ups, **keys)


def short(matches: Iterable[MatchRecord]) -> list[tuple[int, str]]:
    """Pack and labels by seat."""
    return [(match.pack, " ".join(order(match))) for match in matches]


def told(spec: Tournament) -> str:
    """Each match as `pack.rotation` and the last letter of each label by seat."""
    return ", ".join(
        f"{match.pack}.{match.rotation} {''.join(label[-1] for label in order(match))}" for match in schedule(spec)
    )


def files(*, most: int, matches: int, replicates: int) -> st.SearchStrategy[Tournament]:
    """Tournaments of every kind for two to four seats, with up to `most` players more than there are seats."""
    return st.builds(
        lambda kind, seats, more, seed, matches, seating, replicates: of_kind(
            kind, seats + more, seats, seed=seed, matches=matches, seating=seating, replicates=replicates
        ),
        st.sampled_from(KINDS),
        st.integers(2, 4),
        st.integers(0, most),
        st.integers(0, SEED_LIMIT - 1),
        st.integers(1, matches),
        st.sampled_from(SEATINGS),
        st.integers(1, replicates),
    )
