"""What a good file becomes: every key of it, every default, and its normal form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.spec import (
    BudgetPart,
    GameEntry,
    Interface,
    Limit,
    PlayerSpec,
    Price,
    SpecError,
    Talk,
    Tournament,
    differences,
    identity,
    load,
    parse,
)
from tests.harness.spec.test_bad_files import GOOD

SMALL = "games: [{game: so_long_sucker}]\nplayers:\n" + "".join(
    f"  - {{label: {label}, bot: greedy}}\n" for label in ("one", "two", "three", "four")
)

WHOLE = """\
name: table-of-four
seed: 7
matches: 8
parallel: 3
games:
  - {game: so_long_sucker, options: {chips: 3}, seats: 4, start: opening}
players:
  - {label: smol, model: local/smollm2, params: {temperature: 0.8, max_tokens: 300}}
  - {label: flash, model: gemini/gemini-3-flash, persona: diplomat, response_format: json_object}
  - {label: house, model: openai/any, api_base: "http://127.0.0.1:8000/v1", api_key_env: HOUSE_KEY, price: free}
  - {label: dear, model: openai/gpt, price: {input: 1.0, output: 10, cached: 0.1}, extra_body: {deep: [1, {x: null}]}}
  - {label: greedy, bot: greedy}
  - {label: me, human: true}
seating: balanced
talk: {messages: 3, chars: 100, private: false, round: 0, order: simultaneous, per_match: 9}
pledges: announced
interface: {legal: list, thoughts: after, history: last 5, notes: off, framing: cutthroat}
retries: 0
on_illegal: forfeit
limits: {gemini: {rpm: 60, tpm: 200000, concurrent: 8}, openai/any: {timeout: 30}, dear: {rpm: 1}}
budget: {usd: 2, tokens: 500000, per_match: {usd: 0.50}, per_player: {flash: {usd: 1.00, tokens: 7}}}
"""


def test_every_key() -> None:
    spec = parse(WHOLE, "x.yaml")
    assert (spec.name, spec.seed, spec.matches, spec.parallel) == ("table-of-four", 7, 8, 3)
    entry = spec.games[0]
    assert (entry.game, entry.seats, entry.start, entry.options["chips"]) == ("so_long_sucker", 4, "opening", 3)
    smol, flash, house, dear, greedy, me = spec.players
    assert smol.params == {"temperature": 0.8, "max_tokens": 300}
    assert (flash.persona, flash.response_format) == ("diplomat", "json_object")
    assert (house.api_base, house.api_key_env, house.price) == ("http://127.0.0.1:8000/v1", "HOUSE_KEY", "free")
    assert dear.price == Price(input=1.0, output=10.0, cached=0.1)
    assert dear.extra_body == {"deep": [1, {"x": None}]}
    assert [player.kind for player in spec.players] == ["model", "model", "model", "model", "bot", "human"]
    assert [player.provider for player in spec.players] == ["local", "gemini", "openai", "openai", None, None]
    assert (greedy.bot, me.human) == ("greedy", True)
    assert spec.seating == "balanced"
    assert spec.talk == Talk(messages=3, chars=100, private=False, round=0, order="simultaneous", per_match=9)
    assert spec.pledges == "announced"
    assert spec.interface == Interface(
        legal="list", thoughts="after", history="last 5", notes=False, framing="cutthroat"
    )
    assert spec.interface.history_limit == 5
    assert (spec.retries, spec.on_illegal) == (0, "forfeit")
    assert spec.limits["gemini"] == Limit(rpm=60, tpm=200000, concurrent=8)
    assert spec.limits["openai/any"].timeout == 30
    assert spec.budget is not None
    assert (spec.budget.usd, spec.budget.tokens) == (2.0, 500000)
    assert spec.budget.per_match == BudgetPart(usd=0.5)
    assert spec.budget.per_player == {"flash": BudgetPart(usd=1.0, tokens=7)}


def test_every_default() -> None:
    spec = parse(SMALL, "somewhere/small-one.yaml")
    assert spec.name == "small-one"
    assert (spec.seed, spec.matches, spec.parallel, spec.seating) == (1, None, 8, "rotate")
    assert spec.games[0].seats == 4
    assert spec.games[0].options["chips"] == 7
    assert spec.games[0].options["captor"] == "mover"
    assert spec.talk == Talk(messages=2, chars=280, private=True, round=4, order="rotate", per_match=None)
    assert spec.interface == Interface(legal="enum", thoughts="before", history="full", notes=True, framing="neutral")
    assert spec.interface.history_limit is None
    assert (spec.pledges, spec.retries, spec.on_illegal, spec.limits, spec.budget) == (
        "silent",
        2,
        "fallback",
        {},
        None,
    )


def test_presets_are_written_out() -> None:
    options = (
        parse(SMALL.replace("so_long_sucker}", "so_long_sucker, options: {rules: classic}}"), "x.yaml").games[0].options
    )
    assert (options["rules"], options["captor"], options["choice"]) == ("classic", "owner", "pile")


@pytest.mark.parametrize("word", ["off", "no", "false", '"off"', "Off"])
def test_off_where_the_page_says_off(word: str) -> None:
    spec = parse(SMALL + f"pledges: {word}\ntalk: {word}\n", "x.yaml")
    assert spec.pledges == "off"
    assert (spec.talk.messages, spec.talk.round, spec.talk.on) == (0, 0, False)


def test_talk_without_a_message_in_a_match_is_off() -> None:
    assert not Talk(per_match=0).on
    assert Talk().on


@pytest.mark.parametrize(("text", "limit"), [("full", None), ("none", 0), ("last 1", 1), ("last   12", 12)])
def test_history(text: str, limit: int | None) -> None:
    interface = parse(SMALL + f"interface: {{history: {text}}}\n", "x.yaml").interface
    assert interface.history_limit == limit
    assert interface.history == " ".join(text.split())


@pytest.mark.parametrize("label", ["[bold red]nothing[/]", "</script><b>", "naïve 中文 🎲", "a: b, {c}", "42", "-"])
def test_labels_may_hold_anything_that_prints(label: str) -> None:
    text = SMALL.replace("label: one", f"label: {json.dumps(label, ensure_ascii=False)}")
    assert parse(text, "x.yaml").players[0].label == label


def test_a_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert load(path).name == "small"


def test_aliases_are_read() -> None:
    text = SMALL.replace(
        "{label: one, bot: greedy}", "{label: one, model: openai/a, params: &p {temperature: 1}}"
    ).replace("{label: two, bot: greedy}", "{label: two, model: openai/b, params: *p}")
    spec = parse(text, "x.yaml")
    assert spec.players[0].params == spec.players[1].params == {"temperature": 1}


def test_seats_are_the_most_that_game_and_pool_allow(two_games: None) -> None:
    entry = "games: [{game: tiny}]\nplayers:\n"
    for pool, seats in [(2, 2), (3, 3), (8, 3), (9, 9)]:
        players = "".join(f"  - {{label: p{n}, bot: greedy}}\n" for n in range(pool))
        assert parse(entry + players, "x.yaml").games[0].seats == seats


@pytest.mark.parametrize("text", [WHOLE, SMALL, GOOD])
def test_the_normal_form_goes_through_json(text: str) -> None:
    spec = parse(text, "x.yaml")
    data = json.loads(json.dumps(spec.to_json()))
    assert Tournament.from_json(data) == spec
    assert Tournament.from_json(data).to_json() == data


def test_it_can_be_made_in_python() -> None:
    spec = Tournament(
        name="t", games=(GameEntry(game="so_long_sucker"),), players=(PlayerSpec(label="a", bot="greedy"),)
    )
    assert spec.talk == Talk()
    assert spec.player("a").kind == "bot"


def test_overrides() -> None:
    spec = parse(SMALL, "x.yaml")
    other = spec.with_overrides(matches=12, parallel=2, seed=9, name="other")
    assert (other.matches, other.parallel, other.seed, other.name) == (12, 2, 9, "other")
    assert spec.with_overrides() == spec
    with pytest.raises(SpecError, match=r"^matches: 0 is not more than 0$"):
        spec.with_overrides(matches=0)
    with pytest.raises(SpecError, match=r"^seed: 9007199254740992 is not less than"):
        spec.with_overrides(seed=2**53)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("matches: 8", "matches: 48", []),
        ("parallel: 3", "parallel: 1", []),
        ("rpm: 60", "rpm: 6", []),
        ("budget: {usd: 2", "budget: {usd: 3", []),
        ("retries: 0\n", "retries: 0\n# a comment\n", []),
        ("options: {chips: 3}", "options: {chips: 3, rules: modern}", []),
        ("options: {chips: 3}", "options: {chips: 4}", ["games[0].options.chips: 3 in the run, 4 now"]),
        ("matches: 8", "matches: 25", []),
        ("seed: 7", "seed: 8", ["seed: 7 in the run, 8 now"]),
        ("retries: 0", "retries: 1", ["retries: 0 in the run, 1 now"]),
        ("temperature: 0.8", "temperature: 0.5", ["players[0].params.temperature: 0.8 in the run, 0.5 now"]),
        ("temperature: 0.8, ", "", ["players[0].params.temperature: 0.8 in the run, null now"]),
        ("price: free", "price: {input: 1, output: 2}", ['players[2].price: "free" in the run, {"input"']),
        ("  - {label: me, human: true}\n", "", ["players: 6 in the run, 5 now"]),
        ("history: last 5", "history: none", ['interface.history: "last 5" in the run, "none" now']),
        ("notes: off", "notes: on", ["interface.notes: false in the run, true now"]),
    ],
)
def test_what_a_run_may_go_on_with(old: str, new: str, told: list[str]) -> None:
    assert old in WHOLE
    found = differences(parse(WHOLE, "x.yaml"), parse(WHOLE.replace(old, new), "x.yaml"))
    assert len(found) == len(told)
    for line, start in zip(found, told, strict=True):
        assert line.startswith(start)


def test_matches_may_be_raised_not_lowered() -> None:
    one, two = (parse(SMALL + f"matches: {number}\n", "x.yaml") for number in (5, 8))
    more, none = parse(SMALL + "matches: 9\n", "x.yaml"), parse(SMALL, "x.yaml")
    assert differences(two, one) == []  # two packs both
    assert differences(none, one) == []
    assert differences(one, more) == []
    assert differences(more, one) == ["matches: 9 in the run, 5 now; it may be raised, not lowered"]
    assert differences(one, none) == ["matches: 5 in the run, null now; it may be raised, not lowered"]


BASE = PlayerSpec(label="a", model="openai/m", params={"temperature": 1}, api_base="http://h/v1")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/n"},
        {"params": {"temperature": 0}},
        {"params": {}},
        {"extra_body": {"x": 1}},
        {"api_base": "http://i/v1"},
        {"persona": "diplomat"},
        {"response_format": "none"},
    ],
)
def test_what_makes_another_player(change: dict[str, object]) -> None:
    who = identity(BASE, prompts_hash="p", version="1")
    assert identity(BASE.model_copy(update=change), prompts_hash="p", version="1") != who


def test_what_does_not_make_another_player() -> None:
    who = identity(BASE, prompts_hash="p", version="1")
    same = {"label": "b", "price": "free", "api_key_env": "KEY", "api_base": "http://h/v1/"}
    assert identity(BASE.model_copy(update=same), prompts_hash="p", version="1") == who
    assert identity(BASE, prompts_hash="q", version="1") != who
    assert identity(BASE, prompts_hash="p", version="2") != who


def test_bots_and_people_read_no_prompt() -> None:
    bot = PlayerSpec(label="a", bot="greedy")
    assert identity(bot, prompts_hash="p", version="1") == identity(bot, prompts_hash="q", version="1")
    assert identity(bot, prompts_hash="p", version="1") != identity(bot, prompts_hash="p", version="2")
    me, you = (PlayerSpec(label=label, human=True) for label in ("me", "you"))
    assert identity(me, prompts_hash="p", version="1") != identity(you, prompts_hash="p", version="1")


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 12), st.text(max_size=8))))
def test_whatever_the_text_there_is_one_line_or_a_tournament(made: str | tuple[int, int, str]) -> None:
    text = made if isinstance(made, str) else WHOLE[: made[0]] + made[2] + WHOLE[made[0] + made[1] :]
    told = ""
    try:
        spec = parse(text, "x.yaml")
    except SpecError as error:
        told = str(error)
    else:
        assert Tournament.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert not told or told.isprintable()
    assert len(told) < 600
