"""How commands write: text made harmless, tables that fit, JSON that is stable.

A label, a message or an error may hold anything a model or a provider wrote. All of it passes `plain` or `one_line`,
and goes to the terminal as text that is never read as markup.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

LEAST = 16
"""A flexible column keeps so many characters before another column is left out for it."""
FOLDED = 6
"""So many it keeps in any case: the widest of the others are cut for it."""
HANGING = 2
"""By so much the later lines of a paragraph are indented."""
UNLIMITED = 100_000
"""Columns where nobody sets a width: what goes into a pipe or a file is one line a row."""


def plain(text: str) -> str:
    """Text without control, direction-changing or zero-width characters; line breaks stay."""
    from harness.reply import clean

    return clean(text)


def one_line(text: str) -> str:
    """The same on one line: for cells, titles and lists."""
    return " ".join(plain(text).split())


def is_terminal() -> bool:
    """Whether standard output is a terminal that understands cursor movement."""
    return terminal().is_terminal and not terminal().is_dumb_terminal


def terminal(*, err: bool = False) -> Console:
    """A console that reads nothing as markup, in colour only on a terminal and where `NO_COLOR` is not set."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            # Rich would end the process with status 1. That a reader has left is no fault, which `main` knows.
            raise

    console = Terminal(stderr=err, markup=False, emoji=False, highlight=False, soft_wrap=False)
    if not console.is_terminal and not console._environ.get("COLUMNS"):
        console.width = UNLIMITED
    return console


def say(*parts: str | tuple[str, str]) -> None:
    """Print one paragraph; a part is text, or text with a style.

    Where it needs several lines, the later ones are indented further than the first: nothing that a model wrote can
    break the line in such a way that the rest passes for a line of ours.
    """
    from rich.padding import Padding
    from rich.text import Text

    text = styled(*parts)
    margin = len(text.plain) - len(text.plain.lstrip(" "))
    console = terminal()
    lines = text.wrap(console, max(console.width - margin - HANGING, LEAST), overflow="fold")
    put(lines[0] if lines else Text())
    for row in lines[1:]:
        put(Padding(row, (0, 0, 0, margin + HANGING), expand=False))


def styled(*parts: str | tuple[str, str]) -> Text:
    """The parts, made harmless, as one piece of rich text."""
    from rich.text import Text

    return Text.assemble(*(plain(part) if isinstance(part, str) else (plain(part[0]), part[1]) for part in parts))


def complain(text: str) -> None:
    """One line on standard error, as every message of this command begins."""
    click.echo(f"parley: {one_line(text)}", err=True)


def emit(value: Any) -> None:
    """Print a value as JSON. Everything but ASCII is escaped, so that it is as harmless on a terminal as in a file."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


class Column(NamedTuple):
    """One column of a table. Where the terminal is too narrow, columns with the highest `spare` are left out first;
    0 is never left out. A `flexible` one is folded when all else is gone."""

    title: str
    number: bool = False
    spare: int = 0
    flexible: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, numbers to the right. A row is one line wherever the terminal is wide enough.

    A column that can be spared is left out too where it holds nothing but dashes.
    """
    from rich.cells import cell_len
    from rich.table import Table

    console = terminal()
    cells = [[_cell(cell) for cell in row] for row in rows]
    kept = [i for i in range(len(columns)) if not (columns[i].spare and cells and all(row[i] == "–" for row in cells))]
    wanted = list(kept)
    widths = [
        max(cell_len(text) for text in (columns[i].title, *(row[i] for row in cells))) for i in range(len(columns))
    ]

    def total() -> int:
        return sum((min(widths[i], LEAST) if columns[i].flexible else widths[i]) + 2 for i in kept) - 2

    while total() > console.width:
        spare = max(kept, key=lambda i: columns[i].spare)
        if columns[spare].spare == 0:
            break
        kept.remove(spare)
    folded = sum(min(widths[i], FOLDED) for i in kept if columns[i].flexible)
    cut = _cut([widths[i] for i in kept if not columns[i].flexible], console.width - folded - 2 * (len(kept) - 1))
    shown = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", show_edge=False)
    for i in kept:
        column = columns[i]
        shown.add_column(
            styled(column.title.rstrip()),
            justify="right" if column.number else "left",
            no_wrap=not column.flexible,
            max_width=None if column.flexible else max(1, min(widths[i], cut)),
            overflow="fold" if column.flexible else "ellipsis",
        )
    for row in cells:
        shown.add_row(*(styled(row[i]) for i in kept))
    put(shown)
    if kept != wanted:
        left = ", ".join(columns[i].title.strip() for i in wanted if i not in kept)
        say((f"(too narrow for: {left}; --json has all)", "dim"))


def _cut(widths: Sequence[int], room: int) -> int:
    """The width to which the widest of these are cut so that all have room; that of the widest if they have it."""
    left = sorted(widths)
    while left and sum(left) > room:
        # Those that are narrow enough keep theirs; the others share what they leave.
        if left[0] * len(left) > room:
            return room // len(left)
        room -= left.pop(0)
    return max(widths, default=0)


def _cell(text: str) -> str:
    """A cell's text on one line; blanks at its front, which indent it, stay."""
    return " " * (len(text) - len(text.lstrip(" "))) + one_line(text)


def silence() -> None:
    """Write nowhere from now on: whoever read the output has left, and the interpreter must not say so at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put(renderable: RenderableType) -> None:
    """Print a text or a table, without blanks at the ends of its lines."""
    console = terminal()
    with console.capture() as written:
        console.print(renderable)
    sys.stdout.write("".join(f"{row.rstrip()}\n" for row in written.get().split("\n")[:-1]))


def count(number: int | None) -> str:
    """A whole number with its thousands apart; a dash for none."""
    return "–" if number is None else f"{number:,}"


def several(number: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> several(1, "match", "matches"), several(1200, "match", "matches")
    ('1 match', '1,200 matches')
    """
    return f"{count(number)} {one if number == 1 else many}"


def span(seconds: float) -> str:
    """A duration for people.

    >>> span(0.4), span(75), span(7384)
    ('0.4s', '1m15s', '2h03m')
    """
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02}m"


def moment(at: datetime | None) -> str:
    """A time to the minute, in this machine's zone; a dash for none."""
    if at is None:
        return "–"
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone().strftime("%Y-%m-%d %H:%M")


def stamp(at: datetime | None) -> str | None:
    """A time for JSON: ISO 8601 in UTC."""
    if at is None:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
