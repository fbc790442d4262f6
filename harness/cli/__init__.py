"""The `parley` command.

This module imports click alone, so that `parley --help` answers at once; each command is loaded when it is called.

Exit status: 0 done, 1 unfinished or a difference or a failed call, 2 bad input, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Never

import click

COMMANDS: dict[str, tuple[str, str, str]] = {
    "games": ("games", "command", "List the games: seats, options, bots, scenarios."),
    "check": ("check", "command", "Check a tournament file, and with --call each of its models."),
    "forecast": ("forecast", "command", "Say what a tournament will take: calls, tokens, money, time."),
    "run": ("run", "command", "Play a tournament file, or go on with it."),
    "resume": ("resume", "command", "Play what is left of a run; needs no file."),
    "pause": ("pause", "command", "Ask whoever plays a run to stop."),
    "play": ("play", "command", "Answer for a human seat of a running match."),
    "runs": ("runs", "runs", "List the runs in the database."),
    "show": ("runs", "show", "Show a run with its matches, or one match."),
    "replay": ("replay", "command", "Step through a match in the terminal."),
    "export": ("export", "command", "Write a match as a page, or runs as tables or chats."),
    "import": ("import_runs", "command", "Take runs in from tables that `parley export --jsonl` wrote."),
    "find": ("moments", "command", "Find what was said, done or happened in a run."),
    "fork": ("fork", "command", "Play on from any ply of a match, by the same players or others."),
    "verify": ("verify", "command", "Play every log again and compare every hash."),
    "leaderboard": ("leaderboard", "command", "Rank the players: chances to win with their intervals."),
    "pledges": ("pledges", "command", "Judge the pledges, and say how much a pledge says."),
    "behaviour": ("behaviour", "command", "Measure how the players play: gifts, strikes, talk, costs."),
    "report": ("report", "command", "Write a run's figures and charts as one HTML file."),
    "doctor": ("doctor", "command", "Show what went wrong in a run, and where to look."),
    "void": ("void", "command", "Keep a match, but never count it."),
    "rm": ("rm", "command", "Take a run away, with all that belongs to it."),
    "backup": ("backup", "command", "Copy the database, also while runs are being played."),
    "dashboard": ("dashboard", "command", "Open the dashboard on this machine's loopback address."),
    "local": ("local", "command", "Start a local model and keep it running."),
}
"""Each command: its module in this package, the name in it, and its line in the help."""

_BAD_INPUT: tuple[tuple[str, str], ...] = (
    ("harness.spec", "SpecError"),
    ("harness.store", "StoreError"),
    ("harness.local", "LocalModelError"),
    ("harness.fork", "ForkError"),
    ("harness.find", "BadQuery"),
    ("harness.behaviour.tables", "MeasureFailed"),
    ("harness.data.measures", "BadMeasures"),
    ("harness.data.write", "CannotWrite"),
    ("harness.data.lines", "BadImport"),
    ("games.api", "BadStart"),
    ("games.api", "BadPosition"),
)
"""Errors whose text is already the one line that the user needs."""


class _ReaderLeft(Exception):
    """Nobody reads the output any more."""


@contextmanager
def _reader_watched() -> Iterator[None]:
    """Keep from click that a reader has left, for which it would end with status 1."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderLeft from error


class LazyGroup(click.Group):
    """A group that knows its commands' names and help lines, and imports a command only to call it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names in the order of the table above: that of a first visit."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest name offered for one that is not known."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command named {_quoted(name)}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The help's list, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """As click does it, which is where it prints help."""
        with _reader_watched():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does it."""
        with _reader_watched():
            return super().invoke(ctx)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Never:
        """Run and exit. Every error becomes one line on standard error; a traceback is shown with `--verbose` alone."""
        given = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        _open_streams()
        for stream in (sys.stdout, sys.stderr):
            # An output whose encoding lacks a letter shows its escape; no such letter ends the command.
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            result = super().main(given, prog_name or "parley", **extra)
            sys.stdout.flush()
            status = result if isinstance(result, int) else 0
        except (_ReaderLeft, BrokenPipeError):
            # The reader has left (`parley runs | head`), which is no fault.
            from harness.cli.output import silence

            silence()
            status = 0
        except (KeyboardInterrupt, click.Abort):
            status = 130
        except click.exceptions.NoArgsIsHelpError as error:
            # Its message is the whole help, in lines.
            click.echo(error.format_message(), err=True)
            status = 2
        except click.ClickException as error:
            path = getattr(error, "ctx", None)
            where = path.command_path.removeprefix("parley").strip() if path else ""
            _say(f"{where}: {error.format_message()}" if where else error.format_message())
            status = error.exit_code if error.exit_code == 1 else 2
        except Exception as error:
            status = _failed(error, verbose="--verbose" in given or "-v" in given)
        sys.exit(status)


def _open_streams() -> None:
    """Where standard output or error was closed (`>&-`), what goes there is written nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _failed(error: Exception, *, verbose: bool) -> int:
    """Tell of an error; 2 if it is one of those that name bad input, else 1."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if verbose:
        import traceback

        click.echo(_safe("".join(traceback.format_exception(error))), err=True)
    for module, name in _BAD_INPUT:
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(error, kind):
            _say(str(error))
            return 2
    hint = "" if verbose else " (`parley --verbose …` shows where)"
    _say(f"{type(error).__name__}: {error}{hint}")
    return 1


def _say(line: str) -> None:
    """One line on standard error, whatever the text holds."""
    click.echo(f"parley: {' '.join(_safe(line).split())}", err=True)


def _safe(text: str) -> str:
    from harness.cli.output import plain

    return plain(text)


def _quoted(text: str) -> str:
    return f"'{text}'"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("parley-harness")
    except PackageNotFoundError:
        return "unknown"


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"parley {_version()}")
        ctx.exit()


@click.group(
    "parley",
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="RUN is a run's name, MATCH the number of a match (`parley show RUN` lists them). "
    "Every command explains itself: parley COMMAND --help.",
)
@click.option("-v", "--verbose", is_flag=True, help="Log each call, and show the traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def main(verbose: bool) -> None:
    """Language models play games of nerve against each other; every move is logged and can be played again."""
    import logging

    # Other libraries speak of addresses, headers and bodies, in which keys and prompts may stand: they are heard only
    # where something is wrong.
    logging.basicConfig(
        level=logging.WARNING if verbose else logging.ERROR,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    logging.getLogger("harness").setLevel(logging.DEBUG if verbose else logging.ERROR)
