"""Keys: from the environment or a `.env` file of the working directory, never from a tournament file, never stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.spec import PlayerSpec

_WAYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "openai": (("OPENAI_API_KEY",),),
    "anthropic": (("ANTHROPIC_API_KEY",),),
    "gemini": (("GEMINI_API_KEY",), ("GOOGLE_API_KEY",)),
    "groq": (("GROQ_API_KEY",),),
    "openrouter": (("OPENROUTER_API_KEY",), ("OR_API_KEY",)),
    "mistral": (("MISTRAL_API_KEY",),),
    "deepseek": (("DEEPSEEK_API_KEY",),),
    "xai": (("XAI_API_KEY",),),
    "together_ai": (("TOGETHERAI_API_KEY",), ("TOGETHER_API_KEY",), ("TOGETHER_AI_API_KEY",)),
    "fireworks_ai": (("FIREWORKS_API_KEY",), ("FIREWORKS_AI_API_KEY",)),
    "cohere": (("COHERE_API_KEY",), ("CO_API_KEY",)),
    "cohere_chat": (("COHERE_API_KEY",), ("CO_API_KEY",)),
    "perplexity": (("PERPLEXITYAI_API_KEY",), ("PERPLEXITY_API_KEY",)),
    "cerebras": (("CEREBRAS_API_KEY",),),
    "deepinfra": (("DEEPINFRA_API_KEY",),),
    "bedrock": (("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), ("AWS_BEARER_TOKEN_BEDROCK",), ("AWS_PROFILE",)),
}
"""For each provider the ways to give it a key; one way is variables that are needed together. The first is
suggested."""
_REGION = ("AWS_REGION_NAME", "AWS_REGION", "AWS_DEFAULT_REGION")
_AMAZON = ("bedrock", "bedrock_converse")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHAPES = re.compile(
    r"(?:sk|pk|rk|gsk|xai|hf)[-_][A-Za-z0-9_\-*.]{12,}|AIza[\w\-]{20,}|A[KS]IA[A-Z0-9]{12,}"
    r"|(?i:bearer)\s+[\w\-.~+/=]{12,}"
)
HIDDEN = "[key]"


def load_keys(folder: Path | None = None) -> None:
    """Read `.env` of the working directory (or of `folder`) into the environment, which wins where both have a name."""
    from dotenv import load_dotenv

    file = (folder or Path.cwd()) / ".env"
    if file.is_file():
        load_dotenv(file, override=False, interpolate=False)


def provider_of(model: str) -> str:
    """The provider by the model's prefix; of a bare name by how the well-known ones begin, else the empty string."""
    head, slash, _ = model.partition("/")
    if slash:
        return head
    for start, provider in (("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("claude", "anthropic")):
        if model.startswith(start):
            return provider
    return ""


def missing_key(player: PlayerSpec) -> str | None:
    """What is missing to call this player's model, in a phrase naming the variable to set; None if nothing is.

    Looks at the environment and at `.env` of the working directory, and asks nobody.
    """
    from harness.local import is_local

    if player.model is None or is_local(player.model):
        return None
    load_keys()
    where = "in the environment or a .env file"
    if player.api_key_env is not None:
        if os.environ.get(player.api_key_env):
            return None
        return f"api_key_env names {player.api_key_env}, which is not set {where}"
    provider = provider_of(player.model)
    if player.api_base is not None and provider not in _AMAZON:
        return None
    ways = _WAYS.get("bedrock" if provider in _AMAZON else provider)
    if ways is None:
        return _missing_by_library(player.model, where)
    by_file = provider in _AMAZON and Path("~/.aws/credentials").expanduser().is_file()
    if not by_file and not any(all(os.environ.get(name) for name in way) for way in ways):
        wanted = " or ".join(" and ".join(way) for way in ways)
        return f"{wanted} is not set {where}; {player.model} needs it"
    if provider in _AMAZON and not (
        any(os.environ.get(name) for name in _REGION) or "aws_region_name" in player.params
    ):
        return f"AWS_REGION_NAME is not set {where}; {player.model} needs it"
    return None


def _missing_by_library(model: str, where: str) -> str | None:
    from harness.gateway.library import library

    try:
        found: dict[str, Any] = library().validate_environment(model=model)
    except Exception:
        return None
    lacking = [str(name) for name in found.get("missing_keys") or ()]
    if found.get("keys_in_environment") or not lacking:
        return None
    return f"{' and '.join(lacking)} is not set {where}; {model} needs it"


def key_of(player: PlayerSpec) -> str | None:
    """The key to send for this player; None where the library is to find the provider's own.

    To an address of the file's own (`api_base`) no key goes but one that the player names: the provider's key in the
    environment is none of that server's business.
    """
    if player.api_key_env is not None:
        return os.environ.get(player.api_key_env) or "none"
    if player.api_base is not None and provider_of(player.model or "") not in _AMAZON:
        return "none"
    return None


def secrets(also: Iterable[str] = ()) -> tuple[str, ...]:
    """The values of the environment that no record may hold, longest first."""
    names = set(also)
    found = {value for name, value in os.environ.items() if len(value) >= 8 and (name in names or _SECRET.search(name))}
    return tuple(sorted(found, key=len, reverse=True))


def redact(text: str, hidden: Iterable[str]) -> str:
    """The text without those values, and without what has the shape of a key."""
    for value in hidden:
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)
