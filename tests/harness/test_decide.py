"""One decision: what is asked again, and what happens when nothing usable comes."""

from __future__ import annotations

from typing import Any

import pytest

from games import get_game
from harness.decide import Policy, decide
from harness.observation import Memory, Record, observe
from harness.players import Answer, Ask
from harness.prompt import Context
from harness.reply import Completion
from harness.spec import Interface, Talk
from tests.harness.tables import SEATS, Scripted

GAME = get_game("so_long_sucker")


def an_ask(asked: Any = "act") -> Ask:
    state = GAME.start(SEATS, GAME.Options(chips=3), 1).state
    seat = GAME.to_act(state)
    assert seat is not None
    state = GAME.apply(state, f"play {seat} new").state
    observation = observe(
        GAME, state, seat, SEATS, Record(), Memory(), asked=asked, talk=None, pledges=False
    )  # fmt: skip
    context = Context("so_long_sucker", seat, SEATS, {}, None, Interface(), Talk(), "off", {})
    return Ask(observation, observation.legal, context, (), (), 1, 2, "key")


def answers(*texts: Any) -> Scripted:
    left = list(texts)
    return Scripted(lambda ask: left.pop(0))


async def test_a_usable_answer_counts_at_once() -> None:
    ask = an_ask()
    decision = await decide(answers({"actions": ["next blue"], "notes": "n"}), ask, Policy(2, "fallback"))
    assert (decision.actions, decision.source, decision.notes) == (("next blue",), "player", "n")


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ("next blue", "unreadable"),
        ({"actions": ["next purple"]}, "illegal"),
        (None, "empty"),
        (Answer(Completion(None, None, None, None), error_kind="content_filter", error="filtered"), "content_filter"),
    ],
)
async def test_a_bad_answer_is_asked_again_with_what_was_wrong(bad: Any, kind: str) -> None:
    player = answers(bad, {"actions": ["next red"]})
    decision = await decide(player, an_ask(), Policy(2, "fallback"))
    assert decision.actions == ("next red",)
    assert next(ask.failures for ask in player.asks) == ()
    failure = player.asks[1].failures[0]
    assert failure.error_kind == kind
    assert failure.error


async def test_the_fallback_is_legal_drawn_by_its_key_and_counted_against_the_player() -> None:
    ask = an_ask()
    player = answers(*["?"] * 3)
    decision = await decide(player, ask, Policy(2, "fallback"))
    assert len(player.asks) == 3
    assert decision.source == "fallback"
    assert decision.actions[0] in ask.observation.legal
    assert (await decide(answers(*["?"] * 3), ask, Policy(2, "fallback"))).actions == decision.actions
    drawn = set()
    for key in range(40):
        other = await decide(answers("?"), ask._replace(chance=str(key)), Policy(0, "fallback"))
        drawn.add(other.actions)
    assert len(drawn) == len(ask.observation.legal)


async def test_forfeit_instead_where_the_file_says_so() -> None:
    decision = await decide(answers("?", "?"), an_ask(), Policy(1, "forfeit"))
    assert decision.forfeited
    assert decision.actions == ()


async def test_in_a_talk_round_no_answer_is_silence_and_never_a_forfeit() -> None:
    decision = await decide(answers("?", "?"), an_ask("talk"), Policy(1, "forfeit"))
    assert not decision.forfeited
    assert decision.messages == ()


async def test_a_person_is_asked_as_often_as_it_takes() -> None:
    left: list[Any] = ["?"] * 9 + [{"actions": ["next red"]}]
    player = Scripted(lambda ask: left.pop(0), kind="human")
    decision = await decide(player, an_ask(), Policy(0, "forfeit"))
    assert decision.source == "human"
    assert decision.actions == ("next red",)
