"""What a person is told, in one line that names the player, what happened and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.gateway.errors import Failure
from harness.gateway.retry import Transient
from harness.gateway.types import Paused
from harness.records import Json
from harness.spec import PlayerSpec

_HAPPENED = {
    "rate_limit": "was held back by the provider's rate limit",
    "timeout": "did not answer in time",
    "server": "met an error of the provider's server",
    "connection": "lost the connection",
}

TOO_LONG = (
    "with no history left to leave out it is not asked the same again: `parley void` takes the match out, and a new "
    "run may have a model that reads more, or a shorter game"
)
"""What is said of a prompt that is too long for its model as short as it can be."""


def given_up(player: PlayerSpec, failure: Transient, made: int, seconds: float) -> Paused:
    """The pause after `made` requests in `seconds` that all failed."""
    if failure.hopeless_after is not None:
        said = f"has answered nobody for {failure.hopeless_after:.0f} s"
        if failure.retry_after is not None and failure.retry_after > failure.hopeless_after:
            said = f"asks all to wait {failure.retry_after:.0f} s"
        return Paused(failure.kind, f"{player.label}: {player.model} {said} ({failure.sentence}); run again to go on")
    times = "once" if made == 1 else f"{made} times in {seconds:.0f} s"
    asked = ""
    if failure.retry_after is not None and failure.retry_after > 1:
        asked = f"; it asks to wait {failure.retry_after:.0f} s"
    line = f"{player.label}: {_HAPPENED[failure.kind]} {times} ({failure.sentence}){asked}; run again to go on"
    return Paused(failure.kind, line)


def in_vain(player: PlayerSpec, questions: int, last: Paused) -> str:
    """The line for all matches of a player once so many questions in a row came to nothing."""
    said = last.why.removeprefix(f"{player.label}: ").removesuffix("; run again to go on")
    return (
        f"{player.label}: {questions} questions in a row came to nothing, so its matches pause and the others go on "
        f"(the last: {said}); run again to go on"
    )


def quota(failure: Failure) -> str:
    """What is said of every player of a server whose quota is spent, after its label."""
    return f"the quota is spent ({failure.sentence}); refill it and run again to go on"


def refused(player: PlayerSpec, failure: Failure, schema: Json | None) -> Paused:
    """The pause for a request that is not to be repeated as it is, with the provider's own sentence."""
    if failure.kind == "quota":
        return Paused("quota", f"{player.label}: {quota(failure)}")
    status = f" ({failure.status})" if failure.status is not None else ""
    line = f"{player.label}: {player.model} refused the request{status}: {failure.sentence}"
    if failure.kind == "bad_request" and schema is not None:
        values = [str(value) for value in _enum_values(schema)]
        if values:
            line += (
                f"; its answer schema lists {len(values)} values of {sum(map(len, values))} characters "
                "(interface: {legal: list} keeps them out of it)"
            )
    elif failure.kind == "auth":
        line += f"; look at {player.api_key_env or 'its key'}"
    elif failure.kind == "limit":
        line += "; lower its max_tokens or give it a shorter interface.history"
    elif failure.kind == "context":
        line += f"; {TOO_LONG}"
    return Paused(failure.kind, line, everyone=failure.kind in ("auth", "unknown_model"))


def cut(player: PlayerSpec, counted: int) -> str:
    """A server that seems to have cut a prompt."""
    return (
        f"{player.label}: {player.model} counted {counted} tokens for a prompt that cannot be so short; "
        "its server seems to cut prompts: give it a larger context window"
    )


def not_sent(player: PlayerSpec, names: str) -> str:
    """Parameters that were left out."""
    return f"{player.label}: {player.model} was not sent {names}: it takes no such parameter"


def _enum_values(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        values = node.get("enum")
        if isinstance(values, list):
            yield from values
        for inner in node.values():
            yield from _enum_values(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _enum_values(inner)
