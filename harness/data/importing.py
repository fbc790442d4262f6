"""Runs taken in from the JSONL files of an export, as they were: all of them, or after any fault none.

Memory does not grow with the logs: the files are read side by side, match by match, in the order of `matches.jsonl`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.data.lines import BadImport, Lines
from harness.data.records import Maker, answer_of, call_of, match_of, message_of, pledge_of, run_of, seat_of, turn_of
from harness.data.schema import FORMAT, TABLES
from harness.data.write import MANIFEST
from harness.records import CallRecord, MatchRecord, MessageRecord, PledgeRecord, SeatRecord, Stretch
from harness.spec.faults import shown

if TYPE_CHECKING:
    from harness.store.intake import Intake

READ = tuple(name for name, table in TABLES.items() if not table.derived)
"""The tables that are read; the others are computed anew."""
_MATCHES_AT_ONCE = 100
_LARGEST = 1 << 20
"""Bytes of a manifest, at most."""


class Imported(NamedTuple):
    """What is there now."""

    runs: list[str]
    rows: dict[str, int]
    """By table."""


class _Match(NamedTuple):
    """What is remembered of a match until its log has been read."""

    old: int
    new: int
    run_id: int
    run: str
    plies: int
    seats: tuple[str, ...]
    parent: int | None
    lineage: tuple[Stretch, ...]
    start_hash: str | None
    forked: bool


def import_runs(folder: Path, intake: Intake, *, name: str | None = None) -> Imported:
    """Take in the runs of an export's folder; the only one under another name, if one is given.

    Raises:
        BadImport: naming file, line and field, where anything is not as an export has it.
    """
    counts = check_folder(folder)
    return _Import(folder, intake, name).all(counts)


def check_folder(folder: Path) -> dict[str, int]:
    """Look whether a folder is a whole export of this format; how many lines each file has to have.

    Raises:
        BadImport: where it is not.
    """
    if not folder.is_dir():
        raise BadImport(f"{folder}: there is no such folder; `parley export RUN --jsonl DIR` makes one")
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            told = json.loads(file.read(_LARGEST))
    except FileNotFoundError:
        raise BadImport(f"{folder}: it holds no {MANIFEST}, so it is no whole export of `--jsonl`") from None
    except OSError as error:
        raise BadImport(f"{path}: it cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadImport(f"{path}: it is no JSON ({error})") from error
    number = told.get("parley_export") if isinstance(told, dict) else None
    if number != FORMAT:
        raise BadImport(f"{path}: parley_export: {shown(number)} is no format that is known here; {FORMAT} is")
    if told.get("public") is not False:
        raise BadImport(f"{path}: public: what a public export leaves out is wanted; export again without --public")
    counts = told.get("tables")
    for table in READ:
        count = counts.get(table) if isinstance(counts, dict) else None
        if not isinstance(count, int) or isinstance(count, bool):
            raise BadImport(f"{path}: tables.{table}: it is missing; export again without --table")
    return {table: counts[table] for table in READ}


class _Import:
    def __init__(self, folder: Path, intake: Intake, name: str | None) -> None:
        self._folder = folder
        self._intake = intake
        self._name = name
        self._makers = {table: Maker(Lines(folder, TABLES[table])) for table in READ}
        self._matches: dict[int, _Match] = {}
        self._runs: dict[str, int] = {}
        self._games: dict[str, int] = {}
        """How many games each run's file has."""

    def all(self, counts: dict[str, int]) -> Imported:
        """Everything, in order."""
        names = self._take_runs()
        self._take_matches()
        self._link()
        probes = self._probes()
        by_run: dict[str, list[_Match]] = {run: [] for run in self._runs}
        for match in self._matches.values():
            by_run[match.run].append(match)
        for run, matches in by_run.items():
            probes(run)
            for match in matches:
                self._take_log(match)
        for maker in self._makers.values():
            maker.lines.end()
        for table, maker in self._makers.items():
            if maker.lines.rows != counts[table]:
                told = f"it has {maker.lines.rows} lines, {MANIFEST} says {counts[table]}"
                raise BadImport(f"{self._folder / f'{table}.jsonl'}: {told}: it is not whole")
        return Imported(names, {table: maker.lines.rows for table, maker in self._makers.items()})

    def _take_runs(self) -> list[str]:
        maker, names = self._makers["runs"], list[str]()
        for row in maker.lines:
            if self._name is not None and self._runs:
                raise BadImport(f"--as: {self._folder} holds several runs, and one name is given; export the one alone")
            record = run_of(maker, row, self._name)
            if row["run"] in self._runs:
                maker.refuse(row, "run", f"{shown(row['run'])} stands in two lines")
            if self._intake.has_run(record.name):
                way = "--as NAME takes it in under another, `parley rm` takes the old one away"
                maker.refuse(row, "run", f"there is a run named {shown(record.name)} in the database already; {way}")
            self._runs[row["run"]] = self._intake.run(record)
            self._games[row["run"]] = len(record.spec["games"])
            names.append(record.name)
        if not names:
            raise BadImport(f"{self._folder / 'runs.jsonl'}: it holds no run")
        return names

    def _take_matches(self) -> None:
        for run, of_run in itertools.groupby(self._match_records(), key=lambda one: one[1]):
            while some := list(itertools.islice(of_run, _MATCHES_AT_ONCE)):
                records = [record for _, _, _, record in some]
                ids = self._intake.matches(self._runs[run], records)
                for (old, _, parent, record), new in zip(some, ids, strict=True):
                    seats = tuple(seat.seat for seat in record.seats)
                    known = (seats, parent, record.lineage, record.start_hash, record.forked)
                    self._matches[old] = _Match(old, new, self._runs[run], run, record.plies, *known)

    def _match_records(self) -> Iterator[tuple[int, str, int | None, MatchRecord]]:
        maker, numbers, seen = self._makers["matches"], set[tuple[str, int]](), set[int]()
        runs: list[str] = []
        for row in maker.lines:
            maker.one_of(row, "run", list(self._runs))
            if row["run"] not in runs[-1:]:
                if row["run"] in runs:
                    maker.refuse(row, "run", f"the lines of {shown(row['run'])} do not stand together")
                runs.append(row["run"])
            if row["match"] in seen or (row["run"], row["number"]) in numbers:
                field = "match" if row["match"] in seen else "number"
                maker.refuse(row, field, f"{row[field]} stands in two lines")
            if row["game_index"] >= self._games[row["run"]]:
                last = self._games[row["run"]] - 1
                there = f"games[0] to games[{last}]" if last else "games[0] alone"
                maker.refuse(row, "game_index", f"{row['game_index']}, but the file of the run has {there}")
            seen.add(row["match"])
            numbers.add((row["run"], row["number"]))
            yield row["match"], row["run"], row["parent"], match_of(maker, row, self._seats(row["match"]))

    def _seats(self, match: int) -> list[SeatRecord]:
        maker = self._makers["seats"]
        return [seat_of(maker, row, number) for number, row in enumerate(maker.lines.of(match))]

    def _link(self) -> None:
        """Say of each fork where it comes from, in the database's numbers."""
        for match in self._matches.values():
            if not match.forked:
                continue
            lineage = [
                stretch.model_copy(update={"match_id": self._origin(stretch.match_id, stretch, match) or 0})
                for stretch in match.lineage
            ]
            parent = None
            if match.parent is not None:
                parent = self._origin(match.parent, match.lineage[-1] if match.lineage else None, match)
            self._intake.link(match.new, parent, lineage)

    def _origin(self, old: int, stretch: Stretch | None, fork: _Match) -> int | None:
        """The match that had that number: of this import, or else the one of the same run, number and start."""
        if old in self._matches:
            return self._matches[old].new
        return None if stretch is None else self._intake.match_of(stretch.run, stretch.number, fork.start_hash)

    def _probes(self) -> Any:
        maker = self._makers["calls"]

        def of(run: str) -> Iterator[CallRecord]:
            while (row := maker.lines.peek()) is not None and row["match"] is None and row["run"] == run:
                maker.lines.take()
                yield call_of(maker, row, self._runs[run], None, ())

        return lambda run: self._intake.calls(of(run))

    def _take_log(self, match: _Match) -> None:
        calls = self._take_calls(match)
        maker = self._makers["turns"]
        turns = [
            turn_of(maker, row, ply, match.seats, calls) for ply, row in enumerate(maker.lines.of(match.old), start=1)
        ]
        if len(turns) != match.plies:
            told = f"match {match.old} has {len(turns)} lines, matches.jsonl says {match.plies} plies"
            raise BadImport(f"{self._folder / 'turns.jsonl'}: {told}")
        self._intake.log(match.new, turns, self._messages(match, calls))
        maker = self._makers["answers"]
        self._intake.answers(match.new, [answer_of(maker, row, match.seats) for row in maker.lines.of(match.old)])

    def _take_calls(self, match: _Match) -> dict[int, int]:
        maker, seen = self._makers["calls"], set[int]()

        def records() -> Iterator[CallRecord]:
            for row in maker.lines.of(match.old):
                if row["call"] in seen:
                    maker.refuse(row, "call", f"{row['call']} stands in two lines")
                seen.add(row["call"])
                yield call_of(maker, row, match.run_id, match.new, match.seats)

        return self._intake.calls(records())

    def _messages(self, match: _Match, calls: dict[int, int]) -> list[MessageRecord]:
        said, promised, messages = self._makers["messages"], self._makers["pledges"], list[MessageRecord]()
        for seq, row in enumerate(said.lines.of(match.old)):
            pledges = list[PledgeRecord]()
            while (one := promised.lines.peek()) is not None and (one["match"], one["seq"]) == (match.old, seq):
                promised.lines.take()
                pledges.append(pledge_of(promised, one, len(pledges), row["sender"], match.seats))
            messages.append(message_of(said, row, seq, match.seats, calls, pledges))
        left = promised.lines.peek()
        if left is not None and left["match"] == match.old:
            promised.refuse(left, "seq", f"{left['seq']} is no message of this match, or stands out of order")
        return messages
