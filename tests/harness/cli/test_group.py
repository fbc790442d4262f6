"""The command as a whole: help, errors, exit statuses, pipes."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import harness.cli
from harness.cli import COMMANDS
from tests.harness.cli.calling import command, environment, invoke, piped

# Another part of the project owns this command's module; its line in the help is held by its own tests.
OURS = [name for name in COMMANDS if name != "local"]


def test_help_names_every_command_and_imports_none() -> None:
    code = """\
import sys
from harness.cli import main
try:
    main(["--help"])
except SystemExit:
    print(sorted(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name, (_, _, line) in COMMANDS.items():
        assert f"  {name} " in done.stdout
        assert line in done.stdout
    for heavy in ("pydantic", "rich", "sqlmodel", "sqlalchemy", "litellm", "streamlit", "yaml", "jinja2"):
        assert f"'{heavy}'" not in done.stdout


@pytest.mark.parametrize("name", OURS)
def test_the_groups_line_is_the_commands_own(name: str) -> None:
    module, attribute, line = COMMANDS[name]
    loaded = getattr(import_module(f"harness.cli.{module}"), attribute)
    assert isinstance(loaded, click.Command)
    assert loaded.short_help == line


@pytest.mark.parametrize("name", OURS)
def test_every_command_explains_itself(name: str) -> None:
    called = invoke(name, "--help")
    assert called.status == 0
    assert called.out.startswith(f"Usage: parley {name}")


def test_version() -> None:
    called = invoke("--version")
    assert called.status == 0
    assert called.out == "parley 0.1.0\n"


def test_no_command_shows_the_help() -> None:
    called = invoke()
    assert called.status == 2
    assert called.err.splitlines()[0] == "Usage: parley [OPTIONS] COMMAND [ARGS]..."
    assert called.err == invoke("--help").out


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("gamse",), "parley: no command named 'gamse'; did you mean games?"),
        (("zzz",), "parley: no command named 'zzz'; there are games, check, forecast,"),
        (("games", "--jsn"), "parley: games: No such option '--jsn'. Did you mean '--json'?"),
        (("run",), "parley: run: Missing argument 'FILE'."),
        (
            ("run", "x.yaml", "--parallel", "0"),
            "parley: run: Invalid value for '--parallel': '0' is not a whole number from 1\n",
        ),
        (
            ("run", "x.yaml", "--seed", "x"),
            "parley: run: Invalid value for '--seed': 'x' is not a whole number from 0",
        ),
        (("run", "absent.yaml"), "parley: absent.yaml: no such file"),
        (("check", "absent.yaml"), "parley: absent.yaml: no such file"),
        (("runs",), "parley: there is no database at runs/parley.db"),
        (("runs", "--db", "redis://host/0"), "parley: database: 'redis' is not a kind that Parley knows"),
        (("runs", "--db", ""), "parley: database: the path is empty"),
        (
            ("dashboard", "--port", "0"),
            "parley: dashboard: Invalid value for '--port': '0' is not a whole number from 1 to 65535\n",
        ),
        (
            ("local", "--port", "http"),
            "parley: local: Invalid value for '--port': 'http' is not a whole number from 1 to 65535\n",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_2(args: tuple[str, ...], line: str) -> None:
    called = invoke(*args)
    assert called.status == 2
    assert called.out == ""
    assert called.err.startswith(line)
    assert called.err.count("\n") == 1


def test_an_unforeseen_error_is_one_line_and_verbose_shows_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(self: click.Group, ctx: click.Context, name: str) -> click.Command:
        raise OSError("the [red]disk[/]\nis \x1b[31mfull")

    monkeypatch.setattr(harness.cli.LazyGroup, "get_command", broken)
    called = invoke("runs")
    assert called.status == 1
    assert called.err == "parley: OSError: the [red]disk[/] is [31mfull (`parley --verbose …` shows where)\n"
    loud = invoke("--verbose", "runs")
    assert loud.status == 1
    assert "Traceback (most recent call last)" in loud.err
    assert "\x1b" not in loud.err


@pytest.mark.parametrize("args", [("runs", "--json"), ("runs",), ("replay", "1", "--all"), ("--help",)])
def test_a_reader_that_leaves_is_no_fault(db: str, args: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        command(*args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(PARLEY_DB=db)
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_is_no_fault(db: str, closed: str) -> None:
    line = f"{shlex.join(command('runs'))} {closed}"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, env=environment(PARLEY_DB=db), timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_that_the_encoding_has_no_letters_for(hostile: str) -> None:
    called = piped("replay", "1", "--all", "--db", hostile, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert called.status == 0, called.err
    assert "I promise to yarteb you" in called.out


def test_the_database_may_come_from_the_environment(db: str) -> None:
    assert invoke("runs", env={"PARLEY_DB": db}).out == invoke("runs", "--db", db).out
    assert invoke("runs", "--db", db, env={"PARLEY_DB": "/nowhere/else.db"}).status == 0
