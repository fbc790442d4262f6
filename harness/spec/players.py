"""Who plays: one entry of the tournament file's `players`, and what its tokens cost."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from harness.spec.base import Amount, Json, Label, Strict
from harness.spec.faults import LEFT_OUT, listing, shown
from harness.spec.params import check_params

Kind = Literal["model", "bot", "human"]


class Price(Strict):
    """USD per million tokens. `cached` is the price of a prompt token served from the provider's cache."""

    input: Amount
    output: Amount
    cached: Amount | None = None
    """None: as `input`."""


def _price_tag(value: object) -> str | None:
    if value == "free":
        return "«free»"
    return "«table»" if isinstance(value, dict | Price) else None


class PlayerSpec(Strict):
    """Who plays: exactly one of `model`, `bot`, `human`."""

    label: Label
    model: str | None = None
    """As litellm names it, `provider/model`; `local/name` or `local:/path/to/model.gguf` is run in the process."""
    bot: str | None = None
    human: Literal[True] | None = None
    params: Json = Field(default_factory=dict)
    """Passed with every call: `temperature`, `max_tokens`, …"""
    extra_body: Json = Field(default_factory=dict)
    """Passed in the body of every call, unread."""
    api_base: str | None = None
    api_key_env: str | None = None
    """The name of the environment variable that holds the key."""
    price: (
        Annotated[
            Annotated[Literal["free"], Tag("«free»")] | Annotated[Price, Tag("«table»")], Discriminator(_price_tag)
        ]
        | None
    ) = None
    """None: litellm's table."""
    persona: str | None = None
    response_format: Literal["auto", "json_schema", "json_object", "none"] = "auto"

    @property
    def kind(self) -> Kind:
        """What kind of player it is."""
        if self.model is not None:
            return "model"
        return "bot" if self.bot is not None else "human"

    @property
    def provider(self) -> str | None:
        """The part of the model's name that names the provider; None for bots, humans and a model named without one."""
        if self.model is None:
            return None
        if self.model.startswith("local:"):
            return "local"
        head, slash, _ = self.model.partition("/")
        return head if slash else None

    @field_validator("model", "bot")
    @classmethod
    def _word(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not value or not value.isprintable() or value != value.strip() or len(value) > 300:
            raise ValueError(f"{shown(value)} is not a name: at most 300 printing characters, no blank around them")
        return value

    @field_validator("model")
    @classmethod
    def _model_name(cls, value: str | None) -> str | None:
        if value is None:
            return None
        local = re.match(r"local[:/](.*)", value)
        if value == "local" or (local and not local[1].strip()):
            raise ValueError(f"{shown(value)} names no model; write local/smollm2 or local:/path/to/model.gguf")
        if value.startswith("local:") and not value.endswith(".gguf"):
            raise ValueError(f"{shown(value)} is not a file of weights; write local:/path/to/model.gguf")
        if not local and (" " in value or value.startswith("/") or value.endswith("/")):
            raise ValueError(f"{shown(value)} is not a model's name; write provider/model, as gemini/gemini-3-flash")
        return value

    @field_validator("api_base")
    @classmethod
    def _base(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            good = False
        if not good or not value.isprintable() or " " in value:
            raise ValueError(
                f"{shown(value)} is not the address of an endpoint; write https://host/v1 or http://127.0.0.1:8000/v1"
            )
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError(
                f"{LEFT_OUT} holds a user, a query or a fragment; write the bare address, "
                "and the key's variable in api_key_env"
            )
        return value

    @field_validator("api_key_env")
    @classmethod
    def _variable(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", value):
            raise ValueError(
                f"{LEFT_OUT} is not the name of an environment variable; write the name, as HOUSE_KEY, never the key"
            )
        return value

    @field_validator("human", mode="before")
    @classmethod
    def _human(cls, value: object) -> object:
        if value is None or value is True:
            return value
        raise ValueError(f"{shown(value)} is not true; a player that is no human leaves this key out")

    @field_validator("params")
    @classmethod
    def _params(cls, value: Json) -> Json:
        check_params(value)
        return value

    @model_validator(mode="after")
    def _one_kind(self) -> PlayerSpec:
        given = [key for key in ("model", "bot", "human") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of model, bot and human belongs here; given: {listing(given)}")
        only_models = ("params", "extra_body", "api_base", "api_key_env", "price", "persona", "response_format")
        idle = [key for key in only_models if getattr(self, key) not in (None, {}, "auto")]
        if self.kind != "model" and idle:
            raise ValueError(f"{listing(idle)}: only a player with a model has this; a {self.kind} has none")
        if self.provider == "local" and (self.api_base or self.api_key_env):
            raise ValueError(
                "api_base, api_key_env: a local model is run in the process and has no address; leave them out"
            )
        return self
