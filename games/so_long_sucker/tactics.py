"""What the bots play: `greedy`'s choices, worked out from nothing but the observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from games.api import Json, Observation, Seat


def hand(view: Json, seat: Seat) -> dict[Seat, int]:
    """How many chips of each colour a seat holds, prisoners included; only colours it holds."""
    own = {seat: view["supply"][seat]} if view["supply"][seat] else {}
    return {**own, **view["prisoners"][seat]}


def chips_in_hand(view: Json, seat: Seat) -> int:
    """How many chips a seat holds, prisoners included."""
    return sum(hand(view, seat).values())


def others(seen: Observation) -> list[Seat]:
    """The living players but the bot itself, in seat order."""
    return [seat for seat in seen.view["alive"] if seat != seen.seat]


def can_donate(view: Json, seat: Seat) -> bool:
    """Whether a seat holds something that it may donate."""
    held = hand(view, seat)
    return any(colour != seat for colour in held) if view["options"]["donors"] == "prisoners" else bool(held)


def greedy_action(seen: Observation) -> str:
    """The rulebook's `greedy`: ties go to the action that stands first in the legal list."""
    choose: Mapping[str, Callable[[Observation], str]] = {
        "play": _play,
        "kill": _kill,
        "next": _give_turn,
        "ask": lambda asking: asking.legal[0],
        "answer": lambda _: "refuse",
    }
    return choose[seen.view["phase"]](seen)


def cheapest_gift(seen: Observation) -> str:
    """The donation that costs least: a prisoner before a chip of the own colour, else the first in the legal list."""
    gifts = [action for action in seen.legal if action != "refuse"]
    prisoners = [action for action in gifts if action != f"donate {seen.seat}"]
    return (prisoners or gifts or ["refuse"])[0]


def _play(seen: Observation) -> str:
    piles = {str(pile["id"]): pile["chips"] for pile in seen.view["piles"]}
    mine: dict[str, int] = {}
    danger: dict[str, int] = {}
    for action in seen.legal:
        words = action.split(" ")
        colour, pile = words[1], piles.get(words[-1], [])
        captures = bool(pile) and pile[-1] == colour
        captor = _captor(seen, colour) if captures else None
        if captor == seen.seat:
            mine[action] = len(pile) + 1
        elif captures:
            # A pile handed to a rival is worse than any top; one that goes to the dead box leaves nothing to capture.
            danger[action] = 0 if captor is None else len(seen.seats)
        else:
            danger[action] = sum(colour in hand(seen.view, seat) for seat in others(seen))
    if mine:
        return max(mine, key=mine.__getitem__)
    return min(danger, key=danger.__getitem__)


def _captor(seen: Observation, colour: Seat) -> Seat | None:
    """Who gets a pile when the bot lays this matching colour; None if its owner is out and so nobody does."""
    if seen.view["options"]["captor"] == "mover":
        return seen.seat
    return colour if colour in seen.view["alive"] else None


def _kill(seen: Observation) -> str:
    rivals = others(seen)

    def wealth(action: str) -> int:
        colour = action.removeprefix("kill ")
        return chips_in_hand(seen.view, colour) if colour in rivals else -1

    return max(seen.legal, key=wealth)


def _give_turn(seen: Observation) -> str:
    """To the poorest opponent, who is the likeliest to run dry; to itself only if nobody else can be chosen."""

    def wealth(action: str) -> tuple[bool, int]:
        seat = action.removeprefix("next ")
        return seat == seen.seat, chips_in_hand(seen.view, seat)

    return min(seen.legal, key=wealth)
