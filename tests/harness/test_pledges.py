"""Verdicts on pledges: the same from the same log, and others from another one."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from games import get_game
from games.api import Json
from harness.players.bot import BotPlayer
from harness.pledges import JudgedPledge, judge, judge_all
from harness.records import MatchRecord, MessageRecord, Stretch, TurnRecord
from harness.replay import build
from harness.starts import handed_on
from tests.games.so_long_sucker.build import position
from tests.games.star_ludo.build import position as ludo
from tests.harness.logs import NOON, logged, pledging
from tests.harness.tables import SEATS, match_of, table

HANDS = {"red": "rr", "blue": "bb", "green": "gg", "yellow": "yyyy"}
START = position(HANDS, ["bgr", "rgb"])
SPARED = ("play red on 1", "kill green", "play red new", "next blue", "play blue on 2", "kill green")
"""Red captures and spares blue, gives blue the move; blue captures and spares red. Turns begin at plies 2, 4 and 6."""
HIT_BY_RED = (*SPARED[:1], "kill blue", *SPARED[2:])
HIT_BY_BLUE = (*SPARED[:5], "kill red")
EMPTY = position({"red": "", "blue": "b", "green": "g", "yellow": "y"}, ["rb"], phase="ask")


def verdicts(start: Json, actions: tuple[str, ...], *messages: MessageRecord, **fields: Any) -> list[JudgedPledge]:
    said = [message.model_copy(update={"seq": seq}) for seq, message in enumerate(messages)]
    match, turns = logged(start, actions, **fields)
    return judge(match, turns, said)


def verdict(start: Json, actions: tuple[str, ...], *messages: MessageRecord, **fields: Any) -> tuple[Any, ...]:
    """What became of the first pledge: verdict, its ply, why."""
    one = verdicts(start, actions, *messages, **fields)[0]
    return one.verdict, one.verdict_ply, one.why


@pytest.mark.parametrize(
    ("kind", "answer", "wanted"),
    [
        ("donate", "donate blue", "kept"),
        ("donate", "refuse", "broken"),
        ("refuse", "refuse", "kept"),
        ("refuse", "donate blue", "broken"),
    ],
)
def test_an_answer_decides_promises_to_donate_and_to_refuse(kind: str, answer: str, wanted: str) -> None:
    said = pledging("blue", 1, kind, "red")
    assert verdict(EMPTY, ("ask blue", answer), said) == (wanted, 2, "deed")


@pytest.mark.parametrize(("actions", "wanted"), [(SPARED, "kept"), (HIT_BY_BLUE, "broken")])
def test_a_kill_decides_a_promise_to_spare(actions: tuple[str, ...], wanted: str) -> None:
    assert verdict(START, actions, pledging("blue", 1, "spare", "red")) == (wanted, 6, "deed")


@pytest.mark.parametrize(("to", "wanted"), [("blue", "kept"), ("green", "broken"), ("yellow", "broken")])
def test_a_choice_decides_a_promise_of_the_turn(to: str, wanted: str) -> None:
    assert verdict(START, SPARED, pledging("red", 1, "give_turn", to)) == (wanted, 4, "deed")


@pytest.mark.parametrize(("action", "wanted"), [("move 1", "broken"), ("move 2", "kept")])
def test_a_move_decides_a_promise_to_spare_in_ludo(action: str, wanted: str) -> None:
    start = ludo({"red": [10, 20], "yellow": [41]}, (5, 2))
    assert verdict(start, (action,), pledging("red", 1, "spare", "yellow")) == (wanted, 1, "deed")


def test_the_only_legal_act_is_void() -> None:
    start = ludo({"red": [10], "yellow": [41]}, (5, 2))
    assert verdict(start, ("move 1",), pledging("red", 1, "spare", "yellow")) == ("void", 1, "no_choice")


def test_a_fallback_is_void_whatever_it_did() -> None:
    for actions in (SPARED, HIT_BY_BLUE):
        said = pledging("blue", 1, "spare", "red")
        assert verdict(START, actions, said, sources={6: "fallback"}) == ("void", 6, "fallback")


def test_the_first_occasion_decides() -> None:
    """Red has two choices of who goes next: it keeps the first and gives the second to green."""
    match, turns = logged(position(HANDS, ["rg", "b"]), ("play red on 2", "next red", "play red on 1", "next green"))
    said = [pledging("red", 1, "give_turn", "green"), pledging("red", 3, "give_turn", "green", seq=1)]
    assert [(one.verdict, one.verdict_ply) for one in judge(match, turns, said)] == [("broken", 2), ("kept", 4)]


def test_the_term_is_the_turns_that_follow_and_includes_the_last() -> None:
    """Two turns have begun before blue's kill at ply 6."""
    assert verdict(START, SPARED, pledging("blue", 1, "spare", "red", 2)) == ("kept", 6, "deed")
    assert verdict(START, SPARED, pledging("blue", 1, "spare", "red", 1)) == ("untested", None, "no_occasion")
    assert verdict(START, SPARED, pledging("blue", 5, "spare", "red", 1)) == ("kept", 6, "deed")


def test_a_turn_that_begins_with_the_act_the_words_came_with_is_the_first_of_the_term() -> None:
    start = position({**HANDS, "red": "rrr"}, ["rg", "b", "bgr"], chips_each=6)
    actions = ("play red on 2", "next red", "play red new", "next red", "play red on 3", "kill blue")
    for turns, wanted in ((1, "untested"), (2, "broken")):
        assert verdict(start, actions, pledging("red", 2, "spare", "blue", turns, talk=False))[0] == wanted


def test_extra_turns_count_as_turns_in_ludo() -> None:
    start = ludo({"red": [1, 20], "yellow": [41]}, (2, 1), seats=2)
    match, turns = logged(start, ("move 1", "move 1"))
    began = [event["kind"] for event in turns[1].events]
    assert "turn" in began
    assert judge(match, turns, [pledging("red", 1, "spare", "yellow", 1)])[0].why == "open"


def test_no_occasion_in_the_term_or_before_the_end_is_untested() -> None:
    assert verdict(START, SPARED, pledging("yellow", 1, "spare", "red", 2)) == ("untested", None, "no_occasion")
    over = {"status": "finished", "outcome": {"winners": [], "places": {}, "reason": "forfeit"}}
    assert verdict(START, SPARED, pledging("yellow", 1, "spare", "red", 40), **over)[2] == "no_occasion"


def test_a_term_that_still_runs_is_told_apart() -> None:
    assert verdict(START, SPARED, pledging("yellow", 1, "spare", "red", 40)) == ("untested", None, "open")


def test_a_pledge_that_came_with_an_action_is_judged_from_the_next_one_on() -> None:
    said = pledging("blue", 2, "donate", "red", talk=False)
    assert verdict(EMPTY, ("ask blue", "refuse"), said) == ("untested", None, "open")
    said = pledging("red", 1, "spare", "blue", talk=False)
    assert verdict(START, SPARED, said) == ("kept", 2, "deed")


def test_what_was_done_before_the_promise_decides_nothing() -> None:
    assert verdict(START, SPARED, pledging("red", 3, "spare", "blue"))[0] == "untested"


def test_another_players_act_decides_nothing() -> None:
    assert verdict(START, SPARED, pledging("green", 1, "give_turn", "blue"))[0] == "untested"


def test_a_condition_is_met_by_the_deed() -> None:
    said = pledging("blue", 1, "spare", "red", condition="spare")
    assert verdict(START, SPARED, said) == ("kept", 6, "deed")
    assert verdict(START, HIT_BY_BLUE, said) == ("broken", 6, "deed")


def test_a_condition_that_was_not_met_frees_the_maker() -> None:
    both = (*HIT_BY_RED[:5], "kill red")
    said = pledging("blue", 1, "spare", "red", condition="spare")
    assert verdict(START, both, said) == ("untested", None, "condition")
    assert verdict(START, both, pledging("blue", 1, "spare", "red")) == ("broken", 6, "deed")


def test_a_condition_that_is_still_to_come_binds_nobody_yet() -> None:
    said = pledging("blue", 1, "spare", "red", condition="donate")
    assert verdict(START, HIT_BY_BLUE, said) == ("untested", None, "condition")


def test_a_condition_is_met_by_a_running_pledge_of_the_other() -> None:
    said = pledging("blue", 1, "spare", "red", condition="donate")
    back = pledging("red", 3, "donate", "blue")
    assert verdict(START, HIT_BY_BLUE, said, back) == ("broken", 6, "deed")
    late = pledging("red", 3, "donate", "blue", 1)
    assert verdict(START, HIT_BY_BLUE, said, late)[0] == "broken", "one turn has begun between plies 3 and 6"
    over = pledging("red", 1, "donate", "blue", 1)
    assert verdict(START, HIT_BY_BLUE, said, over)[0] == "untested", "two turns have begun between plies 1 and 6"
    elsewhere = pledging("red", 3, "donate", "green")
    assert verdict(START, HIT_BY_BLUE, said, elsewhere)[0] == "untested"


def test_a_pledge_that_was_broken_already_meets_no_condition() -> None:
    said = pledging("blue", 3, "spare", "red", condition="spare")
    back = pledging("red", 1, "spare", "blue")
    assert verdict(START, (*HIT_BY_RED[:5], "kill red"), said, back)[0] == "untested"


def test_a_promise_and_its_return_stand_for_each_other() -> None:
    said = pledging("blue", 1, "spare", "red", condition="give_turn")
    back = pledging("red", 1, "give_turn", "blue", condition="spare")
    one, other = verdicts(START, HIT_BY_BLUE, said, back)
    assert (one.verdict, other.verdict, other.verdict_ply) == ("broken", "kept", 4)


def test_pledges_come_in_the_order_in_which_they_were_made_and_say_where_they_stand() -> None:
    one, other = verdicts(START, SPARED, pledging("red", 1, "give_turn", "blue"), pledging("blue", 5, "spare", "red"))
    assert (one.seq, one.number, one.ply, one.maker, one.addressee, one.kind) == (0, 0, 1, "red", "blue", "give_turn")
    assert (other.seq, other.ply, other.phase, one.phase) == (1, 5, "last third", "first third")


def test_a_changed_line_of_the_log_changes_the_verdict() -> None:
    match, turns = logged(START, SPARED)
    said = [pledging("blue", 1, "spare", "red")]
    assert judge(match, turns, said)[0].verdict == "kept"
    turns[5] = turns[5].model_copy(update={"action": "kill red"})
    assert judge(match, turns, said)[0].verdict == "broken"
    turns[5] = turns[5].model_copy(update={"source": "fallback"})
    assert judge(match, turns, said)[0].verdict == "void"


@pytest.mark.parametrize("changes", [{"action": "fly"}, {"ply": 9}, {"action": "kill yellow"}])
def test_a_log_that_cannot_be_followed_is_judged_as_far_as_it_goes(changes: dict[str, Any]) -> None:
    match, turns = logged(START, SPARED)
    turns[5] = turns[5].model_copy(update=changes)
    said = [pledging("red", 1, "give_turn", "blue"), pledging("blue", 1, "spare", "red", seq=1)]
    judged = judge_all(match, turns, said)
    assert [(one.verdict, one.why) for one in judged.pledges] == [("kept", "deed"), ("untested", "log")]
    assert judged.followed == 5


def test_a_start_that_does_not_load_judges_nothing() -> None:
    match, turns = logged(START, SPARED)
    said = [pledging("red", 1, "give_turn", "blue")]
    for broken in ({"start": None}, {"start": {"game": "so_long_sucker"}}, {"game": "noughts"}):
        assert judge(match.model_copy(update=broken), turns, said)[0].why == "log"


async def test_bots_pledges_are_judged_alike_alone_and_with_all_deeds() -> None:
    """A match full of promises, through the loop; every verdict names an act of its maker's in the term."""
    game = get_game("so_long_sucker")
    bots = {seat: BotPlayer(seat, game.bots[bot]) for seat, bot in zip(SEATS, ("turncoat", "banker") * 2, strict=True)}
    one, log = table(bots)
    outcome = await one.play()
    match = match_of(log.start_position).model_copy(update={"status": "finished", "outcome": outcome})
    pledges = judge(match, log.all_turns, log.all_messages)
    assert pledges == judge_all(match, log.all_turns, log.all_messages).pledges
    assert {"kept", "untested"} <= {pledge.verdict for pledge in pledges}
    for pledge in pledges:
        if pledge.verdict_ply is not None:
            act = log.all_turns[pledge.verdict_ply - 1]
            assert (act.seat, act.events[0]["to"]) == (pledge.maker, pledge.addressee)
            assert act.events[0]["kind"] == ("donate" if pledge.verdict == "kept" else "refuse")
            between = log.all_turns[pledge.ply - 1 : pledge.verdict_ply - 1]
            assert sum(event["kind"] == "turn" for turn in between for event in turn.events) <= pledge.turns


def reference(turns: list[TurnRecord], said: MessageRecord) -> tuple[str, int | None]:
    """The rulebook's verdict on a promise without a condition, read from the logged events alone."""
    pledge, out, pile, passed = said.pledges[0], set(), [], 0
    for turn in turns:
        events = {event["kind"]: event for event in turn.events}
        tested = None
        if "donate" in events or "refuse" in events:
            event = events.get("donate") or events["refuse"]
            if pledge.kind in ("donate", "refuse") and event["to"] == pledge.addressee:
                tested = event["kind"] == pledge.kind
        elif "kill" in events and pledge.kind == "spare":
            if pledge.addressee in pile and len(set(pile)) > 1:
                tested = events["kill"]["colour"] != pledge.addressee
        elif turn.action.startswith("next ") and pledge.kind == "give_turn" and pledge.addressee not in out:
            tested = turn.action == f"next {pledge.addressee}"
        if tested is not None and turn.seat == said.sender and turn.ply >= said.ply:
            if passed > pledge.turns:
                return "untested", None
            return ("void" if turn.source == "fallback" else "kept" if tested else "broken"), turn.ply
        pile = events["capture"]["chips"] if "capture" in events else []
        out |= {event["seat"] for event in turn.events if event["kind"] == "eliminated"}
        passed += sum(event["kind"] == "turn" for event in turn.events) if turn.ply >= said.ply else 0
    return "untested", None


def test_random_promises_come_out_as_the_events_alone_tell() -> None:
    game, draws = get_game("so_long_sucker"), random.Random(11)
    found: Counter[str] = Counter()
    for seed in range(12):
        state = game.start(game.seats(4), game.Options(chips=4), seed).state
        start, actions = game.dump(state), []
        while game.to_act(state) is not None:
            actions.append(draws.choice(game.legal(state)))
            state = game.apply(state, actions[-1]).state
        sources = {ply: "fallback" for ply in range(1, len(actions) + 1) if draws.random() < 0.1}
        match, turns = logged(start, actions, sources=sources)
        for _ in range(60):
            maker, to = draws.sample(SEATS, 2)
            kind, term = draws.choice(list(game.pledges)), draws.randint(1, 40)
            said = pledging(maker, draws.randint(1, len(actions)), kind, to, term)
            one = judge(match, turns, [said])[0]
            assert (one.verdict, one.verdict_ply) == reference(turns, said), (seed, said)
            found[one.verdict] += 1
    assert min(found.values()) > 10
    assert len(found) == 4


def test_games_without_pledges_have_no_deeds() -> None:
    match = MatchRecord(number=0, game="twenty_one", options={}, seed=1, seats=(), start={"game": "twenty_one"})
    turn = TurnRecord(ply=1, seat="p1", action="pass", source="player", position_hash="", at=NOON)
    assert judge_all(match, [turn], []) == ([], [], 1)


def test_deeds_say_whether_a_pledge_bore_on_them() -> None:
    match, turns = logged(START, SPARED)
    said = [pledging("red", 1, "give_turn", "blue"), pledging("blue", 1, "spare", "red", condition="donate", seq=1)]
    deeds = {(deed.ply, deed.kind, deed.to): deed for deed in judge_all(match, turns, said).deeds}
    assert {(*key, deed.pledged, deed.running) for key, deed in deeds.items() if deed.running} == {
        (4, "give_turn", "blue", True, True),
        (6, "spare", "red", False, True),
    }
    assert deeds[2, "spare", "blue"].kept
    assert not deeds[6, "spare", "green"].kept
    assert all(deed.counts and deed.alive for deed in deeds.values())


def test_a_decision_that_another_promise_bears_on_is_no_decision_without_one() -> None:
    match, turns = logged(EMPTY, ("ask blue", "donate blue"))
    deeds = judge_all(match, turns, [pledging("blue", 1, "refuse", "red")]).deeds
    assert {(deed.kind, deed.pledged, deed.running) for deed in deeds} == {
        ("donate", False, True),
        ("refuse", True, True),
    }


def test_a_fork_goes_on_with_its_own_chance() -> None:
    """The dice after ply 2 come from the fork's seed, and what can be played goes by them."""
    game, plies = get_game("star_ludo"), 12
    start = ludo({"red": [10, 20], "yellow": [41]}, (5, 2))
    match, _ = logged(start, ())
    stretch = Stretch(until=1, match_id=9, run="run", number=0, seed=5, seats=match.seats)
    fork = match.model_copy(update={"seed": 77, "lineage": (stretch,), "parent_ply": 1})
    state: Any = game.load(start)
    turns = []
    for ply in range(1, plies + 1):
        state = handed_on(fork, game, state, ply - 1)
        action = game.legal(state)[-1]
        turn = TurnRecord(ply=ply, seat="", action=action, source="player", position_hash="", at=NOON)
        turns.append(turn)
        state = game.apply(state, action).state
    assert judge_all(fork, turns, []).followed == plies
    assert judge_all(match, turns, []).followed < plies


def test_a_replay_shows_each_pledges_verdict_and_where_to_jump() -> None:
    match, turns = logged(START, HIT_BY_BLUE, sources={2: "fallback"})
    said = [
        pledging("red", 1, "give_turn", "blue"),
        pledging("blue", 1, "spare", "red", seq=1),
        pledging("yellow", 1, "spare", "red", seq=2),
        pledging("red", 1, "spare", "blue", seq=3),
    ]
    replay = build(match, turns, said, [], run="run")
    told = [
        (one["verdict"], one["verdict_ply"], one["why"]) for message in replay["messages"] for one in message["pledges"]
    ]
    assert told == [("kept", 4, "deed"), ("broken", 6, "deed"), ("untested", None, "open"), ("void", 2, "fallback")]
    assert replay["verdicts"] == [
        {"ply": 4, "verdict": "kept", "seq": 0, "number": 0},
        {"ply": 6, "verdict": "broken", "seq": 1, "number": 0},
    ]
