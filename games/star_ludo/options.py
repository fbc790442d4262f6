"""The options of star ludo."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from games.chance import SEED_LIMIT


class Options(BaseModel):
    """Options as a tournament file or a position gives them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    cap: int = Field(2000, ge=1, lt=SEED_LIMIT, description="rolls after which the match ends, whoever leads")
    extra: Literal["one", "stack"] = Field(
        "one", description="several reasons for an extra turn in one turn earn one together, or one each"
    )


class Settings(NamedTuple):
    """The options as a plain value for the hot path; the fields are those of `Options`."""

    cap: int
    extra: str


def read_options(options: Any) -> Settings:
    """Options from what a caller hands in: an `Options`, a mapping, or None for the defaults.

    Raises pydantic's `ValidationError`; `games.faults.first_fault` puts it into one line.
    """
    if not isinstance(options, Options):
        options = Options.model_validate({} if options is None else options)
    return Settings(options.cap, options.extra)
