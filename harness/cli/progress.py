"""What `parley run` shows while it plays: a live view on a terminal, plain lines everywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import click

from harness.call_log import log_call
from harness.cli.options import program
from harness.cli.output import count, one_line, several, silence, span, styled, terminal
from harness.telling import first_place, money
from harness.tournament import Progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.records import CallRecord, MatchRecord, TurnRecord

Look = Callable[[int], "MatchRecord | None"]

QUIET_SECONDS = 10.0
"""Plain lines: the longest silence while something goes on."""
SHORT_RUN = 50
"""Plain lines: up to so many matches each has a line of its own; in longer runs one line a second at the most."""
LISTED = 8
"""Live view: matches shown one by one."""


class Tally:
    """Sums over one run of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.run = ""
        self.total = 0
        self.before = 0
        """Matches that were finished before this process began."""
        self.done = 0
        self.calls = 0
        self.tokens = 0
        self.usd = 0.0
        self.unpriced = 0
        self.turns = 0
        self.running: dict[int, tuple[MatchRecord, TurnRecord | None]] = {}
        self._clock = clock
        self._began = clock()

    def started(self, run: str, total: int, done: int) -> None:
        """The schedule is known; a run that stops by looks tells of more of it after each look."""
        if not self.total:
            self.before, self._began = done, self._clock()
        self.run, self.total, self.done = one_line(run), total, done

    def match_started(self, match: MatchRecord) -> None:
        """A match is being played."""
        self.running[match.id or 0] = (match, None)

    def match_ended(self, match: MatchRecord, status: str) -> None:
        """A match is no longer being played: finished, or paused."""
        self.running.pop(match.id or 0, None)
        self.done += status == "finished"

    def call(self, record: CallRecord) -> None:
        """A request to a model has ended."""
        log_call(record)
        self.calls += 1
        self.tokens += (record.prompt_tokens or 0) + (record.completion_tokens or 0)
        self.usd += record.cost or 0.0
        self.unpriced += record.cost is None and record.priced_by == "unknown" and record.error_kind is None

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """An action was committed."""
        self.turns += 1
        self.running[match.id or 0] = (match, turn)

    @property
    def seconds(self) -> float:
        """Since the run began, in this process."""
        return self._clock() - self._began

    @property
    def eta(self) -> float | None:
        """Seconds to the end at the pace so far; None before the first match has ended."""
        played = self.done - self.before
        return self.seconds / played * (self.total - self.done) if played else None

    def sums(self, *, whole: bool) -> str:
        """Running, turns, calls, tokens, spend, time left; `whole` names calls and time also where there are none."""
        parts = [f"{count(len(self.running))} running", several(self.turns, "turn", "turns")]
        if self.calls or whole:
            spend = money(self.usd, self.unpriced)
            parts += [several(self.calls, "call", "calls"), several(self.tokens, "token", "tokens"), spend]
        if self.done < self.total and (self.eta is not None or whole):
            parts.append("ETA –" if self.eta is None else f"ETA {span(self.eta)}")
        return " · ".join(parts)


class Shown(Progress, Protocol):
    """A progress that is entered and left, and keeps the sums."""

    tally: Tally

    def __enter__(self) -> Shown: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Lines:
    """Progress as plain lines without escape codes. `look` reads a match as it stands now; `suffix` ends commands."""

    def __init__(self, look: Look, clock: Callable[[], float] = time.monotonic, suffix: str = "") -> None:
        self.tally = Tally(clock)
        self._look = look
        self._suffix = suffix
        self._clock = clock
        self._last = clock()

    def __enter__(self) -> Lines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left open."""

    def started(self, run: str, total: int, done: int) -> None:
        """Say what is to be played."""
        self.tally.started(run, total, done)
        if done < total:
            rest = f", {count(done)} of them finished before" if done else ""
            self._print(f"{self.tally.run}: {several(total, 'match', 'matches')}{rest}")

    def match_started(self, match: MatchRecord) -> None:
        """Counted; the lines tell of ends, and of seats that wait for somebody."""
        self.tally.match_started(match)
        for line in by_hand(match, self._suffix):
            self._print(line)

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
        """A line for the match, or for several in a long run."""
        self.tally.match_ended(match, status)
        if status != "finished":
            self._print(_unfinished(match, status, why))
        elif self.tally.total - self.tally.before <= SHORT_RUN:
            ended = self._look(match.id) if match.id is not None else None
            self._print(f"{self._standing()} · match {match.id}: {result(ended or match)}")
        elif self._clock() - self._last >= 1:
            self._print(self._standing())

    def call(self, record: CallRecord) -> None:
        """Counted; a line after a long silence."""
        self.tally.call(record)
        self._heartbeat()

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """Counted; a line after a long silence."""
        self.tally.turn(match, turn)
        self._heartbeat()

    def note(self, line: str) -> None:
        """A line of its own."""
        self._print(one_line(line))

    def _heartbeat(self) -> None:
        if self._clock() - self._last >= QUIET_SECONDS:
            self._print(self._standing())

    def _standing(self) -> str:
        tally = self.tally
        return f"{count(tally.done)} of {count(tally.total)} done · {tally.sums(whole=False)}"

    def _print(self, text: str) -> None:
        self._last = self._clock()
        try:
            click.echo(text)
        except BrokenPipeError:
            # Nobody reads on (`parley run FILE | head`); the matches are still worth playing.
            silence()


class Live:
    """Progress as a view that is drawn over itself a few times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, suffix: str = "") -> None:
        from rich.live import Live as RichLive

        self.tally = Tally(clock)
        self._console = terminal()
        self._live = RichLive(
            console=self._console, get_renderable=self._view, refresh_per_second=4, transient=True, redirect_stderr=True
        )
        self._suffix = suffix
        self.started = self.tally.started
        self.call = self.tally.call
        self.turn = self.tally.turn

    def __enter__(self) -> Live:
        self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def match_started(self, match: MatchRecord) -> None:
        """Counted; a seat that waits for somebody is named above the view."""
        self.tally.match_started(match)
        for line in by_hand(match, self._suffix):
            self.note(line)

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
        """Counted; one that could not be finished is named above the view."""
        self.tally.match_ended(match, status)
        if status != "finished":
            self.note(_unfinished(match, status, why))

    def note(self, line: str) -> None:
        """A line that stays, above the view."""
        self._console.print(styled((one_line(line), "yellow")))

    def _view(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        tally = self.tally
        if not tally.total:
            return styled("starting …")
        head = Table.grid(padding=(0, 2, 0, 0), expand=True)
        head.add_column(overflow="ellipsis", no_wrap=True)
        head.add_column(ratio=1)
        head.add_column(justify="right", no_wrap=True)
        head.add_row(
            styled((tally.run, "bold")),
            ProgressBar(total=tally.total, completed=tally.done),
            styled(f"{count(tally.done)} of {count(tally.total)} done"),
        )
        rows: list[RenderableType] = [head, styled(tally.sums(whole=True))]
        matches = sorted(tally.running.items())
        for number, (match, turn) in matches[:LISTED]:
            last = "" if turn is None else f"{turn.seat}: {turn.action}"
            text = styled(
                (f"  match {number} · {match.game} · ply {turn.ply if turn else 0} · {one_line(last)}", "dim")
            )
            text.truncate(self._console.width, overflow="ellipsis")
            rows.append(text)
        if len(matches) > LISTED:
            rows.append(styled((f"  and {len(matches) - LISTED} more", "dim")))
        return Group(*rows)


def shown_for(look: Look, *, live: bool, suffix: str) -> Shown:
    """The progress for this output; `suffix` ends the commands that it tells."""
    return Live(suffix=suffix) if live else Lines(look, suffix=suffix)


def by_hand(match: MatchRecord, suffix: str) -> list[str]:
    """How the seats of a match are played that wait for a person, a line for each."""
    return [
        f"match {match.id}: {seat.seat} is played by hand ({one_line(seat.label)}), in another terminal: "
        f"{program()} play {match.id} --seat {seat.seat}{suffix}"
        for seat in match.seats
        if seat.kind == "human"
    ]


def _unfinished(match: MatchRecord, status: str, why: str | None) -> str:
    return f"match {match.id}: {status}" + (f": {one_line(why)}" if why else "")


def result(match: MatchRecord) -> str:
    """How a finished match ended, with the labels of those who came first."""
    if not match.outcome:
        return match.status
    labels = {seat.seat: one_line(seat.label) for seat in match.seats}
    winners = [f"{labels.get(seat, seat)} ({seat})" for seat in match.outcome["winners"]]
    return f"{first_place(winners, match.outcome.get('reason'))} in {several(match.plies, 'turn', 'turns')}"
