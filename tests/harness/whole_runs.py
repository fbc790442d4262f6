"""Runs to play from begin to end, with bots and with a provider on loopback, and what they came to."""

from __future__ import annotations

from typing import Any

from harness.spec import Tournament, parse
from harness.store import Store
from harness.tournament import RunResult, run
from harness.verify import verify
from tests.harness.watching import Watching
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback

BOTS = """
name: table
games: [{game: so_long_sucker, options: {chips: 2}}]
players:
  - {label: a, bot: greedy}
  - {label: b, bot: banker}
  - {label: c, bot: turncoat}
  - {label: d, bot: random}
"""


def bots(text: str = "") -> Tournament:
    return parse(BOTS + text, "table.yaml")


def house(loopback: Loopback, text: str = "", player: str = "") -> Tournament:
    """Two models behind the loopback provider, and two bots."""
    model = f"model: openai/any, api_base: {loopback.api_base}, api_key_env: HOUSE_KEY, price: free{player}"
    return parse(
        f"""
name: house
games: [{{game: so_long_sucker, options: {{chips: 2}}}}]
seating: fixed
players:
  - {{label: ann, {model}}}
  - {{label: bob, {model}}}
  - {{label: c, bot: turncoat}}
  - {{label: d, bot: random}}
{text}""",
        "house.yaml",
    )


async def go(spec: Tournament, store: Store, **more: Any) -> tuple[RunResult, Watching]:
    progress = more.pop("progress", None) or Watching()
    return await run(spec, store, progress=progress, **more), progress


def log_of(store: Store, run_id: int) -> list[Any]:
    """All that the matches of a run came to, without times and row numbers."""
    found = []
    for match in store.matches(run_id):
        assert match.id is not None
        turns = [turn.model_dump(exclude={"at", "call_id"}) for turn in store.turns(match.id)]
        messages = [message.model_dump(exclude={"call_id"}) for message in store.messages(match.id)]
        found.append((match.number, match.seed, match.outcome, turns, messages))
    return found


def verified(store: Store, run_id: int) -> None:
    for match in store.matches(run_id, with_start=True):
        assert match.id is not None
        assert verify(match, store.turns(match.id)) is None
