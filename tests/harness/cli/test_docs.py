"""The page of the command line names all there is, and nothing that there is not."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli import COMMANDS, main
from tests.harness.cli.calling import invoke

PAGE = (Path(__file__).parents[3] / "docs" / "cli.md").read_text()


def loaded(name: str) -> click.Command:
    module, attribute, _ = COMMANDS[name]
    command: click.Command = getattr(import_module(f"harness.cli.{module}"), attribute)
    return command


def section(name: str) -> str:
    """What the page says of one command."""
    found = re.search(rf"^## `parley {name}\b.*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return found[0]


def options(command: click.Command) -> set[str]:
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in [*parameter.opts, *parameter.secondary_opts]
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_there(name: str) -> None:
    text = section(name)
    told = {option.split()[0] for option in re.findall(r"`(--?[a-z][^`]*)`", text.partition("| option |")[2])}
    assert told == options(loaded(name))
    for argument in loaded(name).params:
        if isinstance(argument, click.Argument):
            assert argument.make_metavar(click.Context(loaded(name))).strip("[].…") in text.splitlines()[0]


def test_no_other_command_is_there() -> None:
    assert re.findall(r"^## `parley (\w+)", PAGE, re.MULTILINE) == list(COMMANDS)


def test_the_groups_own_options_are_there() -> None:
    assert all(f"`{name}" in PAGE or f"parley {name}" in PAGE for name in options(main))


def keys(value: Any) -> set[str]:
    """The keys of a JSON value at every depth, but those of maps whose keys are data."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    known = [inner for key, inner in value.items() if not (key in DATA and isinstance(inner, dict))]
    return set(value).union(*map(keys, known))


DATA = ("seats", "places", "matches", "options", "settings", "versions", "pledges", "games", "not_counted", "winners")
"""Maps by seat, status, option, …: their keys are told of in words."""


@pytest.mark.parametrize(
    "args",
    [
        ("games",),
        ("runs",),
        ("show", "bots"),
        ("show", "1"),
        ("replay", "1"),
        ("verify", "bots"),
        ("verify", "1"),
        ("doctor", "bots"),
        ("pledges", "bots"),
        ("behaviour", "bots"),
    ],
)
def test_every_key_of_json_is_there(db: str, args: tuple[str, ...]) -> None:
    more = () if args[0] == "games" else ("--db", db)
    found = keys(invoke(*args, *more, "--json").json)
    text = section(args[0])
    assert found
    assert {key for key in found if f"`{key}`" not in text} == set()


def test_every_key_of_a_check_is_there(file: Path) -> None:
    found = keys(invoke("check", str(file), "--json").json)
    assert {key for key in found if f"`{key}`" not in section("check")} == set()
