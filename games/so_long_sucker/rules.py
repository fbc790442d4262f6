"""The rules of So Long Sucker: starting, the legal actions, and what each action does."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from games.api import BadStart, Event, IllegalAction, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws
from games.faults import first_fault, quoted
from games.so_long_sucker.actions import (
    ASK,
    DONATE,
    KILL,
    NEW,
    NEXT,
    REFUSE,
    Action,
    choices,
    objection,
    play_on,
    read,
)
from games.so_long_sucker.options import read_options, switches
from games.so_long_sucker.state import (
    EVERYONE,
    INDEX,
    SEATS,
    Counts,
    Draft,
    Pile,
    State,
    askable,
    donatable,
    missing_from,
)

NOTHING = (0, 0, 0, 0)


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
    return Step(state, (Event("start", "all", {"mover": SEATS[mover]}),))


def legal(state: State) -> tuple[str, ...]:
    """Every legal action of the seat to act: colours in seat order, for each the piles by number, then `new`."""
    if state.to_act is None:
        return ()
    match state.phase:
        case "play":
            return _plays(state, state.hands[state.to_act])
        case "kill":
            captured = state.captured or ()
            return tuple([KILL[colour] for colour in EVERYONE if colour in captured])
        case "next":
            return tuple([NEXT[seat] for seat in choices(state)])
        case "ask":
            return tuple([ASK[seat] for seat in askable(state)])
        case _:
            return (*[DONATE[colour] for colour in donatable(state, state.to_act)], REFUSE)


def _plays(state: State, hand: Counts) -> tuple[str, ...]:
    numbers = [pile.id for pile in state.piles]
    texts: list[str] = []
    for colour in EVERYONE:
        if hand[colour]:
            texts += [play_on(colour, number) for number in numbers]
            texts.append(NEW[colour])
    return tuple(texts)


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    wanted = read(action)
    reason = objection(state, wanted)
    mover, to_act = state.mover, state.to_act
    if reason or mover is None or to_act is None:
        raise IllegalAction(f"{quoted(action)} cannot be played: {reason}")
    draft = Draft(state)
    match wanted.verb:
        case "play":
            _play(draft, mover, wanted)
        case "kill":
            _kill(draft, mover, to_act, INDEX[wanted.colour])
        case "next":
            _give_move(draft, mover, INDEX[wanted.colour], "choice")
        case "ask":
            _ask(draft, mover, INDEX[wanted.colour])
        case "donate":
            _donate(draft, mover, to_act, INDEX[wanted.colour])
        case _:
            draft.tell("refuse", seat=SEATS[to_act], to=SEATS[mover])
            _beg(draft, mover)
    return draft.step()


def _with(counts: Counts, colour: int, change: int) -> Counts:
    """The counts with that of one colour changed."""
    return (*counts[:colour], counts[colour] + change, *counts[colour + 1 :])


def _put(draft: Draft, seat: int, colour: int, change: int) -> None:
    """Change how many chips of a colour a seat has in hand."""
    hands = draft.hands
    draft.hands = (*hands[:seat], _with(hands[seat], colour, change), *hands[seat + 1 :])


def _play(draft: Draft, mover: int, action: Action) -> None:
    colour, piles, new = INDEX[action.colour], draft.piles, action.pile is None
    number = draft.next_pile if action.pile is None else int(action.pile)
    draft.tell("play", seat=SEATS[mover], colour=action.colour, pile=number, new=new)
    _put(draft, mover, colour, -1)
    if new:
        pile = Pile(number, (colour,))
        draft.piles, draft.next_pile = (*piles, pile), number + 1
        _who_goes_next(draft, mover, pile)
        return
    at = [pile.id for pile in piles].index(number)
    below = piles[at].chips
    pile = Pile(number, (*below, colour))
    if below and below[-1] == colour:
        draft.piles = piles[:at] + piles[at + 1 :]
        _capture(draft, mover, colour, pile)
    else:
        draft.piles = (*piles[:at], pile, *piles[at + 1 :])
        _who_goes_next(draft, mover, pile)


def _capture(draft: Draft, mover: int, colour: int, pile: Pile) -> None:
    chips = [SEATS[chip] for chip in pile.chips]
    captor = colour if draft.options.captor == "owner" else mover
    if captor in draft.alive:
        draft.tell("capture", seat=SEATS[captor], pile=pile.id, chips=chips)
        draft.phase, draft.to_act, draft.captured = "kill", captor, pile.chips
    else:
        draft.tell("to_dead", pile=pile.id, chips=chips)
        draft.dead = _and(draft.dead, pile.chips)
        _give_move(draft, mover, mover, "again")


def _and(counts: Counts, chips: tuple[int, ...]) -> Counts:
    """The counts with these chips added."""
    return tuple([count + chips.count(colour) for colour, count in enumerate(counts)])


def _kill(draft: Draft, mover: int, captor: int, colour: int) -> None:
    draft.tell("kill", seat=SEATS[captor], colour=SEATS[colour])
    hands = draft.hands
    hand = _with(_and(hands[captor], draft.captured or ()), colour, -1)
    draft.hands = (*hands[:captor], hand, *hands[captor + 1 :])
    draft.dead = _with(draft.dead, colour, 1)
    draft.captured = None
    _give_move(draft, mover, captor, "capture")


def _who_goes_next(draft: Draft, mover: int, pile: Pile) -> None:
    """After a play without a capture: a choice where the options give one, else the order within the pile."""
    alive, options = draft.alive, draft.options
    if options.choice == "table":
        on_table = set().union(*[each.chips for each in draft.piles])
        choice = not on_table.issuperset(alive)
    else:
        missing = missing_from(draft, pile.chips)
        if len(missing) == 1:
            _give_move(draft, mover, missing[0], "order")
            return
        choice = bool(missing)
    living = [chip for chip in pile.chips if chip in alive]
    if choice:
        draft.phase, draft.to_act, draft.last_pile = "next", mover, pile.id
    elif not living:
        _give_move(draft, mover, mover, "again")
    elif options.order == "deepest":
        _give_move(draft, mover, living[0], "order")
    else:
        topmost = {owner: height for height, owner in enumerate(living)}
        _give_move(draft, mover, min(topmost, key=topmost.__getitem__), "order")


def _give_move(draft: Draft, giver: int, seat: int, why: str) -> None:
    """The move goes from a living player to `seat` (perhaps the same one, who then is not put on the trail)."""
    if seat != giver:
        draft.trail = (*draft.trail, giver)
    _take_move(draft, seat, why)


def _take_move(draft: Draft, seat: int, why: str) -> None:
    draft.tell("turn", seat=SEATS[seat], why=why)
    draft.phase, draft.mover, draft.to_act, draft.last_pile = "play", seat, seat, None
    if not any(draft.hands[seat]):
        _beg(draft, seat)


def _beg(draft: Draft, mover: int) -> None:
    """The mover holds nothing: he asks, and is eliminated when nobody is left to be asked."""
    if askable(draft):
        draft.phase, draft.to_act = "ask", mover
    else:
        _eliminate(draft, mover)


def _ask(draft: Draft, mover: int, asked: int) -> None:
    draft.tell("ask", seat=SEATS[mover], asked=SEATS[asked])
    draft.phase, draft.to_act, draft.asked = "answer", asked, (*draft.asked, asked)


def _donate(draft: Draft, mover: int, giver: int, colour: int) -> None:
    draft.tell("donate", seat=SEATS[giver], to=SEATS[mover], colour=SEATS[colour])
    _put(draft, giver, colour, -1)
    _put(draft, mover, colour, 1)
    draft.phase, draft.to_act, draft.asked = "play", mover, ()


def _eliminate(draft: Draft, seat: int) -> None:
    draft.tell("eliminated", seat=SEATS[seat])
    alive = tuple(each for each in draft.alive if each != seat)
    draft.alive, draft.eliminated, draft.asked = alive, (*draft.eliminated, seat), ()
    if len(alive) == 1:
        draft.tell("win", seat=SEATS[alive[0]])
        draft.phase, draft.mover, draft.to_act = "over", None, None
        return
    if draft.options.heir == "rebound":
        while draft.trail:
            heir, draft.trail = draft.trail[-1], draft.trail[:-1]
            if heir in alive:
                _take_move(draft, heir, "rebound")
                return
    clockwise = ((seat + step) % len(SEATS) for step in EVERYONE)
    _take_move(draft, next(each for each in clockwise if each in alive), "clockwise")


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
