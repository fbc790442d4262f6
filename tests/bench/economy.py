"""How many prompt tokens a decision takes in each game, and how many of them the server had in its prefix cache.

    python -m tests.bench.economy [HISTORY ...]

One short match of each game with the local model at two seats, for each setting of `history` named (without any, the
default of tournament files, `full`; a window that moves, as `last 2`, keeps less of a prefix). Tokens are counted by
the server that runs the model. A seat's first decision is left out: nothing of it can be in the cache yet. A chat
template may not begin a cached prompt anew, so the figures hold for servers that keep prefixes, as most do. Exit
status 1 if in some row less than 60 % came from the cache.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from games import GAMES
from harness.records import CallRecord
from harness.spec import parse
from harness.store import Store
from harness.tournament import run
from tests.harness.watching import Watching

GOAL = 0.60
OPTIONS = {
    "so_long_sucker": "options: {chips: 3}, players: [smol-a, smol-b, greedy, random]",
    "twenty_one": "players: [smol-a, smol-b]",
    "star_ludo": "seats: 2, options: {cap: 40}, players: [smol-a, smol-b]",
    "trap_race": "start: last_five, options: {cap: 16}, players: [smol-a, smol-b]",
}
FILE = """\
name: {game}
seed: 3
matches: 1
parallel: 1
seating: fixed
games: [{{game: {game}, {options}}}]
players:
  - {{label: smol-a, model: local/smollm2, params: {{temperature: 0.2, max_tokens: 200}}}}
  - {{label: smol-b, model: local/smollm2, params: {{temperature: 0.8, max_tokens: 200}}}}
{bots}talk: {{messages: 1, chars: 60, private: false, round: 0, per_match: 3}}
pledges: off
interface: {{legal: enum, thoughts: none, history: {history}, notes: false}}
"""
BOTS = "  - {label: greedy, bot: greedy}\n  - {label: random, bot: random}\n"


class Row(NamedTuple):
    """What one match took."""

    game: str
    history: str
    decisions: int
    prompt: float
    """Tokens a decision, from a seat's second one on."""
    cached: float
    """The share of them that came from the cache."""
    answer: float
    """Tokens of an answer."""


async def play(game: str, history: str, folder: Path) -> list[CallRecord]:
    """Play one match and give its calls."""
    bots = BOTS if "greedy" in OPTIONS[game] else ""
    text = FILE.format(game=game, options=OPTIONS[game], history=history, bots=bots)
    with Store.open(str(folder / f"{game}-{history}.db")) as store:
        result = await run(parse(text, "economy.yaml"), store, progress=Watching())
        if result.status != "finished":
            raise RuntimeError(f"{game}: {result.why}")
        return [call for match in store.matches(result.run_id) for call in store.calls(match.id or 0)]


def row_of(game: str, history: str, calls: list[CallRecord]) -> Row:
    """The sums of a match, without the first decision of each seat."""
    later = [call for call in calls if call.decision > 0 and call.prompt_tokens]
    prompt = sum(call.prompt_tokens or 0 for call in later)
    cached = sum(call.cached_tokens or 0 for call in later)
    answer = sum(call.completion_tokens or 0 for call in later)
    return Row(game, history, len(later), prompt / len(later), cached / prompt, answer / len(later))


def rows(histories: list[str]) -> Iterator[Row]:
    """Each game with each history."""
    with tempfile.TemporaryDirectory() as folder:
        for game in GAMES:
            for history in histories:
                yield row_of(game, history, asyncio.run(play(game, history, Path(folder))))


def main() -> int:
    """Print the table; the exit status."""
    print(f"{'game':<16}{'history':<10}{'decisions':>10}{'prompt tokens':>15}{'cached':>9}{'answer tokens':>15}")
    worst = 1.0
    for row in rows(sys.argv[1:] or ["full"]):
        worst = min(worst, row.cached)
        print(
            f"{row.game:<16}{row.history:<10}{row.decisions:>10}{row.prompt:>15,.0f}{row.cached:>9.1%}"
            f"{row.answer:>15.0f}",
            flush=True,
        )
    print(f"goal: at least {GOAL:.0%} cached from a seat's second decision on: {'met' if worst >= GOAL else 'missed'}")
    return int(worst < GOAL)


if __name__ == "__main__":
    sys.exit(main())
