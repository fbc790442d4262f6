"""The options of the trap race."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

PIECES, TRAPS, NEUTRAL_TRAPS = 15, 10, 3
"""What each side sets up: pieces, traps, and how many of the traps at most on the neutral row."""
POOL, PIECE_POINTS = 10, 3
"""Movement points of a turn, and how many of them one piece may spend."""
GOALS = 5
"""Pieces home that win; also the fewest that a side must still be able to bring home."""
TOKENS = 2
"""The most nerf tokens a side may have, held and to come."""
NERF_COST = POWER_COST = 3
STEPS = 2
"""What a box of extra steps adds."""


class Options(BaseModel):
    """Options as a tournament file or a position gives them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    cap: int = Field(200, ge=1, lt=2**53, description="player-turns after which the match ends by score")
    water: float = Field(0.12, ge=0, le=0.3, description="share of water tiles")
    forest: float = Field(0.22, ge=0, le=0.7, description="share of forest tiles")
    setup_seconds: int = Field(
        120, ge=1, lt=2**53, description="seconds that a person has for the setup; the rest is then placed by chance"
    )
    attrition: Literal["reach", "alive"] = Field(
        "reach",
        description="who loses at once: a side whose living and scored pieces together are fewer than 5, "
        "or one with fewer than 5 living",
    )


class Settings(NamedTuple):
    """The options as a plain value for the hot path; the fields are those of `Options`."""

    cap: int
    water: float
    forest: float
    setup_seconds: int
    attrition: str


def read_options(options: Any) -> Settings:
    """Options from what a caller hands in: an `Options`, a mapping, or None for the defaults.

    Raises pydantic's `ValidationError`; `games.faults.first_fault` puts it into one line.
    """
    if not isinstance(options, Options):
        options = Options.model_validate({} if options is None else options)
    return Settings(options.cap, options.water, options.forest, options.setup_seconds, options.attrition)
