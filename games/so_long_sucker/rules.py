"""The rules of So Long Sucker: starting, the legal actions, and what each action does."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from games.api import BadStart, Event, IllegalAction, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws
from games.faults import first_fault, quoted
from games.so_long_sucker.actions import Action, choices, objection, read
from games.so_long_sucker.options import read_options, switches
from games.so_long_sucker.state import EVERYONE, SEATS, Pile, State, askable, donatable, missing_from

NOTHING = (0, 0, 0, 0)


def _event(kind: str, **fields: Any) -> Event:
    return Event(kind, "all", fields)


def start(seats: tuple[Seat, ...], options: Any, seed: int) -> Step:
    """A new match: one draw picks the first mover. Raises `BadStart`."""
    if tuple(seats) != SEATS:
        raise BadStart(f"seats: must be exactly {', '.join(SEATS)}, in this order")
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise BadStart(f"seed: must be a whole number from 0 to {SEED_LIMIT - 1}")
    try:
        resolved = switches(read_options(options))
    except ValidationError as error:
        raise BadStart(first_fault(error, "options")) from None
    draws = Draws(seed)
    mover = draws.pick(len(SEATS))
    state = State(
        options=resolved,
        seed=seed,
        drawn=draws.drawn,
        alive=EVERYONE,
        eliminated=(),
        hands=tuple(_with(NOTHING, seat, resolved.chips) for seat in EVERYONE),
        piles=(),
        next_pile=1,
        last_pile=None,
        dead=NOTHING,
        phase="play",
        mover=mover,
        to_act=mover,
        trail=(),
        captured=None,
        asked=(),
    )
    return Step(state, (_event("start", mover=SEATS[mover]),))


def legal(state: State) -> tuple[str, ...]:
    """Every legal action of the seat to act: colours in seat order, for each the piles by number, then `new`."""
    if state.to_act is None:
        return ()
    match state.phase:
        case "play":
            places = [f"on {pile.id}" for pile in state.piles] + ["new"]
            hand = state.hands[state.to_act]
            return tuple(f"play {SEATS[colour]} {place}" for colour in EVERYONE if hand[colour] for place in places)
        case "kill":
            return tuple(f"kill {SEATS[colour]}" for colour in EVERYONE if colour in (state.captured or ()))
        case "next":
            return tuple(f"next {SEATS[seat]}" for seat in choices(state))
        case "ask":
            return tuple(f"ask {SEATS[seat]}" for seat in askable(state))
        case _:
            return (*(f"donate {SEATS[colour]}" for colour in donatable(state, state.to_act)), "refuse")


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    wanted = read(action)
    reason = objection(state, wanted)
    mover, to_act = state.mover, state.to_act
    if reason or mover is None or to_act is None:
        raise IllegalAction(f"{quoted(action)} cannot be played: {reason}")
    events: list[Event] = []
    match wanted.verb:
        case "play":
            state = _play(state, mover, wanted, events)
        case "kill":
            state = _kill(state, mover, to_act, SEATS.index(wanted.colour), events)
        case "next":
            state = _give_move(state, mover, SEATS.index(wanted.colour), "choice", events)
        case "ask":
            asked = SEATS.index(wanted.colour)
            events.append(_event("ask", seat=SEATS[mover], asked=wanted.colour))
            state = state._replace(phase="answer", to_act=asked, asked=(*state.asked, asked))
        case "donate":
            state = _donate(state, mover, to_act, SEATS.index(wanted.colour), events)
        case _:
            events.append(_event("refuse", seat=SEATS[to_act], to=SEATS[mover]))
            state = _beg(state, mover, events)
    return Step(state, tuple(events))


def _with(counts: tuple[int, ...], colour: int, change: int) -> tuple[int, ...]:
    return (*counts[:colour], counts[colour] + change, *counts[colour + 1 :])


def _in_hand(state: State, seat: int, colour: int, change: int) -> tuple[tuple[int, ...], ...]:
    hands = state.hands
    return (*hands[:seat], _with(hands[seat], colour, change), *hands[seat + 1 :])


def _play(state: State, mover: int, action: Action, events: list[Event]) -> State:
    colour = SEATS.index(action.colour)
    new = action.pile is None
    number = state.next_pile if action.pile is None else int(action.pile)
    below = () if new else next(pile.chips for pile in state.piles if pile.id == number)
    chips = (*below, colour)
    events.append(_event("play", seat=SEATS[mover], colour=action.colour, pile=number, new=new))
    state = state._replace(hands=_in_hand(state, mover, colour, -1))
    if below and below[-1] == colour:
        state = state._replace(piles=tuple(pile for pile in state.piles if pile.id != number))
        return _capture(state, mover, colour, Pile(number, chips), events)
    if new:
        state = state._replace(piles=(*state.piles, Pile(number, chips)), next_pile=number + 1)
    else:
        state = state._replace(piles=tuple(Pile(number, chips) if pile.id == number else pile for pile in state.piles))
    return _who_goes_next(state, mover, Pile(number, chips), events)


def _capture(state: State, mover: int, colour: int, pile: Pile, events: list[Event]) -> State:
    chips = [SEATS[chip] for chip in pile.chips]
    captor = colour if state.options.captor == "owner" else mover
    if captor not in state.alive:
        events.append(_event("to_dead", pile=pile.id, chips=chips))
        dead = tuple(state.dead[each] + pile.chips.count(each) for each in EVERYONE)
        return _give_move(state._replace(dead=dead), mover, mover, "again", events)
    events.append(_event("capture", seat=SEATS[captor], pile=pile.id, chips=chips))
    return state._replace(phase="kill", to_act=captor, captured=pile.chips)


def _kill(state: State, mover: int, captor: int, colour: int, events: list[Event]) -> State:
    captured = state.captured or ()
    events.append(_event("kill", seat=SEATS[captor], colour=SEATS[colour]))
    gained = _with(tuple(captured.count(each) for each in EVERYONE), colour, -1)
    hand = tuple(held + more for held, more in zip(state.hands[captor], gained, strict=True))
    state = state._replace(
        hands=(*state.hands[:captor], hand, *state.hands[captor + 1 :]),
        dead=_with(state.dead, colour, 1),
        captured=None,
    )
    return _give_move(state, mover, captor, "capture", events)


def _who_goes_next(state: State, mover: int, pile: Pile, events: list[Event]) -> State:
    """After a play without a capture: a choice where the options give one, else the order within the pile."""
    if state.options.choice == "table":
        on_table = {chip for each in state.piles for chip in each.chips}
        if not on_table.issuperset(state.alive):
            return state._replace(phase="next", to_act=mover, last_pile=pile.id)
    else:
        missing = missing_from(state, pile.chips)
        if len(missing) == 1:
            return _give_move(state, mover, missing[0], "order", events)
        if missing:
            return state._replace(phase="next", to_act=mover, last_pile=pile.id)
    living = [chip for chip in pile.chips if chip in state.alive]
    if not living:
        return _give_move(state, mover, mover, "again", events)
    if state.options.order == "deepest":
        return _give_move(state, mover, living[0], "order", events)
    topmost = {owner: height for height, owner in enumerate(living)}
    return _give_move(state, mover, min(topmost, key=topmost.__getitem__), "order", events)


def _give_move(state: State, giver: int, seat: int, why: str, events: list[Event]) -> State:
    """The move goes from a living player to `seat` (perhaps the same one, who then is not put on the trail)."""
    trail = state.trail if seat == giver else (*state.trail, giver)
    return _take_move(state._replace(trail=trail), seat, why, events)


def _take_move(state: State, seat: int, why: str, events: list[Event]) -> State:
    events.append(_event("turn", seat=SEATS[seat], why=why))
    state = state._replace(phase="play", mover=seat, to_act=seat, last_pile=None)
    return state if any(state.hands[seat]) else _beg(state, seat, events)


def _beg(state: State, mover: int, events: list[Event]) -> State:
    """The mover holds nothing: he asks, and is eliminated when nobody is left to be asked."""
    if askable(state):
        return state._replace(phase="ask", to_act=mover)
    return _eliminate(state, mover, events)


def _donate(state: State, mover: int, giver: int, colour: int, events: list[Event]) -> State:
    events.append(_event("donate", seat=SEATS[giver], to=SEATS[mover], colour=SEATS[colour]))
    state = state._replace(hands=_in_hand(state, giver, colour, -1))
    return state._replace(hands=_in_hand(state, mover, colour, 1), phase="play", to_act=mover, asked=())


def _eliminate(state: State, seat: int, events: list[Event]) -> State:
    events.append(_event("eliminated", seat=SEATS[seat]))
    alive = tuple(each for each in state.alive if each != seat)
    state = state._replace(alive=alive, eliminated=(*state.eliminated, seat), asked=())
    if len(alive) == 1:
        events.append(_event("win", seat=SEATS[alive[0]]))
        return state._replace(phase="over", mover=None, to_act=None)
    if state.options.heir == "rebound":
        trail = state.trail
        while trail:
            trail, heir = trail[:-1], trail[-1]
            if heir in alive:
                return _take_move(state._replace(trail=trail), heir, "rebound", events)
        state = state._replace(trail=())
    clockwise = ((seat + step) % len(SEATS) for step in EVERYONE)
    return _take_move(state, next(each for each in clockwise if each in alive), "clockwise", events)


def outcome(state: State) -> Outcome | None:
    """The last one alive wins; the others stand in the order in which they went out, the later the better."""
    if state.phase != "over":
        return None
    order = (*state.alive, *reversed(state.eliminated))
    places = {SEATS[seat]: order.index(seat) + 1 for seat in EVERYONE}
    return Outcome((SEATS[state.alive[0]],), places, "last_alive")


def longest(seats: tuple[Seat, ...], options: Any) -> int:
    """At most P = N(N+1)/2 plays and 8P + 18 decisions, N being all the chips: every capture kills one."""
    chips = len(seats) * read_options(options).chips
    plays = chips * (chips + 1) // 2
    return 8 * plays + 18


def to_act(state: State) -> Seat | None:
    """Whose decision it is; None when the match is over."""
    return None if state.to_act is None else SEATS[state.to_act]


def alive(state: State) -> tuple[Seat, ...]:
    """The seats still in the game, in seat order."""
    return tuple(SEATS[seat] for seat in state.alive)
