"""The ledger: what became of every pledge, by player, and how much a pledge says of what its maker will do.

Verdicts are those of `harness.pledges`. The share kept is of the pledges that were put to the test, kept and broken.

**What a pledge says.** Unit: one decision that a pledge of a kind to another player would be judged by (an answer to
its request, a kill from a pile that holds its colour, ...), while that player is in the game. After: of the decisions
that settled such a pledge, the share in which the deed was done. Without: the same of those on which no pledge of the
maker's to that player bore, be it of that kind or of another that the decision settles too. The difference says how
much likelier the deed is once it is promised; at 0 the promise says nothing. Left out of both: fallbacks, decisions
without another choice, and those on which a pledge bore whose condition was not met.

Pledges between seats of the same player (self-play) count, but by no addressee: there is no other player.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from harness.behaviour.bootstrap import Replicates
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
    interval_json,
    players_of,
    rounded,
)
from harness.behaviour.log import Played
from harness.intervals import Interval
from harness.pledges import PHASES, VERDICTS, JudgedPledge
from harness.ratings.versions import TableKey
from harness.records import Json

BY = ("kind", "addressee", "phase")
"""What a player's pledges are broken down by."""


class Entry(NamedTuple):
    """One pledge with where it stands: match and plies lead to what was said and what was done."""

    match_id: int | None
    number: int
    """The match's number in its run."""
    maker: str
    addressee: str
    """Labels of players; their seats stand in the pledge."""
    pledge: JudgedPledge
    player: Player
    """Who made it."""


class Row(NamedTuple):
    """A player's pledges: all (`by` is empty), or those of one kind, to one addressee, of one phase."""

    player: Player
    by: str
    key: str
    verdicts: dict[str, int]
    kept: Figure
    """Of those kept or broken, the share kept."""


class Says(NamedTuple):
    """How much a player's pledge of one kind says. The difference is None where either share is."""

    player: Player
    kind: str
    after: Figure
    without: Figure
    difference: float | None
    interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class LedgerTable(Head):
    """One game of one run."""

    unfollowed: tuple[int, ...]
    """Numbers in the run of matches whose log cannot be followed to its end; what it decides later is not judged."""
    rows: tuple[Row, ...]
    says: tuple[Says, ...]
    entries: tuple[Entry, ...]

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        return {
            **super().to_json(),
            "unfollowed": list(self.unfollowed),
            "rows": [
                {
                    **row.player._asdict(),
                    "by": row.by,
                    "key": row.key,
                    **row.verdicts,
                    "kept_share": figure_json(row.kept),
                }
                for row in self.rows
            ],
            "says": [
                {
                    **row.player._asdict(),
                    "pledge": row.kind,
                    "after": figure_json(row.after),
                    "without": figure_json(row.without),
                    "difference": rounded(row.difference),
                    "interval": interval_json(row.interval),
                }
                for row in self.says
            ],
            "pledges": [_entry_json(entry) for entry in self.entries],
        }


Ledger = Tables[LedgerTable]


_Group = tuple[Player, str, str]


class _Part(Part[LedgerTable]):
    def __init__(self) -> None:
        super().__init__()
        self._unfollowed: list[int] = []
        self._entries: list[Entry] = []
        self._verdicts: defaultdict[_Group, Counter[str]] = defaultdict(Counter)
        self._kept: defaultdict[_Group, Sums] = defaultdict(Sums)
        self._after: defaultdict[tuple[Player, str], Sums] = defaultdict(Sums)
        self._without: defaultdict[tuple[Player, str], Sums] = defaultdict(Sums)

    def counted(self, match: Played) -> None:
        judged = match.judged
        if judged.followed < match.plies:
            self._unfollowed.append(match.match.number)
        pack, seated, labels = match.match.pack, players_of(match), match.labels
        kept: defaultdict[_Group, list[bool]] = defaultdict(list)
        for one in judged.pledges:
            addressee = labels.get(one.addressee, one.addressee)
            entry = Entry(match.match.id, match.match.number, labels[one.maker], addressee, one, seated[one.maker])
            self._entries.append(entry)
            ways = [("", ""), *zip(BY, (one.kind, addressee, one.phase), strict=True)]
            if addressee == labels[one.maker]:
                ways.remove(("addressee", addressee))
            for by, key in ways:
                group = (seated[one.maker], by, key)
                self._verdicts[group][one.verdict] += 1
                if one.verdict in ("kept", "broken"):
                    kept[group].append(one.verdict == "kept")
        for group, tested in kept.items():
            self._kept[group].add(pack, sum(tested), len(tested))
        after: defaultdict[tuple[Player, str], list[bool]] = defaultdict(list)
        without: defaultdict[tuple[Player, str], list[bool]] = defaultdict(list)
        for deed in judged.deeds:
            if deed.counts and deed.alive and deed.pledged == deed.running:
                (after if deed.pledged else without)[seated[deed.maker], deed.kind].append(deed.kept)
        for found, sums in ((after, self._after), (without, self._without)):
            for deeds, done in found.items():
                sums[deeds].add(pack, sum(done), len(done))

    def table(self, key: TableKey) -> LedgerTable:
        return LedgerTable(
            **vars(self.head(key)),
            unfollowed=tuple(sorted(self._unfollowed)),
            rows=self._rows(),
            says=self._says(),
            entries=tuple(sorted(self._entries, key=lambda one: (one.number, one.pledge.seq, one.pledge.number))),
        )

    def _rows(self) -> tuple[Row, ...]:
        groups = sorted(self._verdicts, key=_order)
        cells = [self._kept[group].cell for group in groups]
        intervals = Replicates(list(self._packs)).intervals(cells, shares=[True] * len(cells))
        return tuple(
            Row(
                *group,
                {verdict: self._verdicts[group][verdict] for verdict in VERDICTS},
                figure(cell, interval, self._kept[group].matches),
            )
            for group, cell, interval in zip(groups, cells, intervals, strict=True)
        )

    def _says(self) -> tuple[Says, ...]:
        keys = sorted(self._after)
        pairs = [(self._after[key].cell, self._without[key].cell) for key in keys]
        draws = Replicates(list(self._packs))
        alone = draws.intervals([cell for pair in pairs for cell in pair], shares=[True] * (2 * len(pairs)))
        found = []
        for place, (key, pair, interval) in enumerate(zip(keys, pairs, draws.differences(pairs), strict=True)):
            after = figure(pair[0], alone[2 * place], self._after[key].matches)
            without = figure(pair[1], alone[2 * place + 1], self._without[key].matches)
            difference = None
            if after.value is not None and without.value is not None:
                difference = after.value - without.value
            found.append(Says(*key, after, without, difference, interval))
        return tuple(found)


def _order(group: _Group) -> tuple[Player, int, int, str]:
    player, by, key = group
    return player, BY.index(by) if by else -1, PHASES.index(key) if by == "phase" else 0, key


class Judging(Gatherer[LedgerTable]):
    """The ledger of matches one by one."""

    def __init__(self) -> None:
        super().__init__(_Part)


def ledger(matches: Iterable[Played]) -> Ledger:
    """The tables of these matches, in one pass over them."""
    return Judging().of(matches)


def _entry_json(entry: Entry) -> Json:
    pledge = entry.pledge
    return {
        "match": entry.match_id,
        "number": entry.number,
        "ply": pledge.ply,
        "seq": pledge.seq,
        "place": pledge.number,
        "maker": entry.maker,
        "maker_seat": pledge.maker,
        "addressee": entry.addressee,
        "addressee_seat": pledge.addressee,
        **{
            name: getattr(pledge, name)
            for name in ("kind", "turns", "condition", "verdict", "verdict_ply", "why", "phase")
        },
    }
