"""Rates players with other libraries: `python rate.py PEER FITS`, which `tests.bench.ratings` runs.

Standard input is one JSON object: `players` (how many) and `matches`, each a list of players, the winner first. Prints
`{"seconds": s, "strengths": [...]}`: processor time of FITS fits of all matches, and what the last one found.
"""

from __future__ import annotations

import json
import sys
import time

Found = list[float]


def choix(players: int, matches: list[list[int]]) -> Found:
    """The winner-only model (Luce's choice axiom), one strength a player, no seats, no intervals."""
    import choix as peer

    choices = [(first, rest) for first, *rest in matches]
    return [float(value) for value in peer.ilsr_top1(players, choices, alpha=0.01)]


def openskill(players: int, matches: list[list[int]]) -> Found:
    """Plackett-Luce ratings that are moved on match by match: one pass."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(players)]
    for order in matches:
        teams = model.rate([[ratings[player]] for player in order], ranks=[0, *[1] * (len(order) - 1)])
        for player, team in zip(order, teams, strict=True):
            ratings[player] = team[0]
    return [float(rating.mu) for rating in ratings]


def main(peer: str, fits: int) -> None:
    """Fit once to warm up, then measure."""
    given = json.load(sys.stdin)
    fit = {"choix": choix, "openskill": openskill}[peer]
    fit(given["players"], given["matches"][:50])
    begun = time.process_time()
    for _ in range(fits):
        strengths = fit(given["players"], given["matches"])
    print(json.dumps({"seconds": time.process_time() - begun, "strengths": strengths}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
