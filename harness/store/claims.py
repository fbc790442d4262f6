"""Who plays a match: names of owners, and whether an owner on this machine is still alive."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

PAUSE_ASKED = "`parley pause` asked for it"
"""Why a run is paused that somebody asked to pause; the process that plays it looks for just this."""


def new_owner() -> str:
    """A name for one player of matches in this process: `host:pid:birth:nonce`.

    `birth` is when the process started, in the kernel's ticks, so that a later process of the same number is told
    apart; it is empty where there is no /proc.
    """
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_birth(pid)}:{secrets.token_hex(4)}"


def owner_shown(owner: str) -> str:
    """An owner as messages name it.

    >>> owner_shown("tower:4711:88:0a1b2c3d")
    'process 4711 on tower'
    """
    host, _, rest = owner.partition(":")
    return f"process {rest.partition(':')[0]} on {host}"


def is_gone(owner: str) -> bool:
    """Whether the owner was a process on this machine that has ended. False wherever that cannot be known."""
    parts = owner.split(":")
    if len(parts) < 2 or parts[0] != socket.gethostname() or not parts[1].isdecimal():
        return False
    pid = int(parts[1])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    state, birth = _stat(pid)
    if state in ("Z", "X"):
        return True
    known = parts[2] if len(parts) > 2 else ""
    return bool(known and birth and known != birth)


def _birth(pid: int) -> str:
    return _stat(pid)[1]


def _stat(pid: int) -> tuple[str, str]:
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ""
    # The second field, the command in parentheses, may itself hold blanks and parentheses.
    fields = line.rpartition(")")[2].split()
    return fields[0], fields[19]
