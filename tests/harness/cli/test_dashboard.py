"""`parley dashboard`: on loopback, quiet, and gone when it is told to go."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from tests.harness.cli.calling import PATIENCE, command, environment, invoke


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


def until_healthy(port: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the dashboard did not come up")


def listening(pid: int) -> set[str]:
    """The addresses on which a process listens, in the kernel's hexadecimal."""
    sockets = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    inodes = {name[8:-1] for name in sockets if name.startswith("socket:[")}
    found = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            cells = row.split()
            if cells[3] == "0A" and cells[9] in inodes:
                found.add(cells[1].split(":")[0])
    return found


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_on_loopback_alone_and_stops_cleanly(
    db: str, port: int, tmp_path: Path, sent: signal.Signals
) -> None:
    process = subprocess.Popen(
        command("dashboard", "--db", db, "--port", str(port)),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(HOME=str(tmp_path)), cwd=tmp_path,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"Dashboard: http://127.0.0.1:{port}  (Ctrl-C stops it)\n"
        until_healthy(port, process)
        assert listening(process.pid) == {"0100007F"}
        assert Path(f"/proc/{process.pid}/environ").read_bytes().count(f"PARLEY_DB={db}".encode()) == 1
        process.send_signal(sent)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode in (0, -sent)
    assert "Traceback" not in err
    # Neither a question nor a settings file of the web server's own was left.
    assert "mail" not in out.lower()
    assert not list(tmp_path.glob(".streamlit/*"))
    with socket.socket() as again:
        assert again.connect_ex(("127.0.0.1", port)) != 0


def test_a_port_in_use_is_one_line(db: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        called = invoke("dashboard", "--db", db, "--port", str(port))
    assert (called.status, called.out) == (2, "")
    assert called.err.startswith(f"parley: dashboard: --port {port} is in use; name another, as --port ")
    assert called.err.count("\n") == 1
