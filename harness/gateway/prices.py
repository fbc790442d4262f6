"""What a call costs: the file's price, else what the provider says it charged, else litellm's table."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, NamedTuple

from harness.gateway.keys import provider_of
from harness.gateway.response import Usage
from harness.gateway.wire import Exchange
from harness.records import Json
from harness.spec import PlayerSpec, Tournament

_RATE = re.compile(
    r"(?P<side>input_cost_per_token|cache_creation_input_token_cost|output_cost_per_token|output_cost_per_reasoning_token)"
    r"(?:_above_\d+(?:k_tokens|hr))*(?P<tier>_[a-z]+)?"
)
"""The table's names for rates of text; the last part is a tier of service that has to be asked for."""


class Rates(NamedTuple):
    """USD per token, and what the worst case of a call is reckoned with (rates that rise with length, cache writes)."""

    input: float
    output: float
    cached: float
    worst_input: float
    worst_output: float
    source: Literal["file", "table", "free"]

    @property
    def nothing(self) -> bool:
        """Whether no call can cost anything. The table's nothing is not sure: the provider may charge all the same."""
        return self.source != "table" and self.worst_input == self.worst_output == 0

    def cost(self, prompt: int, cached: int, completion: int) -> float:
        """USD for that usage; `cached` are among `prompt`."""
        return self.input * max(0, prompt - cached) + self.cached * cached + self.output * completion

    def worst(self, prompt: int, completion: int) -> float:
        """USD that so many tokens cannot exceed."""
        return self.worst_input * prompt + self.worst_output * completion


def rates_of(player: PlayerSpec) -> Rates | None:
    """The player's rates; None if neither the file nor the table has any. Imports litellm if the table is asked."""
    from harness.local import is_local

    if player.price == "free" or (player.price is None and player.model is not None and is_local(player.model)):
        return Rates(0.0, 0.0, 0.0, 0.0, 0.0, "free")
    if player.price is not None:
        price = player.price
        rate = price.input / 1e6
        output = price.output / 1e6
        cached = rate if price.cached is None else price.cached / 1e6
        return Rates(rate, output, cached, max(rate, cached), output, "file")
    return _from_table(player)


def _from_table(player: PlayerSpec) -> Rates | None:
    from harness.gateway.library import library

    model = player.model or ""
    entry = _entry(library().model_cost, model)
    if entry is None:
        return None
    rate, output = _number(entry.get("input_cost_per_token")), _number(entry.get("output_cost_per_token"))
    if rate is None or output is None or (rate == 0 and output == 0 and not model.endswith(":free")):
        return None
    cached = _number(entry.get("cache_read_input_token_cost"))
    tier = player.params.get("service_tier")
    sides: dict[str, list[float]] = {"i": [rate], "c": [rate], "o": [output]}
    for name, value in entry.items():
        match = _RATE.fullmatch(name)
        if match is not None and match["tier"] in (None, f"_{tier}"):
            sides[match["side"][0]].append(_number(value) or 0.0)
    return Rates(
        rate,
        output,
        rate if cached is None else cached,
        max(sides["i"] + sides["c"]),
        max(sides["o"]),
        "table",
    )


def _entry(table: dict[str, Any], model: str) -> dict[str, Any] | None:
    provider = provider_of(model)
    bare = model.partition("/")[2] or model
    for name in (model, bare, bare.removeprefix("converse/")):
        entry = table.get(name)
        if isinstance(entry, dict) and (name == model or str(entry.get("litellm_provider", "")).startswith(provider)):
            return entry
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def charged(usage: object) -> float | None:
    """What the provider says that the call cost, in USD, if it says something that can be true."""
    return _number(usage.get("cost")) if isinstance(usage, dict) else None


def unknown(rates: Rates | None, worst: float) -> Json:
    """Cost of a request that may have been paid for: what was set aside for it."""
    if rates is None:
        return {"cost": None, "priced_by": "unknown"}
    return {"cost": worst, "priced_by": "free" if rates.source == "free" else "reserved"}


def nothing(rates: Rates | None) -> Json:
    """Cost of a request that the provider turned away."""
    return {"cost": 0.0, "priced_by": rates.source if rates is not None else "unknown"}


def paid(usage: Usage, response: Any, exchange: Exchange | None, rates: Rates | None, worst: float) -> Json:
    """Usage and cost of an answer, by the file's price, else what the provider says it charged, else the table."""
    counts: Json = {
        "prompt_tokens": usage.prompt,
        "cached_tokens": usage.cached,
        "completion_tokens": usage.completion,
        "reasoning_tokens": usage.reasoning,
    }
    if rates is not None and rates.source in ("file", "free") and usage.prompt is not None:
        cost = rates.cost(usage.prompt, usage.cached or 0, usage.completion or 0)
        return {**counts, "cost": cost, "priced_by": rates.source}
    said = charged(exchange.json.get("usage")) if exchange is not None else None
    if said is not None and (rates is None or rates.source == "table"):
        return {**counts, "cost": said, "priced_by": "provider"}
    if usage.prompt is None:
        return {**counts, **unknown(rates, worst)}
    if rates is None:
        return {**counts, "cost": None, "priced_by": "unknown"}
    hidden = getattr(response, "_hidden_params", None) or {}
    table = hidden.get("response_cost") if isinstance(hidden, dict) else None
    cost = rates.cost(usage.prompt, usage.cached or 0, usage.completion or 0)
    return {
        **counts,
        "cost": float(table) if isinstance(table, (int, float)) and table > 0 else cost,
        "priced_by": "table",
    }


def check_prices(spec: Tournament) -> list[str]:
    """A line for each model whose price nobody knows while a budget in money holds for it."""
    budget = spec.budget
    if budget is None:
        return []
    whole = budget.usd is not None or (budget.per_match is not None and budget.per_match.usd is not None)
    lines = []
    for index, player in enumerate(spec.players):
        own = budget.per_player.get(player.label)
        if player.model is None or not (whole or (own is not None and own.usd is not None)):
            continue
        if rates_of(player) is None:
            lines.append(
                f"players[{index}].price: nobody knows what {player.label} ({player.model}) costs, and the budget "
                "is in USD; give its price as {input: …, output: …} in USD per million tokens, or price: free"
            )
    return lines
