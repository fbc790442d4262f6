"""Who a player is, as a hash: what is pooled under one label must have been the same player throughout."""

from __future__ import annotations

import json
from hashlib import sha256

from harness.spec.base import Json
from harness.spec.players import PlayerSpec


def identity(player: PlayerSpec, *, prompts_hash: str, version: str) -> str:
    """A hash (32 hexadecimal digits) of all that makes a player who it is.

    For a model: its name, parameters, extra body, endpoint, persona, response format, prompt set and `version`. For a
    bot: its name and `version`; no prompt reaches it. For a human: the label, which is all that is known of them.
    Neither a key nor its variable, nor a price, nor a limit is part of it. `version` is what would change the player
    with nothing in the file changed: Parley's version for a model, the game and its rules' version for a bot.
    """
    return sha256(json.dumps(_basis(player, prompts_hash, version), sort_keys=True).encode()).hexdigest()[:32]


def _basis(player: PlayerSpec, prompts_hash: str, version: str) -> Json:
    if player.kind == "bot":
        return {"bot": player.bot, "version": version}
    if player.kind == "human":
        return {"human": player.label}
    return {
        "model": player.model,
        "params": player.params,
        "extra_body": player.extra_body,
        "api_base": player.api_base.rstrip("/") if player.api_base else None,
        "persona": player.persona,
        "response_format": player.response_format,
        "prompts": prompts_hash,
        "version": version,
    }
