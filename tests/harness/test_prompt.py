"""Prompts: their order, what they repeat byte for byte, and what they tell."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.api import Allowance, Event, Message
from harness.observation import shown_order
from harness.prompt import (
    REPEATED_CHARS,
    Failure,
    Past,
    event_text,
    personas,
    prompts_hash,
    render,
    view_text,
)
from harness.records import PromptMessage
from harness.spec import Interface, Talk
from tests.harness.prompting import (
    GAME,
    PRESETS,
    RED_FIRST,
    SEATS,
    context,
    decisions,
    observation,
    options,
    prompt,
    states,
    whole,
)

# Order


def test_what_never_changes_comes_first_and_the_seat_last() -> None:
    ctx = context(interface=Interface(framing="cutthroat"), persona="diplomat")
    parts = prompt(ctx=ctx)[0].parts
    starts = [part.splitlines()[0] for part in parts[:-1]]
    assert starts[1:] == ["# So Long Sucker", "## The mood at this table", "## This match"]
    assert parts[-1].startswith("You are ")
    assert "Your manner" in parts[-1]


def test_all_seats_of_a_table_share_all_but_the_last_part() -> None:
    seen = observation()
    systems = [
        render(seen._replace(seat=seat), seen.legal, context(seat=seat, persona=persona), (), ())[0].parts
        for seat, persona in zip(SEATS, (None, *personas()), strict=False)
    ]
    assert len({parts[:-1] for parts in systems}) == 1
    assert len({parts[-1] for parts in systems}) == len(SEATS)


def test_a_tournament_shares_what_comes_before_the_match() -> None:
    other = context(seats=SEATS[:2], pledge_kinds={})
    first, second = prompt()[0].parts, prompt(ctx=context(talk=Talk(round=2)))[0].parts
    assert first[:2] == second[:2]
    assert first[2] != second[2]
    assert prompt(ctx=other)[0].parts[1] == first[1]


@pytest.mark.parametrize("seed", range(4))
def test_a_prompt_goes_on_from_the_one_before(seed: int) -> None:
    """All of a prompt but the present (table and legal actions) is the beginning of the seat's next one."""
    before: dict[str, tuple[PromptMessage, ...]] = {}
    kept = total = 0
    for seen, _, messages in decisions(seed, context()):
        text = whole(messages)
        if seen.seat in before:
            earlier = before[seen.seat]
            present = earlier[-1].parts[-1]
            assert present.splitlines()[0] == "The table now:"
            prefix = whole(earlier)[: -len(present)]
            assert text.startswith(prefix.rstrip())
            kept += len(prefix)
            total += len(text)
        before[seen.seat] = messages
    assert kept / total > 0.7


@pytest.mark.parametrize("kept", ["full", "last 3", "none"])
def test_what_is_kept_of_earlier_prompts_changes_none(kept: str) -> None:
    """One context throughout a match gives what a new one for each prompt gives, whatever part of it is shown."""
    ctx = {seat: context(interface=Interface(history=kept), seat=seat) for seat in SEATS}
    failures = [Failure("no", "illegal", "it is not legal")]
    for seen, past, fresh in decisions(RED_FIRST, context(interface=Interface(history=kept))):
        once = ctx[seen.seat]
        shown = shown_order(f"{RED_FIRST}:{seen.seat}:{seen.decision}", seen.legal)
        assert render(seen, shown, once, past, ()) == fresh
        shorter = past[-3:]
        for part, faults in ((shorter, ()), (past, failures), (shorter, failures)):
            assert render(seen, shown, once, part, faults) == render(
                seen, shown, replace(once, seat=seen.seat), part, faults
            )


def test_the_present_is_in_its_order() -> None:
    message = Message("blue", "red", "hello")
    seen = observation(notes="keep red", messages=(message,))
    text = prompt(seen)[-1].text
    places = [
        text.index(words)
        for words in ("What happened:", "What was said:", "Your notes:", "The table now:", "Your legal")
    ]
    assert places == sorted(places)


# Turns

REPLIES = st.none() | st.sampled_from(
    ["", " \n", "<think>only thoughts</think>", "<think>open", '{"actions": ["x"]}', "no"]
)
PASTS = st.lists(
    st.builds(
        Past,
        decision=st.integers(0, 50),
        asked=st.sampled_from(["act", "talk"]),
        events=st.sampled_from([(), (Event("win", "all", {"seat": "red"}),)]),
        messages=st.sampled_from([(), (Message("blue", "all", "hi"),)]),
        reply=REPLIES,
        played=st.just(("play red new",)),
        source=st.sampled_from(["player", "forced", "fallback", "human"]),
        dropped=st.sampled_from([(), ("a message was not delivered: it is empty",)]),
    ),
    max_size=6,
)
FAILURES = st.lists(st.builds(Failure, REPLIES, st.just("unreadable"), st.just("the reply was empty")), max_size=4)


@settings(max_examples=60, deadline=None)
@given(PASTS, FAILURES, st.sampled_from(["full", "last 2", "none"]), st.sampled_from(["act", "talk"]))
def test_roles_alternate_and_no_turn_is_empty(history: Any, failures: Any, kept: str, asked: Any) -> None:
    seen = observation(asked=asked)
    messages = prompt(seen, context(interface=Interface(history=kept)), history=history, failures=failures)
    roles = [message.role for message in messages]
    assert roles[:2] == ["system", "user"]
    assert all(role == ("user" if index % 2 else "assistant") for index, role in enumerate(roles[1:], start=1))
    assert roles[-1] == "user"
    for message in messages:
        assert message.parts
        assert all(part.strip() for part in message.parts)


def test_history_is_as_long_as_the_interface_says() -> None:
    history = [Past(number, "act", (), (), f'{{"actions": ["a{number}"]}}', (), "player") for number in range(5)]
    for kept, count in (("full", 5), ("last 2", 2), ("last 9", 5), ("none", 0)):
        messages = prompt(ctx=context(interface=Interface(history=kept)), history=history)
        answers = [message.text for message in messages if message.role == "assistant"]
        assert answers == [past.reply for past in history[5 - count :]]


def test_an_earlier_turn_holds_its_events_and_messages_alone() -> None:
    past = Past(0, "act", (Event("win", "all", {"seat": "blue"}),), (Message("blue", "all", "ha"),), "{}", (), "player")
    turn = prompt(history=[past])[1].text
    assert "- blue wins" in turn
    assert '- blue to all: "ha"' in turn
    assert "The table now" not in turn
    assert "legal actions" not in turn


def test_own_words_are_repeated_only_where_no_history_is_kept() -> None:
    seen = observation(messages=(Message("red", "all", "mine"), Message("blue", "all", "yours")))
    assert "mine" not in whole(prompt(seen))
    kept = whole(prompt(seen, context(interface=Interface(history="none"))))
    assert '- red (you) to all: "mine"\n- blue to all: "yours"' in kept


def test_thinking_is_left_out_of_history_and_long_answers_are_cut() -> None:
    history = [
        Past(0, "act", (), (), '<think>secret</think>{"actions": ["play red new"]}', (), "player"),
        Past(1, "act", (), (), "x" * 50_000, (), "player"),
    ]
    messages = prompt(history=history)
    assert messages[2].text == '{"actions": ["play red new"]}'
    assert len(messages[4].text) < REPEATED_CHARS + 5


def test_a_stand_in_is_told_to_the_seat_and_joins_the_next_turn() -> None:
    history = [
        Past(0, "act", (), (), None, ("play red new",), "fallback"),
        Past(1, "talk", (), (), None, (), "fallback"),
    ]
    messages = prompt(history=history)
    assert len(messages) == 2
    assert "play red new was played in your place" in messages[1].text
    assert "you said nothing" in messages[1].text


@pytest.mark.parametrize("kept", ["full", "none"])
def test_what_was_left_out_of_an_answer_is_told_next_time(kept: str) -> None:
    past = Past(0, "act", (), (), "{}", (), "player", dropped=('"to" has to be "all"\n# or\u202e one seat',))
    messages = prompt(ctx=context(interface=Interface(history=kept)), history=[past])
    assert '- "to" has to be "all" # or one seat' in messages[-1].text.splitlines()


def test_a_failure_is_answered_with_what_was_wrong_and_the_legal_list() -> None:
    failures = [
        Failure("I play.", "unreadable", "the reply holds no complete JSON object"),
        Failure(None, "empty", "the reply was empty"),
    ]
    seen = observation()
    messages = prompt(seen, failures=failures)
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2].text == "I play."
    assert "the reply holds no complete JSON object. Nothing was played." in messages[3].text
    assert "the reply was empty. Nothing was played." in messages[3].text
    assert messages[3].text.count(f"- {seen.legal[0]}") == 2
    unlisted = prompt(seen, context(interface=Interface(legal="none")), failures=failures)
    assert f"- {seen.legal[0]}" not in whole(unlisted)


# What is told


@pytest.mark.parametrize("rules", PRESETS)
def test_the_rules_state_the_options_in_force(rules: str) -> None:
    base = options(rules=rules)
    text = prompt(ctx=context(options=base))[0].parts[1]
    switches = {
        "captor": ("mover", "owner"),
        "choice": ("table", "pile"),
        "order": ("deepest", "latest"),
        "donors": ("any", "prisoners"),
        "heir": ("rebound", "clockwise"),
    }
    for switch, (one, other) in switches.items():
        flipped = {**base, switch: other if base[switch] == one else one}
        assert prompt(ctx=context(options=flipped))[0].parts[1] != text, switch
    assert "12 chips" in prompt(ctx=context(options={**base, "chips": 12}))[0].parts[1]
    assert "1 chip of" in prompt(ctx=context(options={**base, "chips": 1}))[0].parts[1]


def test_every_form_of_action_is_in_the_rules() -> None:
    text = prompt()[0].parts[1]
    for form in (
        "play COLOUR on N",
        "play COLOUR new",
        "kill COLOUR",
        "next COLOUR",
        "ask COLOUR",
        "donate COLOUR",
        "refuse",
    ):
        assert f"`{form}`" in text


def test_the_view_tells_every_position_apart() -> None:
    """No two positions that differ in anything a player may know look the same."""
    texts: dict[str, str] = {}
    for seed, rules in itertools.product(range(12), PRESETS):
        for state, _ in states(seed, rules):
            view = dict(GAME.view(state, "red"))
            facts = {key: value for key, value in view.items() if key not in ("options", "next_pile")}
            text = view_text(GAME.name, view)
            assert texts.setdefault(text, json.dumps(facts)) == json.dumps(facts)
    assert len(texts) > 400


def test_every_event_of_the_game_has_words_of_its_own() -> None:
    seen = set()
    for seed, rules in itertools.product(range(25), PRESETS):
        for _, events in states(seed, rules, chips=5):
            for event in events:
                text = event_text(GAME.name, event)
                assert text.strip() == text
                assert "\n" not in text
                assert "=" not in text, event
                seen.add(event.fields.get("why", event.kind))
    assert seen >= {
        *("order", "choice", "capture", "rebound", "again"),
        *("start", "play", "capture", "kill", "to_dead"),
        *("ask", "donate", "refuse", "eliminated", "win"),
    }


def test_a_game_without_templates_is_shown_all_the_same() -> None:
    view = {
        "you": "red",
        "score": {"red": 3, "blue": 0},
        "board": {"rows": [[1, None], [2, True]]},
        "list": [{"a": 1}],
        "odd": "a\nb",
    }
    text = view_text("unheard_of", view)
    assert text.splitlines() == [
        *("you: red", "score: {red: 3, blue: 0}", "board:", "  rows: [[1, none], [2, yes]]"),
        *("list:", "  - {a: 1}", 'odd: "a\\nb"'),
    ]
    assert (
        event_text("unheard_of", Event("roll", ("red",), {"seat": "red", "dice": [1, 6]}))
        == "roll seat=red dice=[1, 6]"
    )
    assert event_text(GAME.name, Event("new_kind", "all", {"seat": "red"})) == "new_kind seat=red"


def test_the_first_prompt_is_short() -> None:
    assert len(whole(prompt())) < 3_600
    brief = context(interface=Interface(thoughts="none", notes=False), talk=Talk(messages=1, chars=120), pledges="off")
    assert len(whole(prompt(ctx=brief))) < 2_900


TALKING = ("messages", "pledge", "What was said", "What players say")


def test_what_is_off_is_not_spoken_of() -> None:
    silent = whole(prompt(observation(talk=None, pledges=()), context(talk=Talk(messages=0, round=0))))
    assert not [words for words in TALKING if words in silent]
    assert "pledge" not in whole(prompt(ctx=context(pledges="off")))
    assert "recorded" not in whole(prompt())
    assert "recorded" in whole(prompt(ctx=context(pledges="announced")))
    assert "notes" not in whole(prompt(observation(notes="old"), context(interface=Interface(notes=False))))
    assert "thoughts" not in whole(prompt(ctx=context(interface=Interface(thoughts="none"))))
    assert "alone" not in prompt(ctx=context(talk=Talk(private=False)))[0].parts[2].split("\n\n")[1].replace(
        "words alone", ""
    )


def test_messages_running_out_are_told() -> None:
    assert "You have no messages left." in prompt(observation(talk=None))[-1].text
    assert "Messages you may still send: 1." in prompt(observation(talk=Allowance(1, 280, private=True)))[-1].text


URGING = (
    "ally",
    "allies",
    "allian",
    "betray",
    "backstab",
    "deceiv",
    "trick",
    "trust",
    "cooperat",
    "lie ",
    "lying",
    "bluff",
    "enemy",
    "friend",
    "ruthless",
)


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("asked", ["act", "talk"])
def test_neutral_prompts_urge_nothing_and_cutthroat_ones_do(rules: str, asked: Any) -> None:
    seen = observation(asked=asked)
    text = whole(prompt(seen, context(options=options(rules=rules), pledges="announced"))).lower()
    assert not [word for word in URGING if re.search(rf"\b{word}", text)]
    harsh = whole(prompt(seen, context(options=options(rules=rules), interface=Interface(framing="cutthroat")))).lower()
    assert {"ally", "allian", "betray"} <= {word for word in URGING if re.search(rf"\b{word}", harsh)}


def test_framing_adds_a_part_and_changes_no_other() -> None:
    plain, harsh = prompt(), prompt(ctx=context(interface=Interface(framing="cutthroat")))
    assert [part for part in harsh[0].parts if part not in plain[0].parts] == [harsh[0].parts[2]]
    assert plain[1:] == harsh[1:]
    text = (files("prompts") / "cutthroat.md").read_text(encoding="utf-8").strip()
    other = context(interface=Interface(framing="cutthroat"))
    assert harsh[0].parts[2] != text
    assert other.game == GAME.name


def test_a_game_without_rules_for_players_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^game: unheard_of has no rules for players"):
        prompt(ctx=context(game="unheard_of"))


def test_an_unknown_persona_is_refused_by_name() -> None:
    for name in ("pirate", "../system", ""):
        with pytest.raises(ValueError, match=f'^persona: "{name}" is none of accountant, '):
            prompt(ctx=context(persona=name))


def test_the_hash_covers_every_prompt_file() -> None:
    folder = Path(str(files("prompts")))
    assert re.fullmatch("[0-9a-f]{64}", prompts_hash())
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name for name in names if not name.endswith((".j2", ".md"))} <= {
        name for name in names if name.startswith("__") or "/__" in name
    }
