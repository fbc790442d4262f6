"""Who helped whom and who hurt whom, by players and by seats, over the course of a match.

**Deeds.** Unit: one deed of one seat towards another, which was its own choice: it was no fallback, and another action
was legal. Help and harm are sums of deeds; each kind stands beside them (`ACTS`). A pledge kept or broken is a word,
and the deed that decided it is counted already: words stand beside in no sum.

**Per match.** Numerator: the deeds. Denominator: matches in which both sat at the table (times the pairs of their
seats, where one player has several). By phase, the deeds of that third of the match's plies; the course goes by tenths.
What seats of the same player do to each other is told by seats alone, and in the course. Matches ended by forfeit
count; what was played before a fork does not.

**Not told: whether help is returned.** The log cannot say. On all occasions, those who helped are met later and in
other states of the match than others: a player who draws lots seems to return gifts. Within one decision they stand
differently on the board: the bot `greedy` gives the move to the poorest and looks at nobody's past, yet of those open
to it in So Long Sucker it chose who had helped it oftener than others by 75 points.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from harness.behaviour.bootstrap import Cell, Replicates
from harness.behaviour.deeds import ACTS as ACTS
from harness.behaviour.deeds import KINDS as KINDS
from harness.behaviour.deeds import SENSE_OF, SUMMED, Act, Sense
from harness.behaviour.deeds import SENSES as SENSES
from harness.behaviour.deeds import deeds as deeds
from harness.behaviour.gather import (
    Figure,
    Gatherer,
    Head,
    Part,
    Player,
    Sums,
    Tables,
    figure,
    figure_json,
    players_of,
)
from harness.behaviour.log import Played, Seat
from harness.intervals import Interval
from harness.pledges import PHASES, phase
from harness.ratings.versions import TableKey
from harness.records import Json

TENTHS = 10


class Row(NamedTuple):
    """How often one did something to another in a match."""

    by: Literal["player", "seat"]
    giver: Player | Seat
    receiver: Player | Seat
    act: str
    """Of `ACTS`, or `help` or `harm` for their sum."""
    phase: str
    """One of `PHASES`; empty for the whole match."""
    figure: Figure


class Course(NamedTuple):
    """How often a player helped or hurt others in one tenth of a match, from 0."""

    player: Player
    sense: Sense
    tenth: int
    figure: Figure


@dataclass(frozen=True, kw_only=True)
class AlliancesTable(Head):
    """One game of one run."""

    players: tuple[Player, ...]
    seat_order: tuple[Seat, ...]
    acts: tuple[Act, ...]
    """Those that were done at all."""
    rows: tuple[Row, ...]
    course: tuple[Course, ...]

    @property
    def note(self) -> str | None:
        """Why there is little to see, if so."""
        if not self.acts:
            return "In this game's logs nobody helped or hurt another by its own choice." if self.counted else None
        if not any(row.by == "player" for row in self.rows):
            return "Each match was one player in all seats: what its seats did to each other is all there is."
        if self.seats == 2:
            return "Two players have nobody to ally with: what they did to each other is all there is."
        return None

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""

        def named(who: Player | Seat) -> Json | str:
            return who._asdict() if isinstance(who, Player) else who

        return {
            **super().to_json(),
            "note": self.note,
            "acts": [act._asdict() for act in self.acts],
            "rows": [
                {
                    "by": row.by,
                    "giver": named(row.giver),
                    "receiver": named(row.receiver),
                    "act": row.act,
                    "phase": row.phase or None,
                    **figure_json(row.figure),
                }
                for row in self.rows
            ],
            "course": [
                {**row.player._asdict(), "act": row.sense, "tenth": row.tenth, **figure_json(row.figure)}
                for row in self.course
            ],
        }


Alliances = Tables[AlliancesTable]


_Pair = tuple[Player | Seat, Player | Seat]
_Times = defaultdict[tuple[str, str], Counter[int]]
"""By act and phase, how often in each pack."""


class _Part(Part[AlliancesTable]):
    def __init__(self) -> None:
        super().__init__()
        self._players: set[Player] = set()
        self._seats: tuple[Seat, ...] = ()
        self._acts: set[str] = set()
        self._met: dict[_Pair, Sums] = defaultdict(Sums)
        self._times: dict[_Pair, _Times] = defaultdict(lambda: defaultdict(Counter))
        self._sat: dict[Player, Sums] = defaultdict(Sums)
        self._tenths: dict[tuple[Player, Sense, int], Counter[int]] = defaultdict(Counter)

    def seen(self, match: Played) -> None:
        self._players.update(players_of(match).values())
        self._seats = self._seats or match.seats

    def counted(self, match: Played) -> None:
        pack, seated = match.match.pack, players_of(match)
        for player, seats in Counter(seated.values()).items():
            self._sat[player].add(pack, 0, seats)
        pairs = [(giver, receiver) for giver in match.seats for receiver in match.others(giver)]
        # Another seat of the same player is nobody else: what it does to that one is told by seats alone.
        met = Counter(
            (seated[giver], seated[receiver]) for giver, receiver in pairs if seated[giver] != seated[receiver]
        )
        for players, number in met.items():
            self._met[players].add(pack, 0, number)
        for pair in pairs:
            self._met[pair].add(pack, 0, 1)
        plies = max(match.plies, 1)
        thirds: Counter[tuple[Seat, Seat, str, str]] = Counter()
        tenths: Counter[tuple[Seat, Sense, int]] = Counter()
        for ply, giver, receiver, act in deeds(match):
            thirds[giver, receiver, act, phase(ply, plies)] += 1
            if act in SUMMED:
                tenths[giver, SENSE_OF[act], min(TENTHS * (ply - 1) // plies, TENTHS - 1)] += 1
        for (giver, receiver, act, third), number in thirds.items():
            self._acts.add(act)
            sides: tuple[_Pair, _Pair] = ((giver, receiver), (seated[giver], seated[receiver]))
            for times in (self._times[side] for side in sides):
                for name in (act, SENSE_OF[act]) if act in SUMMED else (act,):
                    times[name, ""][pack] += number
                    times[name, third][pack] += number
        for (giver, sense, tenth), number in tenths.items():
            self._tenths[seated[giver], sense, tenth][pack] += number

    def table(self, key: TableKey) -> AlliancesTable:
        draws = Replicates(list(self._packs))
        acts = tuple(act for act in ACTS if act.name in self._acts)
        return AlliancesTable(
            **vars(self.head(key)),
            players=tuple(sorted(self._players)),
            seat_order=self._seats,
            acts=acts,
            rows=self._rows(acts, draws),
            course=self._course(acts, draws),
        )

    def _rows(self, acts: tuple[Act, ...], draws: Replicates) -> tuple[Row, ...]:
        names = (*_senses(acts), *(act.name for act in acts))
        places = [
            (pair, name, third) for pair in sorted(self._met, key=_order) for name in names for third in ("", *PHASES)
        ]
        nothing: _Times = defaultdict(Counter)
        cells = [
            Cell(self._times.get(pair, nothing).get((name, third), {}), self._met[pair].whole)
            for pair, name, third in places
        ]
        found = _figures(cells, [self._met[pair].matches for pair, *_ in places], draws)
        return tuple(
            Row("player" if isinstance(pair[0], Player) else "seat", *pair, name, third, one)
            for (pair, name, third), one in zip(places, found, strict=True)
        )

    def _course(self, acts: tuple[Act, ...], draws: Replicates) -> tuple[Course, ...]:
        places = [
            (player, sense, tenth) for player in sorted(self._sat) for sense in _senses(acts) for tenth in range(TENTHS)
        ]
        cells = [Cell(self._tenths.get(place, {}), self._sat[place[0]].whole) for place in places]
        found = _figures(cells, [self._sat[player].matches for player, *_ in places], draws)
        return tuple(Course(*place, one) for place, one in zip(places, found, strict=True))


_AT_ONCE = 2000
"""Figures whose replicates are held together: it bounds the memory."""


def _figures(cells: list[Cell], matches: list[int], draws: Replicates) -> list[Figure]:
    # What was never done is alike in every draw: it has no interval, and nothing is drawn for it.
    done = [place for place, cell in enumerate(cells) if cell.part]
    intervals: list[Interval | None] = [None] * len(cells)
    for first in range(0, len(done), _AT_ONCE):
        some = done[first : first + _AT_ONCE]
        found = draws.intervals([cells[place] for place in some], shares=[False] * len(some))
        for place, interval in zip(some, found, strict=True):
            intervals[place] = interval
    return [figure(*one) for one in zip(cells, intervals, matches, strict=True)]


def _senses(acts: Iterable[Act]) -> list[Sense]:
    """Those of which any deed was done."""
    done = {act.sense for act in acts if act.summed}
    return [sense for sense in SENSES if sense in done]


def _order(pair: _Pair) -> tuple[bool, str, str, str, str]:
    return (isinstance(pair[0], str), *_name(pair[0]), *_name(pair[1]))


def _name(who: Player | Seat) -> tuple[str, str]:
    return (who.label, who.identity) if isinstance(who, Player) else (who, "")


class Allying(Gatherer[AlliancesTable]):
    """The alliances of matches one by one."""

    def __init__(self) -> None:
        super().__init__(_Part)


def alliances(matches: Iterable[Played]) -> Alliances:
    """The tables of these matches, in one pass over them."""
    return Allying().of(matches)
