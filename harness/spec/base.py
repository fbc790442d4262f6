"""What every part of the tournament file is made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from harness.spec.faults import shown

Json = dict[str, Any]

MAX_MATCHES = 100_000
MAX_TEXT = 100
"""A label or a run's name has at most so many characters."""


def _name(value: str) -> str:
    """A label or a run's name: seen as it is typed, on every screen."""
    if not value.strip():
        raise ValueError(f"{shown(value)} is empty; give it at least one letter")
    if len(value) > MAX_TEXT:
        raise ValueError(f"{shown(value)} has {len(value)} characters; at most {MAX_TEXT}")
    odd = next((char for char in value if not char.isprintable()), None)
    if odd is not None:
        raise ValueError(
            f"{shown(value)} holds the character U+{ord(odd):04X}; only characters that print may stand here"
        )
    if value != value.strip():
        raise ValueError(f"{shown(value)} begins or ends with a blank; leave it out")
    return value


def run_name(value: str) -> str:
    """A run's name, as it is. Raises `ValueError` for one that cannot be shown, or that a command would misread."""
    _name(value)
    if value.isdigit():
        raise ValueError(f"{shown(value)} is all digits, which would be a match's number; add a letter")
    if value.startswith("-"):
        raise ValueError(f"{shown(value)} begins with a dash, which a command would take for an option")
    return value


Positive = Annotated[int, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
PositiveAmount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Label = Annotated[str, AfterValidator(_name)]
RunName = Annotated[str, AfterValidator(run_name)]
Matches = Annotated[int, Field(gt=0, le=MAX_MATCHES)]


class Strict(BaseModel):
    """Values that never change, are never coerced, and know every key that may stand in them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
