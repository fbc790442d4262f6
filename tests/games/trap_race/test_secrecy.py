"""Law 4 on the whole road: whatever a seat cannot know changes no byte of what reaches it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from games.api import Event, IllegalAction
from games.chance import Draws
from games.trap_race.actions import KNOWN
from harness.answer_schema import answer_schema
from harness.observation import Memory, Record, observe, shown_order
from harness.prompt import Context, event_text, render
from harness.spec import Interface, Talk
from tests.games.trap_race.build import GAME, SEATS
from tests.games.trap_race.laws import OTHER, rearranged

CONTACT = {"sprung", "box", "found", "power", "sensed", "reveal"}
"""Events in which something hidden is met: from then on the seat may see a difference."""
STARTS = (None, *GAME.scenarios)


class Moment(NamedTuple):
    """A position of a match with all events until then."""

    state: Any
    events: tuple[Event, ...]


def moments(start: str | None, seed: int, mix: int) -> Iterator[Moment]:
    """A match played by a bot with some chance actions strewn in, so that traps, boxes and powers are met."""
    if start is None:
        state, events = GAME.start(SEATS, {"cap": 60}, seed)
    else:
        state, events = GAME.load(GAME.scenarios[start](SEATS, {"cap": 60}, seed)), ()
    record = list(events)
    draws = Draws(f"moments:{start}:{seed}")
    yield Moment(state, tuple(record))
    while (seat := GAME.to_act(state)) is not None:
        legal = GAME.legal(state)
        powers = [action for action in legal if action.startswith(("trap", "terraform")) and state.phase == "turn"]
        if powers and draws.pick(2):
            actions: tuple[str, ...] = (draws.choice(powers),)
        elif draws.pick(100) < mix:
            actions = (draws.choice(legal),)
        else:
            seen = observe(
                GAME, state, seat, SEATS, Record(), Memory(), asked="act", talk=None, pledges=False
            )  # fmt: skip
            actions = GAME.bots["normal"](seen, draws).actions
        for action in actions:
            state, events = GAME.apply(state, action)
            record += events
            yield Moment(state, tuple(record))
            if GAME.to_act(state) != seat or any(event.kind in GAME.news for event in events):
                break


def shown(moment: Moment, seat: str) -> list[str]:
    """All that reaches a seat at a moment, as text: observation, prompt, schema, list."""
    record = Record(events=list(moment.events))
    seen = observe(GAME, moment.state, seat, SEATS, record, Memory(), asked="act", talk=None, pledges=False)
    if GAME.to_act(moment.state) != seat:
        seen = seen._replace(legal=())
    order = shown_order(f"order:{seat}", seen.legal)
    options = GAME.dump(moment.state)["options"]
    context = Context(GAME.name, seat, SEATS, options, None, Interface(), Talk(messages=0), "off", {})
    prompt = render(seen, order, context, (), ())
    return [
        json.dumps(seen.view),
        *(json.dumps(event.to_json()) for event in seen.events),
        *(part for message in prompt for part in message.parts),
        json.dumps(answer_schema(seen, order, context, bounded=True)),
        *seen.legal,
    ]


def refusal(state: Any, action: str) -> str | None:
    try:
        GAME.apply(state, action)
    except IllegalAction as refused:
        return f"{type(refused).__name__}: {refused}"
    return None


def told(events: tuple[Event, ...], seat: str) -> list[str]:
    return [event_text(GAME.name, event) + str(event.audience) for event in events if event.reaches(seat)]


def check(moment: Moment, seat: str, draws: Draws) -> int:
    """The seat's share of a moment under a rearrangement; returns how many actions were compared beyond it."""
    state = moment.state
    other = GAME.load(rearranged(GAME.dump(state), seat, draws))
    assert shown(Moment(other, moment.events), seat) == shown(moment, seat)
    compared = 0
    texts = list(KNOWN)
    if GAME.to_act(state) == seat:
        for action in (draws.choice(texts) for _ in range(40)):
            assert refusal(other, action) == refusal(state, action)
        actions = [(draws.choice(GAME.legal(state)),) * 2 for _ in range(3)]
    else:
        # The other seat acts in ways that the seat cannot tell apart.
        both = sorted(set(GAME.legal(state)) & set(GAME.legal(other)))
        actions = [(draws.choice(both),) * 2 for _ in range(3)] if both else []
        hidden = [
            [action for action in GAME.legal(each) if action.startswith(("trap", "piece"))] for each in (state, other)
        ]
        for verb in ("trap ", "piece "):
            one, two = ([action for action in each if action.startswith(verb)] for each in hidden)
            if one and two:
                actions.append((draws.choice(one), draws.choice(two)))
    for here, there in actions:
        after, events = GAME.apply(state, here)
        after_other, events_other = GAME.apply(other, there)
        if CONTACT & {event.kind for event in events + events_other} or _setup_ends(events, events_other):
            continue
        assert told(events, seat) == told(events_other, seat)
        assert json.dumps(GAME.view(after, seat)) == json.dumps(GAME.view(after_other, seat))
        compared += 1
    return compared


def _setup_ends(*steps: tuple[Event, ...]) -> bool:
    """When both sides are set up, their pieces are shown; when one is, the other learns that it acts."""
    return any(event.kind == "setup_done" for events in steps for event in events)


@pytest.mark.parametrize("start", STARTS)
def test_what_a_seat_cannot_know_reaches_it_nowhere(start):
    draws = Draws(f"secrecy:{start}")
    every = list(moments(start, 3, 30))
    some = [draws.choice(every) for _ in range(8)] + every[:2]
    compared = sum(check(moment, seat, draws) for moment in some for seat in SEATS)
    assert compared >= 10


@pytest.mark.soak
@pytest.mark.parametrize("start", STARTS)
def test_what_a_seat_cannot_know_reaches_it_nowhere_in_thousands_of_positions(start):
    draws = Draws(f"secrecy at length:{start}")
    checked = 0
    for seed in range(3):
        for moment in list(moments(start, seed, (5, 30, 70)[seed]))[::2]:
            for seat in SEATS:
                check(moment, seat, draws)
            checked += 1
    assert checked >= 50


def test_the_rearrangement_changes_everything_hidden():
    """Else the comparison would show nothing: each hidden thing differs in some rearranged position."""
    draws = Draws("changes")
    changes: set[str] = set()
    for start in (*STARTS, None):
        for moment in list(moments(start, 5, 30))[::9]:
            position = GAME.dump(moment.state)
            if position["phase"] == "over":
                continue
            for seat in SEATS:
                other = rearranged(position, seat, draws)
                rival = OTHER[seat]
                for key, one, two in (
                    ("chance", position["chance"], other["chance"]),
                    ("traps", position["traps"][rival], other["traps"][rival]),
                    ("pickup", position["pickup"], other["pickup"]),
                    ("boxes", position["boxes"], other["boxes"]),
                    ("known", position["known"][rival], other["known"][rival]),
                    ("power", position["power"], other["power"]),
                    ("relaid", position.get("relaid"), other.get("relaid")),
                ):
                    if one != two:
                        changes.add(key)
                if position["phase"] == "setup" and position["pieces"][rival] != other["pieces"][rival]:
                    changes.add("setup")
    assert changes >= {"chance", "traps", "pickup", "boxes", "known", "setup"}


def test_powers_and_relaid_traps_are_rearranged_too():
    draws = Draws("powers")
    base = GAME.scenarios["box_race"](SEATS, {}, 2)
    seat, rival = base["to_act"], OTHER[base["to_act"]]
    held = {**base, "pickup": {**base["pickup"], "found": True}, "power": base["pickup"]["kind"]}
    others = [rearranged(held, rival, draws) for _ in range(20)]
    assert {other["power"] for other in others} == {"trap", "terraform"}
    for other in others:
        assert GAME.view(GAME.load(other), rival) == GAME.view(GAME.load(held), rival)
    assert {rearranged(held, seat, draws)["power"] for _ in range(20)} == {held["power"]}
    tile = next(iter(base["traps"][seat]))
    spent = {
        **base,
        "pickup": {**base["pickup"], "kind": "trap", "found": True},
        "traps": {**base["traps"], seat: {**base["traps"][seat], tile: "spent", "12,1": "live"}},
    }
    assert GAME.dump(GAME.load(spent)) == spent
    found = {json.dumps(rearranged(spent, rival, draws).get("relaid")) for _ in range(20)}
    assert found == {"null", json.dumps({seat: tile})}
    for _ in range(20):
        new = rearranged(spent, rival, draws)
        assert GAME.view(GAME.load(new), rival) == GAME.view(GAME.load(spent), rival)
