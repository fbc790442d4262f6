"""A PostgreSQL server of the tests' own: in a temporary folder, reached by a socket in it, gone afterwards."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path


class PrivateServer:
    """Made by `initdb` as a user without rights, since PostgreSQL refuses to run as root."""

    def __init__(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        if not found:
            raise RuntimeError("PostgreSQL is not installed; apt-get install postgresql")
        self._bin = found[-1].parent
        self._folder = Path(tempfile.mkdtemp(prefix="pg"))
        self._numbers = itertools.count(1)
        self._user: str | None = None
        if os.geteuid() == 0:
            self._user = "postgres"
            shutil.chown(self._folder, pwd.getpwnam("postgres").pw_uid)
        data = str(self._folder / "data")
        self._call("initdb", "-D", data, "-A", "trust", "-U", "parley", "--no-sync", "-E", "UTF8", "--locale=C")
        settings = f"-c listen_addresses='' -k {self._folder} -c fsync=off -c max_connections=200"
        self._call("pg_ctl", "-D", data, "-w", "-o", settings, "-l", str(self._folder / "log"), "start")

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"parley{next(self._numbers)}"
        self._call("createdb", "-h", str(self._folder), "-U", "parley", name)
        return f"postgresql://parley@/{name}?host={self._folder}"

    def restart(self) -> None:
        """Throw every connection out, at once."""
        self._call("pg_ctl", "-D", str(self._folder / "data"), "-w", "-m", "immediate", "restart")

    def stop(self) -> None:
        """End it and leave nothing behind."""
        self._call("pg_ctl", "-D", str(self._folder / "data"), "-w", "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(
            command, user=self._user, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode(errors='replace')}")
