from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest

from games.api import Allowance, Event, Observation, Pledge
from games.chance import Draws
from games.so_long_sucker import bots
from tests.games.so_long_sucker.build import GAME, SEATS, position
from tests.games.table import TALK, play_bots

KINDS = tuple(GAME.pledges)
TALKERS = ["banker", "turncoat"]
SILENT = ["random", "greedy"]


def seen(where, *, seat=None, asked="act", talk=None, notes="", events=(), decision=0, pledges=KINDS):
    state = GAME.load(where)
    seat = seat or GAME.to_act(state)
    return Observation(
        game="so_long_sucker", seat=seat, seats=SEATS, decision=decision, asked=asked, view=GAME.view(state, seat),
        events=tuple(events), messages=(), legal=GAME.legal(state) if asked == "act" else (), alive=GAME.alive(state),
        notes=notes, talk=talk, pledges=pledges,
    )  # fmt: skip


def act(bot, where, **more):
    return GAME.bots[bot](seen(where, **more), Draws("test")).actions


HANDS = {"red": "rr", "blue": "bb", "green": "gg", "yellow": "yy"}


def asked_of(answerer, hands, *, mover="red", out=(), asked=None, options=None):
    return position(
        hands, ["rgby"], mover, phase="answer", to_act=answerer, asked=asked or [answerer], out=out, options=options
    )


ALL_OPEN = asked_of("blue", {"blue": "bbr", "green": "g", "yellow": "y"})


def donated(giver, taker):
    return Event("donate", "all", {"seat": giver, "to": taker, "colour": giver})


def test_random_takes_all_legal_actions_alike():
    where = position({"red": "rg", "yellow": "y"}, ["b", "y"])
    draws = Draws("alike")
    counts = Counter(GAME.bots["random"](seen(where), draws).actions[0] for _ in range(6000))
    assert set(counts) == set(GAME.legal(GAME.load(where)))
    assert all(850 < count < 1150 for count in counts.values())


@pytest.mark.parametrize("bot", GAME.bots)
def test_the_same_observation_and_draws_give_the_same_reply(bot):
    replies = [GAME.bots[bot](seen(ALL_OPEN, talk=TALK), Draws("same")) for _ in range(2)]
    assert replies[0] == replies[1]


GREEDY_PLAYS = {
    "largest pile": (position({**HANDS, "red": "rrb", "blue": "b"}, ["yr", "gyb", "b"]), "play blue on 2"),
    "first of equal piles": (position({**HANDS, "red": "rrb"}, ["yr", "gb"]), "play red on 1"),
    "what fewest rivals could take": (
        position({"red": "rgb", "blue": "bg", "green": "gb", "yellow": "yb"}, ["y"]),
        "play red on 1",
    ),
    "a colour that one rival holds before one that two do": (
        position({"red": "bg", "blue": "bgr", "green": "g", "yellow": "y"}, ["y"]),
        "play blue on 1",
    ),
    "prisoners of rivals count": (
        position({"red": "rg", "blue": "br", "green": "b", "yellow": "yr"}, ["y"]),
        "play green on 1",
    ),
    "the dead hold nothing": (
        position({"red": "rg", "blue": "bg", "yellow": "y"}, ["b"], out=["green"]),
        "play red on 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GREEDY_PLAYS)
def test_greedy_plays(name):
    where, action = GREEDY_PLAYS[name]
    assert act("greedy", where) == (action,)


def test_greedy_captures_for_itself_only_where_owners_capture():
    owner = {"captor": "owner"}
    where = position({**HANDS, "red": "rb"}, ["gyb", "yr"], options=owner)
    assert act("greedy", where) == ("play red on 2",)
    where = position({"red": "rb", "blue": "br", "green": "gr", "yellow": "yr"}, ["gyb"], options=owner)
    assert act("greedy", where) == ("play blue new",), "it would rather not hand blue a pile"
    where = position({"red": "rg", "blue": "br", "yellow": "yr"}, ["bg"], out=["green"], options=owner)
    assert act("greedy", where) == ("play green on 1",), "nobody captures on a dead colour"


def test_greedy_kills_the_colour_of_the_richest_living_rival():
    hands = {"red": "rrrr", "blue": "b", "green": "gy", "yellow": "y"}
    assert act("greedy", position(hands, [], phase="kill", captured="bgbb")) == ("kill green",)
    assert act("greedy", position(hands, [], phase="kill", captured="byy")) == ("kill blue",)
    assert act("greedy", position({**hands, "red": "rr"}, [], phase="kill", captured="rrb")) == ("kill blue",)
    dead = {"red": "rr", "blue": "b", "yellow": "y"}
    assert act("greedy", position(dead, [], phase="kill", captured="ggygg", out=["green"])) == ("kill yellow",)
    own = {"red": "rrr", "blue": "b", "yellow": "y"}
    assert act("greedy", position(own, [], phase="kill", captured="rgg", out=["green"])) == ("kill red",)


def test_greedy_gives_the_turn_to_the_poorest_rival():
    hands = {"red": "", "blue": "bb", "green": "g", "yellow": "y"}
    assert act("greedy", position(hands, ["r"], phase="next", last_pile=1)) == ("next green",)


def test_greedy_refuses_and_asks_the_first():
    assert act("greedy", ALL_OPEN) == ("refuse",)
    assert act("greedy", position({"blue": "b", "green": "g"}, ["rby"], phase="ask", asked=["blue"])) == ("ask green",)


def test_banker_refuses_whoever_never_gave():
    assert act("banker", ALL_OPEN) == ("refuse",)
    assert act("banker", ALL_OPEN, events=[donated("green", "blue"), donated("red", "green")]) == ("refuse",)


def test_banker_repays_a_donation_of_long_ago_from_its_notes():
    first = GAME.bots["banker"](seen(position(HANDS, ["rgby"], "blue"), events=[donated("red", "blue")]), Draws("test"))
    later = GAME.bots["banker"](seen(ALL_OPEN, notes=first.notes, decision=1), Draws("test"))
    assert later.actions == ("donate red",)
    again = GAME.bots["banker"](seen(ALL_OPEN, notes=later.notes, decision=2), Draws("test"))
    assert again.actions == ("donate red",)


def test_banker_repays_at_once_what_it_just_learned():
    assert act("banker", ALL_OPEN, events=[donated("red", "blue")]) == ("donate red",)


def test_a_prisoner_is_given_before_a_chip_of_the_own_colour():
    where = asked_of("blue", {"blue": "bby", "green": "g", "yellow": "y"})
    assert act("turncoat", where) == ("donate yellow",)
    where = asked_of("blue", {"blue": "bb", "green": "g", "yellow": "y"})
    assert act("turncoat", where) == ("donate blue",)


@pytest.mark.parametrize(
    "notes",
    [
        "", "{}", "null", "[]", "not json", '{"donors": 3}', "[" * 100_000,
        '{"donors": [], "thanked": [], "offered": 1e999, "table": 4, "pleaded": null, "said": []}',
        '{"donors": ["pink"], "thanked": [["red"]], "offered": null, "table": 0, "pleaded": null, "said": []}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("bot", TALKERS)
def test_notes_that_are_no_memory_count_as_none(bot, notes):
    fresh = GAME.bots[bot](seen(ALL_OPEN, talk=TALK), Draws("test"))
    assert GAME.bots[bot](seen(ALL_OPEN, talk=TALK, notes=notes), Draws("test")) == fresh


def test_turncoat_gives_while_three_or_more_live():
    assert act("turncoat", ALL_OPEN) == ("donate red",)
    last_of_four = asked_of("blue", {"blue": "b", "green": "g", "yellow": "y"}, asked=["green", "yellow", "blue"])
    assert act("turncoat", last_of_four) == ("donate blue",)
    three = asked_of("blue", {"blue": "b", "green": "g"}, out=["yellow"])
    assert act("turncoat", three) == ("donate blue",), "green can still be asked"


def test_turncoat_never_gives_when_two_would_be_left():
    decisive = asked_of("blue", {"blue": "b", "green": "g"}, out=["yellow"], asked=["green", "blue"])
    assert act("turncoat", decisive) == ("refuse",)
    nobody_else = asked_of("blue", {"blue": "b"}, out=["yellow"])
    assert act("turncoat", nobody_else) == ("refuse",)
    own_chips_only = asked_of("blue", {"blue": "bg", "green": "g"}, out=["yellow"], options={"donors": "prisoners"})
    assert act("turncoat", own_chips_only) == ("refuse",)
    two = asked_of("blue", {"blue": "b"}, out=["yellow", "green"])
    assert act("turncoat", two) == ("refuse",)


def test_turncoat_promises_a_donation_to_all_the_living():
    where = position({"red": "rr", "blue": "b", "yellow": "y"}, ["rb"], out=["green"])
    (message,) = GAME.bots["turncoat"](seen(where, talk=TALK), Draws("test")).messages
    assert message.to == "all"
    assert message.pledges == (Pledge("donate", "blue", 40), Pledge("donate", "yellow", 40))


def test_banker_thanks_once_and_pledges_to_repay():
    where = position({"blue": "bb", "red": "rr", "green": "g", "yellow": "y"}, ["rb"], "blue")
    first = GAME.bots["banker"](seen(where, talk=TALK, events=[donated("red", "blue")]), Draws("test"))
    assert [message.pledges for message in first.messages] == [(Pledge("donate", "red", 40),)]
    second = GAME.bots["banker"](
        seen(where, talk=TALK, events=[donated("red", "blue")], notes=first.notes, decision=1), Draws("test")
    )
    assert all(not message.pledges for message in second.messages)


def test_banker_pleads_with_a_pledge_on_condition():
    where = position({"green": "g", "yellow": "y"}, ["rb"], "blue", phase="ask", asked=["green"], out=["red"])
    (message,) = GAME.bots["banker"](seen(where, talk=TALK), Draws("test")).messages
    assert (message.to, message.pledges) == ("yellow", (Pledge("donate", "yellow", 40, "donate"),))
    public = Allowance(messages=1, chars=280, private=False)
    (message,) = GAME.bots["banker"](seen(where, talk=public), Draws("test")).messages
    assert message.to == "all"


def test_a_plea_is_not_said_twice_for_one_request():
    asking = position({"blue": "", "green": "g", "yellow": "y"}, ["rb"], "blue", phase="ask", out=["red"])
    first = GAME.bots["banker"](seen(asking, talk=TALK), Draws("test"))
    assert first.messages
    asked = {**asking, "phase": "answer", "to_act": "green", "asked": ["green"]}
    second = GAME.bots["banker"](
        seen(asked, seat="blue", asked="talk", talk=TALK, notes=first.notes, decision=1), Draws("test")
    )
    assert (second.actions, second.messages) == ((), ())
    next_request = GAME.bots["banker"](
        seen(asked, seat="blue", asked="talk", talk=TALK, notes=first.notes, decision=2), Draws("test")
    )
    assert [message.to for message in next_request.messages] == ["green"]
    unprepared = GAME.bots["banker"](seen(asked, seat="blue", asked="talk", talk=TALK, decision=5), Draws("test"))
    assert [message.to for message in unprepared.messages] == ["green"]


@pytest.mark.parametrize("bot", TALKERS)
def test_a_standing_offer_comes_first_after_an_elimination_and_seldom_otherwise(bot):
    four = position(HANDS, ["rbgy"])
    three = position({"red": "rr", "blue": "bb", "green": "gg"}, ["rbgy"], out=["yellow"])

    def says(where, notes, decision):
        reply = GAME.bots[bot](seen(where, talk=TALK, notes=notes, decision=decision), Draws("test"))
        return bool(reply.messages), reply.notes

    said, notes = says(four, "", 0)
    assert said
    assert [says(four, notes, decision)[0] for decision in range(1, 12)] == [False] * 11
    assert says(four, notes, 12)[0]
    assert says(three, notes, 1)[0]


@pytest.mark.parametrize("bot", TALKERS)
def test_it_speaks_in_a_talk_round_and_acts_not(bot):
    asked = position(
        {"red": "rr", "green": "g", "yellow": "y"}, ["rb"], "blue", phase="answer", to_act="red", asked=["red"]
    )
    reply = GAME.bots[bot](seen(asked, seat="green", asked="talk", talk=TALK), Draws("test"))
    assert reply.actions == ()
    assert len(reply.messages) == 1


@pytest.mark.parametrize("bot", SILENT)
@pytest.mark.parametrize("asked", ["act", "talk"])
def test_some_are_silent(bot, asked):
    reply = GAME.bots[bot](seen(ALL_OPEN, asked=asked, talk=TALK), Draws("test"))
    assert reply.messages == ()
    assert len(reply.actions) == (asked == "act")


@pytest.mark.parametrize("seat", SEATS)
def test_lines_are_short_and_name_whom_they_mean(seat):
    groups = [value for name, value in vars(bots).items() if name.isupper() and name.startswith("_")]
    assert all(len(group) > bots.FRESH for group in groups)
    for line in (line for group in groups for line in group):
        text = line.format(them=seat, Them=seat.capitalize())
        assert 0 < len(text) <= 120
        assert "{" not in text
        assert text.isprintable()


@pytest.mark.parametrize(
    "talk",
    [None, Allowance(0, 280, True), Allowance(2, 0, True), Allowance(1, 40, True), Allowance(1, 280, False)],
    ids=["no talk", "no messages", "no room", "little room", "public only"],
)
@pytest.mark.parametrize("bot", TALKERS)
def test_the_allowance_is_kept(bot, talk):
    for seed in range(5):
        log = play_bots("so_long_sucker", [bot, "turncoat", "banker", "greedy"], {"chips": 3}, seed, talk)
        assert bool(log.messages) == (talk is not None and talk.messages > 0 and talk.chars >= 40)


def test_no_pledges_where_none_are_kept():
    for bot in TALKERS:
        reply = GAME.bots[bot](seen(position(HANDS, ["rbgy"]), talk=TALK, pledges=()), Draws("test"))
        assert reply.messages
        assert not any(message.pledges for message in reply.messages)


def test_a_table_of_talkers_reads_well():
    texts: Counter[str] = Counter()
    for seed in range(40):
        chips = 3 + seed % 5
        log = play_bots("so_long_sucker", ["banker", "turncoat", "random", "banker"], {"chips": chips}, seed)
        for seat in SEATS:
            mine = [message.text for message in log.messages if message.sender == seat]
            assert all(line != after for line, after in pairwise(mine)), "says the same twice running"
        assert 2 <= len(log.messages) <= 0.6 * len(log.replies)
        texts.update(message.text for message in log.messages)
        assert GAME.outcome(log.state) is not None
    assert len(texts) > 60
    assert max(texts.values()) < 0.1 * texts.total()


@pytest.mark.parametrize("bot", GAME.bots)
@pytest.mark.parametrize("scenario", GAME.scenarios)
def test_every_bot_plays_every_scenario_to_its_end(bot, scenario):
    for options in ({"chips": 2}, {"chips": 4, "rules": "classic"}):
        start = GAME.scenarios[scenario](SEATS, options, 3)
        log = play_bots("so_long_sucker", [bot, "random", bot, "greedy"], options, 3, start=start)
        assert GAME.outcome(log.state) is not None


def test_notes_are_json_and_stay_short():
    log = play_bots("so_long_sucker", ["banker", "turncoat", "banker", "turncoat"], {}, 4)
    notes = [reply.notes for _, reply in log.replies]
    assert all(json.loads(note) for note in notes)
    assert max(map(len, notes)) < 500


def test_banker_keeps_its_word_over_whole_matches():
    repaid = 0
    for seed in range(30):
        log = play_bots("so_long_sucker", ["turncoat", "banker", "turncoat", "random"], {"chips": 3}, seed)
        owed = set()
        for event in log.events:
            if event.kind == "donate" and event.fields["to"] == "blue":
                owed.add(event.fields["seat"])
            if event.kind in ("donate", "refuse") and event.fields["seat"] == "blue":
                assert (event.kind == "donate") == (event.fields["to"] in owed)
                repaid += event.kind == "donate"
    assert repaid > 0
