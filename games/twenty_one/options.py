"""The options of towers to twenty-one."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """Options as a tournament file or a position gives them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    jokers: int = Field(
        3, ge=0, le=3, description="grey jokers a player; as many coloured stones a player are removed from the game"
    )
    tie_break: Literal["none", "closest"] = Field(
        "none",
        description="equal towers: a draw, or more own towers at exactly 21, then the smaller sum of own gaps to 21",
    )


class Settings(NamedTuple):
    """The options as a plain value for the hot path; the fields are those of `Options`."""

    jokers: int
    tie_break: str


def read_options(options: Any) -> Settings:
    """Options from what a caller hands in: an `Options`, a mapping, or None for the defaults.

    Raises pydantic's `ValidationError`; `games.faults.first_fault` puts it into one line.
    """
    if not isinstance(options, Options):
        options = Options.model_validate({} if options is None else options)
    return Settings(options.jokers, options.tie_break)
