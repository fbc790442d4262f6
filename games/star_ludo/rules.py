"""The rules of star ludo: starting, the legal actions, and what each action does."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from games.api import BadStart, Event, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws, draw
from games.faults import first_fault
from games.star_ludo.actions import accepted
from games.star_ludo.board import HOME, LISTS, PAWN_OF, PAWNS, TABLES, TARGETS, YARD, Pawns, Table, square_of
from games.star_ludo.options import Settings, read_options
from games.star_ludo.state import State

# Events, states and steps are made a million times in a night's matches: this spares each a call in between.
_new = tuple.__new__
_ALL_HOME = (HOME,) * PAWNS


def start(seats: tuple[Seat, ...], options: Any, seed: int) -> Step:
    """A new match: one draw picks who begins, then the dice roll on to the first decision. Raises `BadStart`."""
    table = TABLES.get(len(seats))
    if table is None or tuple(seats) != table.seats:
        allowed = "; ".join(", ".join(each.seats) for each in TABLES.values())
        raise BadStart(f"seats: must be exactly one of these, in this order: {allowed}")
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise BadStart(f"seed: must be a whole number from 0 to {SEED_LIMIT - 1}")
    try:
        settings = read_options(options)
    except ValidationError as error:
        raise BadStart(first_fault(error, "options")) from None
    draws = Draws(seed)
    first = draws.pick(len(table.seats))
    pawns = ((YARD,) * PAWNS,) * len(table.seats)
    events = [Event("start", "all", {"seat": table.seats[first]})]
    state = _roll_on(settings, seed, draws.drawn, table, pawns, first, (), 0, events, starting=True)
    return Step(state, tuple(events))


def legal(state: State) -> tuple[str, ...]:
    """Every legal action of the seat to act, pawns rising."""
    return state.legal


def movable(table: Table, pawns: tuple[Pawns, ...], seat: int, die: int) -> int:
    """The pawns that may play a die, a bit for each. Of pawns in the yard, which are alike, only the lowest counts."""
    own = pawns[seat]
    targets = TARGETS[die]
    blockers = table.blockers[seat]
    mask, bit, seen_yard = 0, 1, False
    for place in own:
        target = targets[place]
        if target >= 0 and (target not in own or target == HOME):
            if target:
                for other, spot in blockers[target]:
                    if spot in pawns[other]:
                        break
                else:
                    mask |= bit
            elif not seen_yard:
                mask |= bit
                seen_yard = True
        bit += bit
    return mask


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    options, seed, drawn, seats, pawns, mover, dice, die, extra, rolls, choices = state
    pawn = PAWN_OF[action if action in choices else accepted(state, action)]
    assert mover is not None  # nothing is accepted once the match is over
    table = TABLES[len(seats)]
    seat, number = seats[mover], dice[die]
    own = pawns[mover]
    place = own[pawn]
    if place < 0:
        target = 0
        events = [_new(Event, ("exit", "all", {"seat": seat, "pawn": pawn + 1, "die": number}))]
    else:
        target = place + number
        fields = {"seat": seat, "pawn": pawn + 1, "die": number, "from": place, "to": target}
        events = [_new(Event, ("move", "all", fields))]
    own = (*own[:pawn], target, *own[pawn + 1 :])
    everyone = list(pawns)
    everyone[mover] = own
    for other, spot in table.victims[mover][target]:
        if spot in pawns[other]:
            victim = pawns[other].index(spot)
            everyone[other] = (*pawns[other][:victim], YARD, *pawns[other][victim + 1 :])
            events.append(_capture(seat, pawn, seats[other], victim, target))
            extra += ("capture",)
    pawns = tuple(everyone)
    if target == HOME:
        events.append(_new(Event, ("home", "all", {"seat": seat, "pawn": pawn + 1})))
        if own == _ALL_HOME:
            events.append(_new(Event, ("win", "all", {"seat": seat})))
            return Step(_over(options, seed, drawn, seats, pawns, rolls), tuple(events))
        extra += ("home",)
    if not die:
        mask = movable(table, pawns, mover, dice[1])
        if mask:
            after = (options, seed, drawn, seats, pawns, mover, dice, 1, extra, rolls, LISTS[mask])
            return _new(Step, (_new(State, after), tuple(events)))
        events.append(_new(Event, ("skip", "all", {"seat": seat, "die": dice[1]})))
    then = _roll_on(options, seed, drawn, table, pawns, mover, extra, rolls, events, starting=False)
    return _new(Step, (then, tuple(events)))


def _capture(seat: Seat, pawn: int, of: Seat, of_pawn: int, place: int) -> Event:
    square = square_of(seat, place)
    return Event("capture", "all", {"seat": seat, "pawn": pawn + 1, "of": of, "of_pawn": of_pawn + 1, "square": square})


def _over(
    options: Settings, seed: int, drawn: int, seats: tuple[Seat, ...], pawns: tuple[Pawns, ...], rolls: int
) -> State:
    return State(options, seed, drawn, seats, pawns, None, (), 0, (), rolls, ())


def _roll_on(
    options: Settings,
    seed: int,
    drawn: int,
    table: Table,
    pawns: tuple[Pawns, ...],
    mover: int,
    extra: tuple[str, ...],
    rolls: int,
    events: list[Event],
    *,
    starting: bool,
) -> State:
    """From the end of a turn (or the start) through hand-overs, rolls and skipped dice to the next decision."""
    seats = table.seats
    while True:
        if starting:
            starting = False
        elif rolls >= options.cap:
            events.append(Event("cap", "all", {}))
            return _over(options, seed, drawn, seats, pawns, rolls)
        elif extra:
            spent = len(extra) if options.extra == "one" else 1
            events.append(_new(Event, ("extra_turn", "all", {"seat": seats[mover], "why": list(extra[:spent])})))
            extra = extra[spent:]
        else:
            mover = (mover + 1) % len(seats)
            events.append(_new(Event, ("turn", "all", {"seat": seats[mover]})))
        seat = seats[mover]
        first, second = 1 + (draw(seed, drawn) * 6 >> 64), 1 + (draw(seed, drawn + 1) * 6 >> 64)
        drawn += 2
        rolls += 1
        events.append(_new(Event, ("roll", "all", {"seat": seat, "dice": [first, second]})))
        dice = (first, second) if first >= second else (second, first)
        if first + second == 12:
            extra += ("double_six",)
        for die in (0, 1):
            mask = movable(table, pawns, mover, dice[die])
            if mask:
                after = (options, seed, drawn, seats, pawns, mover, dice, die, extra, rolls, LISTS[mask])
                return _new(State, after)
            events.append(_new(Event, ("skip", "all", {"seat": seat, "die": dice[die]})))


def standing(pawns: Pawns) -> tuple[int, int]:
    """What the places go by, the more the better: pawns home, then the sum of places."""
    return pawns.count(HOME), sum(pawns)


def outcome(state: State) -> Outcome | None:
    """Who has four pawns home stands first, the others by `standing`; at the cap all do, and several may share."""
    if state.to_act is not None:
        return None
    marks = [standing(pawns) for pawns in state.pawns]
    places = {seat: 1 + sum(other > mark for other in marks) for seat, mark in zip(state.seats, marks, strict=True)}
    winners = tuple(seat for seat in state.seats if places[seat] == 1)
    return Outcome(winners, places, "home" if _ALL_HOME in state.pawns else "cap")


def longest(seats: tuple[Seat, ...], options: Any) -> int:
    """The cap ends a match after so many rolls, and a roll takes at most two decisions."""
    del seats
    return 2 * read_options(options).cap


def to_act(state: State) -> Seat | None:
    """Whose decision it is; None when the match is over."""
    return None if state.to_act is None else state.seats[state.to_act]


def alive(state: State) -> tuple[Seat, ...]:
    """All seats: nobody goes out before the end."""
    return state.seats
