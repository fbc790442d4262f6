"""Which views a report is made of, in their order."""

from __future__ import annotations

from typing import NamedTuple

from harness.views import alliances, behaviour, cost, failures, head_to_head, leaderboard, player, seats
from harness.views.results import View


class Part(NamedTuple):
    """One view in a report; `about` says in a sentence what it tells."""

    name: str
    title: str
    about: str
    view: View
    by_player: bool = False
    """It tells of one player, and is shown of each."""


PARTS = (
    Part(
        "leaderboard",
        "Leaderboard",
        "How often each player wins against an average table, apart from luck with seats and opponents, and how sure "
        "that is.",
        leaderboard.view,
    ),
    Part(
        "head-to-head",
        "Head to head",
        "Of each two players who wins more, how sure that is, and how many matches it would still take to tell "
        "them apart. A star marks pairs that are told apart.",
        head_to_head.view,
    ),
    Part(
        "cost",
        "Cost against strength",
        "What players take for how often they win. On the front is whom nobody beats: nobody wins as often for less.",
        cost.view,
    ),
    Part(
        "behaviour",
        "Behaviour",
        "How the players play, read from what was done: every measure that found anything, with its interval.",
        behaviour.view,
    ),
    Part(
        "alliances",
        "Alliances",
        "Who helped and who hurt whom by its own choice, and when in a match.",
        alliances.view,
    ),
    Part("seats", "Seats", "What each seat is worth, and who sat where how often.", seats.view),
    Part(
        "failures",
        "Failures and missing",
        "What became of every match, decision and call: what does not count, why, and whom it concerns.",
        failures.view,
    ),
    Part(
        "players",
        "Players",
        "Each player's profile: how it fares from each seat and against whom, and what became of its pledges.",
        player.view,
        by_player=True,
    ),
)
