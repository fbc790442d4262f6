"""The tournament file: YAML into strict values, with one line for whatever is wrong with it."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.spec.changes import Change, differences, going_on
from harness.spec.check import check_personas, complete_options, resolve
from harness.spec.faults import FieldError, SpecError, fault_of, printable, shown
from harness.spec.identity import identity
from harness.spec.models import (
    Budget,
    BudgetPart,
    GameEntry,
    Interface,
    Limit,
    Talk,
    Tournament,
)
from harness.spec.players import PlayerSpec, Price
from harness.spec.reader import MAX_BYTES, read_yaml
from harness.spec.scheduling import Added, Gauntlet, Until
from harness.spec.stored import stored

__all__ = [
    "Added",
    "Budget",
    "BudgetPart",
    "Change",
    "GameEntry",
    "Gauntlet",
    "Interface",
    "Limit",
    "PlayerSpec",
    "Price",
    "SpecError",
    "Talk",
    "Tournament",
    "Until",
    "complete_options",
    "differences",
    "going_on",
    "guests",
    "identity",
    "load",
    "parse",
    "read_source",
    "resolve",
    "stored",
]


def load(path: str | Path) -> Tournament:
    """The tournament file at a path, checked and with every default filled in. Raises `SpecError`."""
    return parse(read_source(path), str(path))


def read_source(path: str | Path) -> str:
    """The file's text. Raises `SpecError` for what is no readable text file of a sensible size."""
    name = printable(str(path))
    try:
        # Looked at before it is opened: opening a named pipe waits for whoever writes to it.
        mode = Path(path).stat().st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode)):
            raise ValueError("no regular file; name a tournament file, as runs/bots.yaml")
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SpecError(f"{name}: no such file; name a tournament file, as runs/bots.yaml") from None
    except IsADirectoryError:
        raise SpecError(f"{name}: a directory, not a tournament file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError(f"{name}: cannot be read: {printable(why)}") from None
    if len(raw) > MAX_BYTES:
        raise SpecError(f"{name}: larger than {MAX_BYTES:,} bytes; a tournament file is a page or two")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"{name}: not UTF-8 text (byte {error.start + 1}); a tournament file is YAML") from None


def parse(text: str, name: str) -> Tournament:
    """A tournament file's text, checked and with every default filled in. Raises `SpecError`.

    `name` is the file's name: errors begin with it, and less its ending it is the name of a run that gives none.
    """
    try:
        return resolve(_validated(_mapping(read_yaml(text)), Path(name).stem))
    except FieldError as fault:
        raise SpecError(f"{printable(name)}: {fault}") from None


def guests(text: str, name: str) -> tuple[PlayerSpec, ...]:
    """The players of a tournament file's text, which may have nothing else. Raises `SpecError`.

    `name` is the file's name: errors begin with it.
    """
    try:
        players = _Guests.model_validate(_mapping(read_yaml(text))).players
        labels = [player.label for player in players]
        for index, label in enumerate(labels):
            if label in labels[:index]:
                raise FieldError(f"players[{index}].label", f"{shown(label)} stands here already; label each once")
        check_personas(players)
        return players
    except ValidationError as error:
        raise SpecError(f"{printable(name)}: {fault_of(error, _Guests)}") from None
    except FieldError as fault:
        raise SpecError(f"{printable(name)}: {fault}") from None


class _Guests(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    players: Annotated[tuple[PlayerSpec, ...], Field(strict=False, min_length=1, max_length=1000)]


def _mapping(data: Any) -> dict[str, Any]:
    if data is None:
        raise FieldError("", "empty; a tournament file has at least games and players")
    if not isinstance(data, dict):
        raise FieldError("", f"{shown(data)} is not a mapping; a tournament file has keys such as games and players")
    return data


def _validated(data: dict[str, Any], stem: str) -> Tournament:
    try:
        return Tournament.model_validate({"name": stem, **data})
    except ValidationError as error:
        fault = fault_of(error, Tournament)
    if fault.path == "name" and "name" not in data:
        fault = FieldError("name", f"missing, and the file's own name will not do: {fault.what}")
    raise fault
