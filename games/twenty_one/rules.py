"""The rules of towers to twenty-one: starting, and what each action does."""

from __future__ import annotations

from typing import Any, cast

from pydantic import ValidationError

from games.api import BadStart, Event, IllegalAction, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws
from games.faults import first_fault, quoted
from games.twenty_one.actions import Action, objection, read
from games.twenty_one.options import read_options
from games.twenty_one.state import (
    STARTERS,
    Announcement,
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
    STONES,
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
    state = State(
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
    return Step(state, (_event("deal"), *_new_round(state)))


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    wanted = read(action)
    reason = objection(state, wanted)
    seat = state.to_act
    if reason or seat is None:
        raise IllegalAction(f"{quoted(action)} cannot be played: {reason}")
    if wanted.verb == "take":
        return _take(state, seat, wanted)
    events: list[Event] = []
    if wanted.verb == "pass":
        events.append(_event("pass", seat=SEATS[seat]))
    else:
        state, total = _build(state, seat, wanted, events)
        if total == GOAL and own_goals(state, seat) >= INSTANT:
            return _over(state, events)
    if state.turn + 1 < TURNS:
        return Step(state._replace(turn=state.turn + 1, to_act=1 - seat), tuple(events))
    state = _discard(state, events)
    if state.round == ROUNDS:
        return _over(state, events)
    state = state._replace(
        round=state.round + 1,
        turn=0,
        phase="take",
        to_act=STARTERS[state.round],
        announced=(None, None),
        direction=(None, None) if state.round + 1 == SECOND_GRID else state.direction,
    )
    return Step(state, (*events, *_new_round(state)))


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


def verdict(state: State) -> tuple[int | None, str]:
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


def _event(kind: str, **fields: Any) -> Event:
    return Event(kind, "all", fields)


def _new_round(state: State) -> list[Event]:
    """A round begins; with its first and fourth each seat is shown the grid that is used from then on."""
    events = [_event("round", round=state.round, starter=SEATS[STARTERS[state.round - 1]])]
    if state.round in (1, SECOND_GRID):
        for index, seat in enumerate(SEATS):
            grid = state.grids[index][state.round >= SECOND_GRID]
            events.append(Event("grid", (seat,), {"seat": seat, "stones": cells(grid)}))
    return events


def _take(state: State, seat: int, action: Action) -> Step:
    direction, line, kind = action.words
    taken = LINES[direction, line]
    second = state.round >= SECOND_GRID
    grid = state.grids[seat][second]
    hand = cast("tuple[int, ...]", tuple(grid[cell] for cell in taken))
    left = tuple(None if cell in taken else stone for cell, stone in enumerate(grid))
    grids = (state.grids[seat][0], left) if second else (left, state.grids[seat][1])
    items = announcement(kind, hand)
    events = (
        _event("take", seat=SEATS[seat], direction=direction, line=int(line), announces=kind, items=list(items)),
        Event("hand", (SEATS[seat],), {"seat": SEATS[seat], "stones": names(hand)}),
    )
    state = state._replace(
        grids=_pair(state.grids, seat, grids),
        direction=_pair(state.direction, seat, direction),
        hands=_pair(state.hands, seat, hand),
        announced=_pair(state.announced, seat, Announcement(kind, items, items)),
        phase="take" if seat == STARTERS[state.round - 1] else "place",
        to_act=1 - seat,
    )
    return Step(state, events)


def _build(state: State, seat: int, action: Action, events: list[Event]) -> tuple[State, int]:
    """Place a stone on a tower, or replace the joker on top of it; with what the tower counts now."""
    stone, tower = INDEX[action.words[0]], TOWER[action.words[1]]
    layers, total, out = state.towers[tower], state.totals[tower], state.out
    before = owner(layers)
    if action.verb == "replace":
        joker, layers, out = layers[-1], layers[:-1], out + 1
        counts = VALUE[stone]
        total += counts - joker.counts
        events.append(
            _event(
                "replace",
                seat=SEATS[seat],
                stone=STONES[stone],
                tower=COLOURS[tower],
                joker_of=SEATS[joker.by],
                total=total,
            )
        )
    else:
        counts = layers[-1].counts if stone == JOKER else VALUE[stone]
        total += counts
        events.append(
            _event("place", seat=SEATS[seat], stone=STONES[stone], tower=COLOURS[tower], counts=counts, total=total)
        )
    if before != seat:
        events.append(_event("owner", tower=COLOURS[tower], seat=SEATS[seat]))
    said = cast("Announcement", state.announced[seat])
    item = COLOUR[stone] if said.kind == "colours" else VALUE[stone]
    built = (*layers, Layer(stone, seat, counts))
    state = state._replace(
        hands=_pair(state.hands, seat, _without(state.hands[seat], stone)),
        announced=_pair(state.announced, seat, Announcement(said.kind, said.items, _without(said.left, item))),
        towers=(*state.towers[:tower], built, *state.towers[tower + 1 :]),
        totals=(*state.totals[:tower], total, *state.totals[tower + 1 :]),
        out=out,
    )
    return state, total


def _discard(state: State, events: list[Event]) -> State:
    """What is still in hand after the last turn of a round goes away, face up, the starter's first."""
    starter = STARTERS[state.round - 1]
    events.extend(
        _event("discard", seat=SEATS[seat], stones=names(state.hands[seat]))
        for seat in (starter, 1 - starter)
        if state.hands[seat]
    )
    first, second = (state.discards[seat] + state.hands[seat] for seat in (0, 1))
    return state._replace(discards=(first, second), hands=((), ()))


def _over(state: State, events: list[Event]) -> Step:
    winner, how = verdict(state)
    events.append(_event("draw") if winner is None else _event("win", seat=SEATS[winner], how=how))
    events.append(_event("reveal", removed=names(state.removed), grids=grids_json(state), hands=hands_json(state)))
    return Step(state._replace(phase="over", to_act=None), tuple(events))


def _pair(pair: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    """The pair with one seat's value replaced."""
    return (pair[0], value) if seat else (value, pair[1])


def _without(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    """The items without the first that equals this one."""
    at = items.index(item)
    return items[:at] + items[at + 1 :]
