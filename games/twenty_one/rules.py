"""The rules of towers to twenty-one: starting, and what each action does."""

from __future__ import annotations

from typing import Any, cast

from pydantic import ValidationError

from games.api import BadStart, IllegalAction, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws
from games.faults import first_fault, quoted
from games.twenty_one.actions import Action, objection, read
from games.twenty_one.options import read_options
from games.twenty_one.state import (
    STARTERS,
    Announcement,
    Draft,
    Layer,
    State,
    cells,
    grids_json,
    hands_json,
    names,
    own_goals,
    owner,
)
from games.twenty_one.stones import (
    COLOUR,
    COLOURS,
    EACH,
    GOAL,
    GRID,
    HAND,
    INDEX,
    JOKER,
    LINES,
    ROUNDS,
    SEATS,
    SECOND_GRID,
    TOWER,
    VALUE,
)

INSTANT = 3
"""Towers of exactly 21 that win at once."""
TURNS = len(SEATS) * HAND
"""Placements of a round."""


def start(seats: tuple[Seat, ...], options: Any, seed: int) -> Step:
    """A new match; all chance of the game is here. Raises `BadStart`."""
    if tuple(seats) != SEATS:
        raise BadStart(f"seats: must be exactly {', '.join(SEATS)}, in this order")
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise BadStart(f"seed: must be a whole number from 0 to {SEED_LIMIT - 1}")
    try:
        settings = read_options(options)
    except ValidationError as error:
        raise BadStart(first_fault(error, "options")) from None
    draws = Draws(seed)
    bag = list(range(JOKER))
    draws.shuffle(bag)
    each = EACH - settings.jokers
    shares = [bag[:each] + [JOKER] * settings.jokers, bag[each : 2 * each] + [JOKER] * settings.jokers]
    for share in shares:
        draws.shuffle(share)
    first, second = ((tuple(share[:GRID]), tuple(share[GRID:])) for share in shares)
    draft = Draft(
        State(
            options=settings,
            seed=seed,
            drawn=draws.drawn,
            removed=tuple(bag[2 * each :]),
            round=1,
            turn=0,
            phase="take",
            to_act=STARTERS[0],
            grids=(first, second),
            direction=(None, None),
            hands=((), ()),
            announced=(None, None),
            towers=((),) * len(COLOURS),
            totals=(0,) * len(COLOURS),
            discards=((), ()),
            out=0,
        )
    )
    draft.tell("deal")
    _begin_round(draft)
    return draft.step()


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    wanted = read(action)
    reason = objection(state, wanted)
    seat = state.to_act
    if reason or seat is None:
        raise IllegalAction(f"{quoted(action)} cannot be played: {reason}")
    draft = Draft(state)
    if wanted.verb == "take":
        _take(draft, seat, wanted)
        return draft.step()
    if wanted.verb == "pass":
        draft.tell("pass", seat=SEATS[seat])
    elif _build(draft, seat, wanted) == GOAL and own_goals(draft, seat) >= INSTANT:
        _end(draft)
        return draft.step()
    if state.turn + 1 < TURNS:
        draft.turn, draft.to_act = state.turn + 1, 1 - seat
    else:
        _end_round(draft)
    return draft.step()


def to_act(state: State) -> Seat | None:
    """Whose decision it is; None when the match is over."""
    return None if state.to_act is None else SEATS[state.to_act]


def alive(_state: State) -> tuple[Seat, ...]:
    """Both players stay in the game to its end."""
    return SEATS


def outcome(state: State) -> Outcome | None:
    """Who won and how, or a draw; None while the match goes on."""
    if state.phase != "over":
        return None
    winner, how = verdict(state)
    winners = SEATS if winner is None else (SEATS[winner],)
    return Outcome(winners, {seat: 1 if seat in winners else 2 for seat in SEATS}, how)


def longest(_seats: tuple[Seat, ...], _options: Any) -> int:
    """Two lines taken and six stones placed in each of six rounds."""
    return ROUNDS * (len(SEATS) + TURNS)


def verdict(state: State | Draft) -> tuple[int | None, str]:
    """Of a match that is over: the winner, None for a draw, and how it was won (`draw` for a draw)."""
    goals = [own_goals(state, seat) for seat in (0, 1)]
    if max(goals) >= INSTANT:
        return goals.index(max(goals)), "instant"
    built = [(total, owner(tower)) for total, tower in zip(state.totals, state.towers, strict=True)]
    owned = [[total for total, by in built if by == seat] for seat in (0, 1)]
    if len(owned[0]) != len(owned[1]):
        return int(len(owned[1]) > len(owned[0])), "towers"
    if state.options.tie_break == "closest":
        closeness = [(goals[seat], -sum(GOAL - total for total in owned[seat])) for seat in (0, 1)]
        if closeness[0] != closeness[1]:
            return int(closeness[1] > closeness[0]), "tie_break"
    return None, "draw"


def announcement(kind: str, stones: tuple[int, ...]) -> tuple[str | int, ...]:
    """What is announced of these stones: colours in wheel order with grey last, or numbers in rising order."""
    if kind == "colours":
        return tuple(COLOUR[stone] for stone in sorted(stones))
    return tuple(sorted(VALUE[stone] for stone in stones))


def _begin_round(draft: Draft) -> None:
    """Say so; with its first and fourth round each seat is shown the grid that is used from then on."""
    draft.tell("round", round=draft.round, starter=SEATS[STARTERS[draft.round - 1]])
    if draft.round in (1, SECOND_GRID):
        for index, seat in enumerate(SEATS):
            draft.tell_seat("grid", seat, stones=cells(draft.grids[index][draft.round >= SECOND_GRID]))


def _take(draft: Draft, seat: int, action: Action) -> None:
    direction, line, kind = action.words
    taken = LINES[direction, line]
    second = draft.round >= SECOND_GRID
    grid = list(draft.grids[seat][second])
    hand = cast("tuple[int, ...]", tuple([grid[cell] for cell in taken]))
    for cell in taken:
        grid[cell] = None
    items = announcement(kind, hand)
    draft.tell("take", seat=SEATS[seat], direction=direction, line=int(line), announces=kind, items=list(items))
    draft.tell_seat("hand", SEATS[seat], stones=names(hand))
    draft.grids = _pair(draft.grids, seat, _pair(draft.grids[seat], second, tuple(grid)))
    draft.direction = _pair(draft.direction, seat, direction)
    draft.hands = _pair(draft.hands, seat, hand)
    draft.announced = _pair(draft.announced, seat, Announcement(kind, items, items))
    draft.phase = "take" if seat == STARTERS[draft.round - 1] else "place"
    draft.to_act = 1 - seat


def _build(draft: Draft, seat: int, action: Action) -> int:
    """Place a stone on a tower, or replace the joker on top of it; returns what the tower counts now."""
    name, colour = action.words
    stone, tower = INDEX[name], TOWER[colour]
    layers, total = draft.towers[tower], draft.totals[tower]
    before = owner(layers)
    if action.verb == "replace":
        joker, layers = layers[-1], layers[:-1]
        draft.out += 1
        counts = VALUE[stone]
        total += counts - joker.counts
        draft.tell("replace", seat=SEATS[seat], stone=name, tower=colour, joker_of=SEATS[joker.by], total=total)
    else:
        counts = layers[-1].counts if stone == JOKER else VALUE[stone]
        total += counts
        draft.tell("place", seat=SEATS[seat], stone=name, tower=colour, counts=counts, total=total)
    if before != seat:
        draft.tell("owner", tower=colour, seat=SEATS[seat])
    kind, items, left = cast("Announcement", draft.announced[seat])
    left = _without(left, COLOUR[stone] if kind == "colours" else VALUE[stone])
    draft.announced = _pair(draft.announced, seat, Announcement(kind, items, left))
    draft.hands = _pair(draft.hands, seat, _without(draft.hands[seat], stone))
    towers, totals = draft.towers, draft.totals
    draft.towers = (*towers[:tower], (*layers, Layer(stone, seat, counts)), *towers[tower + 1 :])
    draft.totals = (*totals[:tower], total, *totals[tower + 1 :])
    return total


def _end_round(draft: Draft) -> None:
    """What is still in hand goes away, face up, the starter's first; then the next round begins, if there is one."""
    starter = STARTERS[draft.round - 1]
    for seat in (starter, 1 - starter):
        if draft.hands[seat]:
            draft.tell("discard", seat=SEATS[seat], stones=names(draft.hands[seat]))
    first, second = (draft.discards[seat] + draft.hands[seat] for seat in (0, 1))
    draft.discards, draft.hands = (first, second), ((), ())
    if draft.round == ROUNDS:
        _end(draft)
        return
    draft.to_act = STARTERS[draft.round]
    draft.round += 1
    draft.turn, draft.phase, draft.announced = 0, "take", (None, None)
    if draft.round == SECOND_GRID:
        draft.direction = (None, None)
    _begin_round(draft)


def _end(draft: Draft) -> None:
    winner, how = verdict(draft)
    if winner is None:
        draft.tell("draw")
    else:
        draft.tell("win", seat=SEATS[winner], how=how)
    draft.tell("reveal", removed=names(draft.removed), grids=grids_json(draft), hands=hands_json(draft))
    draft.phase, draft.to_act = "over", None


def _pair(pair: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    """The pair with one seat's value replaced."""
    return (pair[0], value) if seat else (value, pair[1])


def _without(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    """The items without the first that equals this one."""
    at = items.index(item)
    return items[:at] + items[at + 1 :]
