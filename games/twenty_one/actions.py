"""Actions as text: reading what was typed or written, which are legal, and the words for why one is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from games.api import UnreadableAction, even_out
from games.faults import quoted
from games.twenty_one.state import State, Tower
from games.twenty_one.stones import (
    ANNOUNCED,
    COLOURS,
    DIRECTIONS,
    FITS,
    GOAL,
    INDEX,
    JOKER,
    LINES,
    SEATS,
    SECOND_GRID,
    STONES,
    TOWER,
    VALUE,
)

FORMS = "take row N colours, take row N numbers, take column N colours, take column N numbers, place STONE on TOWER, \
replace STONE on TOWER, pass"


class Action(NamedTuple):
    """The words of an action that has the form of one; whether they make sense now is not said.

    `words` are direction, number and announcement of `take`, stone and tower of `place` and `replace`.
    """

    verb: str
    words: tuple[str, ...] = ()


TAKES: Mapping[tuple[str, str], tuple[str, ...]] = {
    line: tuple(f"take {line[0]} {line[1]} {kind}" for kind in ANNOUNCED) for line in LINES
}
"""The texts of taking each line."""
_LINES_OF: Mapping[str | None, tuple[tuple[str, str], ...]] = {
    None: tuple(LINES),
    **{direction: tuple(line for line in LINES if line[0] == direction) for direction in DIRECTIONS},
}
"""The lines of each direction, of both where none is settled yet."""
PLACE = tuple(tuple(f"place {stone} on {tower}" for tower in COLOURS) for stone in STONES)
REPLACE = tuple(tuple(f"replace {stone} on {tower}" for tower in COLOURS) for stone in STONES)
"""Action texts by stone and tower."""
NO_PLACE = "pass"


def read(text: str) -> Action:
    """The words of an action. Raises `UnreadableAction` for a text without the form of any."""
    return _KNOWN.get(text) or _read(text)


def _read(text: str) -> Action:
    evened = even_out(text)
    words = evened.split(" ")
    # Blanks of any other kind, such as a line break, part no words, and no word holds one.
    match words if words == evened.split() else []:
        case ["take", direction, line, announces]:
            return Action("take", (direction, line, announces))
        case ["place" | "replace" as verb, stone, "on", tower]:
            return Action(verb, (stone, tower))
        case ["pass"]:
            return Action("pass")
    raise UnreadableAction(f"{quoted(text)} has not the form of an action; the forms are: {FORMS}")


_KNOWN: Mapping[str, Action] = {
    text: _read(text) for texts in (*TAKES.values(), *PLACE, *REPLACE, (NO_PLACE,)) for text in texts
}
"""Every action there is, read once: most texts are one of these to the letter."""


def legal(state: State) -> tuple[str, ...]:
    """Every legal action of the seat to act, in the rulebook's order; empty when the match is over."""
    if state.to_act is None:
        return ()
    if state.phase == "take":
        return tuple(text for line in _lines(state, state.to_act) for text in TAKES[line])
    totals, towers = state.totals, state.towers
    places, replaces = [], []
    for stone in sorted(set(state.hands[state.to_act])):
        value, texts = VALUE[stone], PLACE[stone]
        for tower in FITS[stone]:
            total = totals[tower] + value
            if total > GOAL:
                top = towers[tower][-1]
                if top.stone == JOKER and total - GOAL <= top.counts < value:
                    replaces.append(REPLACE[stone][tower])
            elif stone != JOKER or _carries_joker(towers[tower], total):
                places.append(texts[tower])
    return (*places, *replaces) if places else (*replaces, NO_PLACE)


def _carries_joker(tower: Tower, total: int) -> bool:
    """Whether a joker may be placed on a tower that counts so much."""
    return bool(tower) and tower[-1].stone != JOKER and total + tower[-1].counts <= GOAL


def _lines(state: State, seat: int) -> list[tuple[str, str]]:
    """The lines that a seat may take now: any at first, then those of its direction that are left."""
    grid = state.grids[seat][state.round >= SECOND_GRID]
    return [line for line in _LINES_OF[state.direction[seat]] if grid[LINES[line][0]] is not None]


def objection(state: State, action: Action) -> str | None:
    """Why an action cannot be played now, in the game's words; None if it can. Tells of no stone but the own ones."""
    if state.to_act is None:
        return "the match is over"
    if state.phase == "take":
        if action.verb == "take":
            return _no_take(state, state.to_act, action)
        return f"it is {SEATS[state.to_act]}'s turn to take a line from the grid"
    if action.verb == "take":
        return f"it is {SEATS[state.to_act]}'s turn to place a stone"
    if action.verb == "pass":
        first = legal(state)[0]
        if first.startswith("place"):
            return f"passing is for a hand of which no stone can be placed, and {first} is possible"
        return None
    stone, tower = INDEX.get(action.words[0]), TOWER.get(action.words[1])
    if stone is None:
        return f"there is no stone {quoted(action.words[0])}; stones are a colour and 1 to 6, such as red4, and joker"
    if tower is None:
        return f"there is no tower {quoted(action.words[1])}; the towers are {', '.join(COLOURS)}"
    if stone not in state.hands[state.to_act]:
        return f"{SEATS[state.to_act]} has no {STONES[stone]} in hand"
    if tower not in FITS[stone]:
        fitting = ", ".join(COLOURS[each] for each in FITS[stone])
        return f"{STONES[stone]} fits no other towers than {fitting}"
    return _no_place(state, stone, tower) if action.verb == "place" else _no_replace(state, stone, tower)


def _no_take(state: State, seat: int, action: Action) -> str | None:
    direction, line, announces = action.words
    if direction not in DIRECTIONS:
        return f"there is no direction {quoted(direction)}; a line is a row or a column"
    if (direction, line) not in LINES:
        return f"there is no {direction} {quoted(line)}; the lines are 1, 2 and 3"
    if announces not in ANNOUNCED:
        return f"colours or numbers are announced, not {quoted(announces)}"
    if state.direction[seat] not in (None, direction):
        return f"{SEATS[seat]} takes a {state.direction[seat]} from this grid, as at first"
    if (direction, line) not in _lines(state, seat):
        return f"{direction} {line} was taken before"
    return None


def _no_place(state: State, stone: int, tower: int) -> str | None:
    layers, value = state.towers[tower], VALUE[stone]
    if stone == JOKER:
        if not layers:
            return "a joker cannot be the first stone of a tower"
        if layers[-1].stone == JOKER:
            return "a joker cannot lie on a joker"
        value = layers[-1].counts
    total = state.totals[tower] + value
    if total > GOAL:
        return f"it would bring the {COLOURS[tower]} tower to {total}, over {GOAL}"
    return None


def _no_replace(state: State, stone: int, tower: int) -> str | None:
    layers, value = state.towers[tower], VALUE[stone]
    if stone == JOKER:
        return "a joker replaces no joker"
    if not layers or layers[-1].stone != JOKER:
        return f"no joker is on top of the {COLOURS[tower]} tower"
    total, joker = state.totals[tower], layers[-1].counts
    if total + value <= GOAL:
        return f"on top of the joker it makes {total + value}, not over {GOAL}, so it can only be placed there"
    if value <= joker:
        return f"it comes no closer to {GOAL} than the joker, which counts {joker}"
    if total - joker + value > GOAL:
        return f"even without the joker it would bring the {COLOURS[tower]} tower to {total - joker + value}"
    return None
