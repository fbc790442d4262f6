"""What every part of the tournament file is made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]

MAX_MATCHES = 100_000

Positive = Annotated[int, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
PositiveAmount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Matches = Annotated[int, Field(gt=0, le=MAX_MATCHES)]


class Strict(BaseModel):
    """Values that never change, are never coerced, and know every key that may stand in them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
