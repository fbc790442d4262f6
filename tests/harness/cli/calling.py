"""Calling `parley`: inside this process, as a process on pipes, and as a process on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from fcntl import ioctl
from pathlib import Path
from typing import Any, NamedTuple, Self

from click.testing import CliRunner

from harness.cli import main

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
PATIENCE = 30.0
"""Seconds after which something that does not come counts as a failure."""


class Call(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output, read as JSON."""
        return json.loads(self.out)


def invoke(*args: str, env: Mapping[str, str | None] | None = None, stdin: str | None = None) -> Call:
    """The command inside this process; its output is no terminal."""
    result = CliRunner().invoke(main, list(args), env=env, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Call(result.exit_code, result.stdout, result.stderr)


def command(*args: str) -> list[str]:
    """The installed command's own script, as a shell would find it."""
    return [str(Path(sys.executable).with_name("parley")), *args]


def environment(**more: str) -> dict[str, str]:
    """This process's environment with a terminal of 80 columns in it."""
    return {**os.environ, "TERM": "xterm-256color", **more}


def piped(*args: str, stdin: str | None = None, **env: str) -> Call:
    """The command as a process of its own, its output on pipes."""
    done = subprocess.run(
        command(*args), capture_output=True, text=True, input=stdin, timeout=PATIENCE * 2, env=environment(**env)
    )
    return Call(done.returncode, done.stdout, done.stderr)


class Terminal:
    """The command as a process of its own on a terminal of a given size."""

    def __init__(self, *args: str, columns: int = 80, rows: int = 50, **env: str) -> None:
        self.raw = ""
        self._pid, self._file = pty.fork()
        if self._pid == 0:
            arguments = command(*args)
            os.execve(arguments[0], arguments, environment(**env))
        ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._file)

    @property
    def text(self) -> str:
        """All that was written so far, without escape sequences and carriage returns."""
        return ESCAPES.sub("", self.raw).replace("\r", "")

    @property
    def screen(self) -> str:
        """What was written since the screen was last cleared."""
        return ESCAPES.sub("", self.raw.rpartition("\x1b[2J")[2]).replace("\r", "")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._file, keys.encode())

    def until(self, wanted: str) -> None:
        """Wait for a text on the screen."""
        end = time.monotonic() + PATIENCE
        while wanted not in self.screen:
            if not self._read(end):
                raise AssertionError(f"{wanted!r} did not come; the screen was:\n{self.screen}")

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.type("\x03")

    def end(self) -> int:
        """Wait for the end; the exit status."""
        end = time.monotonic() + PATIENCE
        while self._read(end):
            pass
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def _read(self, end: float) -> bool:
        """Read what comes next; False at the end of output. Raises `AssertionError` when nothing comes in time."""
        if not select.select([self._file], [], [], max(0.0, end - time.monotonic()))[0]:
            raise AssertionError(f"nothing more came; the screen was:\n{self.screen}")
        try:
            data = os.read(self._file, 65536)
        except OSError:
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
