"""The options of So Long Sucker: how many chips, and five switches with two presets for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

PRESETS: Mapping[str, Mapping[str, str]] = {
    "modern": {"captor": "mover", "choice": "table", "order": "deepest", "donors": "any", "heir": "rebound"},
    "classic": {"captor": "owner", "choice": "pile", "order": "latest", "donors": "prisoners", "heir": "rebound"},
}
"""What each preset sets the switches to. A switch named beside a preset overrides it."""


class Options(BaseModel):
    """Options as a tournament file or a position gives them; every switch left out takes its preset's value."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    chips: int = Field(7, ge=1, le=12, description="chips of the own colour at the start; 3 makes short games")
    rules: Literal["modern", "classic"] = Field("modern", description="the preset for the five switches")
    captor: Literal["mover", "owner"] = Field(
        "mover", description="who captures: the player who laid the matching chip, or the owner of its colour"
    )
    choice: Literal["table", "pile"] = Field(
        "table",
        description="the mover may choose who goes next when a living player's colour is missing from every pile, "
        "or from the pile just played on",
    )
    order: Literal["deepest", "latest"] = Field(
        "deepest",
        description="who goes next without a choice: the living owner of the deepest chip, "
        "or the one whose topmost chip lies deepest",
    )
    donors: Literal["any", "prisoners"] = Field("any", description="what may be donated: any chip, or prisoners only")
    heir: Literal["rebound", "clockwise"] = Field(
        "rebound", description="who moves after an elimination: whoever gave the move, or the next living seat"
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, data: Any) -> Any:
        """Fill the switches that were not named from the preset, so that a dumped position holds every value."""
        if not isinstance(data, dict):
            return data
        rules = data.get("rules", "modern")
        # An unknown preset (or one that cannot even be looked up) is left to the field's own check.
        return {**PRESETS[rules], **data} if isinstance(rules, str) and rules in PRESETS else data


class Switches(NamedTuple):
    """The resolved options as a plain value for the hot path; the fields are those of `Options`."""

    chips: int
    rules: str
    captor: str
    choice: str
    order: str
    donors: str
    heir: str


def read_options(options: Any) -> Options:
    """Options from what a caller hands in: an `Options`, a mapping, or None for the defaults.

    Raises pydantic's `ValidationError`; `games.faults.first_fault` puts it into one line.
    """
    if isinstance(options, Options):
        return options
    return Options.model_validate({} if options is None else options)


def switches(options: Options) -> Switches:
    """The same values as a plain tuple."""
    return Switches(**options.model_dump())
