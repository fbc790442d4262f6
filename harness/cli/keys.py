"""Single keys from a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator

_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)


def keys() -> contextlib.AbstractContextManager[Iterator[str]]:
    """The keys that are pressed, one by one, until the input ends; an arrow or such is one key.

    The terminal is asked once for single keys and gets its old manners back at the end, so that none that is typed
    ahead is lost. Ctrl-C raises `KeyboardInterrupt` as ever.
    """
    return contextlib.nullcontext(_by_click()) if sys.platform == "win32" else _by_terminal()


@contextlib.contextmanager
def _by_terminal() -> Iterator[Iterator[str]]:
    import termios

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    changed = termios.tcgetattr(file)
    changed[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(file, termios.TCSADRAIN, changed)
    try:
        yield _read(file)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _read(file: int) -> Iterator[str]:
    while data := os.read(file, 1024):
        yield from _KEY.findall(data.decode("utf-8", "replace"))


def _by_click() -> Iterator[str]:
    import click

    with contextlib.suppress(EOFError):
        while True:
            yield click.getchar()
