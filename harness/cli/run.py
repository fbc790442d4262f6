"""`parley run`: play a tournament file, or go on with it."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import signal
from typing import TYPE_CHECKING

import click

from harness.cli.find import opened
from harness.cli.gains import gain_in_words
from harness.cli.options import Whole, database, database_option, grace_option, program
from harness.cli.output import complain, count, is_terminal, one_line, plain, say, several, span
from harness.telling import money

if TYPE_CHECKING:
    from harness.cli.progress import Shown
    from harness.spec import Tournament
    from harness.store import Store
    from harness.tournament import RunResult

WHOLE = Whole(min=1)


@click.command(short_help="Play a tournament file, or go on with it.")
@click.argument("file", metavar="FILE")
@database
@click.option("--parallel", type=WHOLE, metavar="N", help="Matches at once, instead of the file's number.")
@click.option("--matches", type=WHOLE, metavar="N", help="Matches per game, instead of the file's number.")
@click.option("--seed", type=Whole(min=0), metavar="N", help="The seed, instead of the file's.")
@click.option("--fresh", is_flag=True, help="Begin anew beside a run of that name, as NAME-2.")
@click.option("--add-player", is_flag=True, help="Bring players of FILE whom the run has not had so far into it.")
@grace_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    db: str | None,
    parallel: int | None,
    matches: int | None,
    seed: int | None,
    fresh: bool,
    add_player: bool,
    grace: float,
) -> None:
    """Play the tournament that FILE describes. A run of its name that is in the database already is gone on with.

    --add-player extends it with matches that bring further players of FILE in, on the seeds that are there, until they
    have been at the table as often as the others. Nothing that is there is played again.

    Ctrl-C stops after the answers that are being waited for, or when the grace is over; a second one stops at once.
    Either way everything that was played is kept, and the same command goes on.
    """
    from harness.spec import parse, read_source

    if fresh and add_player:
        raise click.UsageError("--fresh begins a new run and --add-player goes on with one: give one of them")
    source = read_source(file)
    spec = parse(source, file)
    given = {"parallel": parallel, "matches": matches, "seed": seed}
    spec = spec.with_overrides(parallel=parallel, matches=matches, seed=seed)
    with opened(db, write=True) as store:
        if fresh or add_player or store.run(spec.name) is None:
            check_models(spec)
        again, suffix = shlex.join(_arguments(file, given)), database_option(db)
        begin = {"fresh": fresh, "add_player": add_player}
        if add_player:
            from harness.runs import growth

            say(gain_in_words(growth(spec, store)))
        ctx.exit(played(store, spec, source, again=again, suffix=suffix, grace=grace, **begin))


def played(store: Store, spec: Tournament, source: str, *, again: str, suffix: str, grace: float, **begin: bool) -> int:
    """Play a run and tell of its end. `again` are the arguments by which it goes on. The exit status.

    `begin` says how a run is begun or gone on with: `fresh`, `add_player`, as `harness.tournament.run` takes them.
    """
    run = _Run(store, spec, source, grace, suffix)
    result = run.play(**begin)
    name = run.shown.tally.run or one_line(spec.name)
    if name != one_line(spec.name):
        # A fresh run has a name that the file has not; the file's own name would go on with the run before it.
        again = f"resume {shlex.quote(name)}"
    if result is not None and result.status == "nothing":
        _print_nothing(result, again, suffix)
    elif result is not None and result.status != "taken":
        _print_summary(run.shown, result)
        _print_places(result.name, suffix)
    return _status(run, result, again, suffix)


def _verbose() -> bool:
    """Whether calls are logged: lines of a log and a view that is drawn over itself do not go together."""
    return bool(click.get_current_context().find_root().params.get("verbose"))


def check_models(spec: Tournament) -> None:
    """Refuse a file whose models cannot be asked before a run is made of it. Raises `SpecError`."""
    if any(player.kind == "model" for player in spec.players):
        from harness.models import check

        check(spec)


class _Run:
    """One go at a run, stopped by signals."""

    def __init__(self, store: Store, spec: Tournament, source: str, grace: float, suffix: str) -> None:
        from harness.cli.progress import shown_for
        from harness.tournament import Control

        self.store = store
        self.spec = spec
        self.source = source
        self.grace = grace
        self.stopped_by: int | None = None
        self.shown: Shown = shown_for(store.match, live=is_terminal() and not _verbose(), suffix=suffix)
        self._control = Control

    def play(self, **begin: bool) -> RunResult | None:
        """Play to the end or to the stop; None when a second Ctrl-C ended it at once."""
        try:
            return asyncio.run(self._play(**begin))
        except asyncio.CancelledError:
            self._mark_stopped()
            return None

    def _mark_stopped(self) -> None:
        """What was cut off is paused, not running: nobody plays it any more."""
        tally = self.shown.tally
        why = "stopped by hand"
        for match_id in tally.running:
            self.store.pause_match(match_id, why).result()
        record = self.store.run(tally.run) if tally.run else None
        if record is not None and record.id is not None:
            self.store.set_run(record.id, "paused", why).result()

    async def _play(self, **begin: bool) -> RunResult:
        from harness.tournament import run

        control = self._control(grace=self.grace)
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def stop(number: int) -> None:
            if self.stopped_by is None:
                self.stopped_by = number
                control.stop.set()
                self.shown.note("Stopping after the answers being waited for; Ctrl-C again stops at once.")
            else:
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            # Where an event loop cannot watch for signals, Ctrl-C ends the run at once, which loses nothing either.
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, stop, number)
        with self.shown:
            return await run(self.spec, self.store, source=self.source, progress=self.shown, control=control, **begin)


def _status(run: _Run, result: RunResult | None, again: str, suffix: str) -> int:
    """The exit status, with the line that explains one that is not 0."""
    if result is not None and result.status in ("finished", "nothing"):
        return 0
    name = result.name if result else run.spec.name
    if result is not None and result.status == "taken":
        complain(f"{name}: {result.why}; `{program()} pause {shlex.quote(one_line(name))}{suffix}` asks it to stop")
        return 1
    goes_on = f"{'to go on' if again.startswith('resume ') else 'the same command goes on'}: {program()} "
    if run.stopped_by is not None:
        _copyable(f"Stopped. Everything played so far is kept; {goes_on}{again}{suffix}")
        return 128 + run.stopped_by
    complain(f"{name} is not finished: {(result and result.why) or 'paused'}")
    _copyable(f"Everything played so far is kept; {goes_on}{again}{suffix}")
    return 1


def _print_summary(shown: Shown, result: RunResult) -> None:
    tally = shown.tally
    total = sum(result.counts.values())
    finished = result.counts.get("finished", 0)
    calls = (
        f", {several(tally.calls, 'call', 'calls')}, {several(tally.tokens, 'token', 'tokens')}, "
        f"{money(tally.usd, tally.unpriced)}"
        if tally.calls
        else ""
    )
    turns = several(tally.turns, "turn", "turns")
    say(
        (f"{result.name}: {count(finished)} of {several(total, 'match', 'matches')} finished", "bold"),
        f", {count(result.played)} of them now: {turns}{calls} in {span(tally.seconds)}.",
    )
    if result.status == "finished" and result.why:
        say(f"Stopped by its looks: {one_line(result.why)}.")


def _print_nothing(result: RunResult, again: str, suffix: str) -> None:
    total = sum(result.counts.values())
    what = "its only match is" if total == 1 else f"all {count(total)} matches are"
    say(f"{result.name}: nothing to play, {what} finished.")
    if result.why:
        say(f"Stopped by its looks: {one_line(result.why)}.")
    if again.startswith("run "):
        _copyable(f"  to play anew:   {program()} {again} --fresh{suffix}")
    _print_places(result.name, suffix)


def _print_places(name: str, suffix: str) -> None:
    shown = shlex.quote(one_line(name))
    for what, command in (
        ("who is best", f"leaderboard {shown}"),
        ("its matches", f"show {shown}"),
        ("in pictures", "dashboard"),
    ):
        _copyable(f"  {what + ':':<15} {program()} {command}{suffix}")


def _copyable(text: str) -> None:
    """A line with a command in it, left to the terminal to break, so that it can be copied whole."""
    click.echo(plain(text))


def _arguments(file: str, given: dict[str, int | None]) -> list[str]:
    """The arguments by which the same run goes on; never `--fresh`, which would begin another, nor `--add-player`,
    after which the run has the players."""
    options = [text for key, value in given.items() if value is not None for text in (f"--{key}", str(value))]
    return ["run", file, *options]
