"""Whatever is wrong with a tournament file is one line that names the field and what would be right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.spec import SpecError, Tournament, load, parse

GOOD = """\
name: table
seed: 7
matches: 8
games:
  - {game: so_long_sucker, options: {chips: 3}, seats: 4, start: opening}
players:
  - {label: smol, model: local/smollm2, params: {temperature: 0.8, max_tokens: 300}}
  - {label: flash, model: gemini/gemini-3-flash}
  - {label: house, model: openai/any, api_base: "http://127.0.0.1:8000/v1", api_key_env: HOUSE_KEY, price: free}
  - {label: greedy, bot: greedy}
talk: {messages: 2, chars: 280}
interface: {legal: enum, history: full}
limits: {gemini: {rpm: 60}}
budget: {usd: 2.00, per_match: {usd: 0.50}, per_player: {flash: {usd: 1.00}}}
"""

CHANGED: list[tuple[str, str, str]] = [
    # what a word of the good file is, what it becomes, the line (after the file's name)
    ("name: table", "nmae: table", "nmae: unknown key; did you mean name?"),
    ("name: table", "zzz: 1", "zzz: unknown key; the keys here are name, seed, matches"),
    ("name: table", "name: 7", "name: 7 is not text (put it in quotes"),
    ("name: table", 'name: "42"', 'name: "42" is all digits'),
    ("name: table", 'name: ""', 'name: "" is empty'),
    ("name: table", 'name: "-x"', "begins with a dash"),
    ("name: table", 'name: "a\\u202eb"', 'name: "a\\u202eb" holds the character U+202E'),
    ("name: table", "name: table\nname: other", 'line 2, column 1: the key "name" stands here again (first in line 1)'),
    ("seed: 7", 'seed: "7"', 'seed: "7" is text, not a whole number'),
    ("seed: 7", "seed: -1", "seed: -1 is not at least 0"),
    ("seed: 7", "seed: 9007199254740992", "seed: 9007199254740992 is not less than 9007199254740992"),
    ("seed: 7", "seed: 12:30", 'seed: "12:30" is not a whole number'),
    ("seed: 7", "seed: " + "9" * 5000, "line 2, column 7: a number of more than 100 digits"),
    ("matches: 8", "matches: 0", "matches: 0 is not more than 0"),
    ("matches: 8", "matches: true", "matches: true is not a whole number"),
    ("matches: 8", "matches: 1e3", 'matches: "1e3" is text, not a whole number'),
    ("matches: 8", "matches: 2.5", "matches: 2.5 is not a whole number"),
    ("matches: 8", "matches: 100000000", "matches: 100000000 is not at most 100000"),
    ("matches: 8", "parallel: 0", "parallel: 0 is not more than 0"),
    ("matches: 8", "retries: -1", "retries: -1 is not at least 0"),
    ("matches: 8", "on_illegal: resign", 'on_illegal: "resign" is not one of fallback, forfeit'),
    (
        "matches: 8",
        "seating: rotated",
        'seating: "rotated" is not one of rotate, balanced, random, fixed; did you mean rotate?',
    ),
    ("matches: 8", "pledges: on", "pledges: true is not one of off, silent, announced (YAML reads"),
    ("matches: 8", "\tpledges: off", "line 3, column 1: not readable as YAML: a tab; indent with blanks"),
    ("matches: 8", "matches: [", "not readable as YAML: "),
    ("matches: 8", "matches: *all", "line 3, column 10: not readable as YAML: found undefined alias"),
    ("matches: 8", "matches: &a [*a]", "nested too deeply"),
    ("matches: 8", "matches: " + "[" * 3000, "line 3, column 49: nested too deeply"),
    ("matches: 8", "matches: !!python/name:os.system x", "line 3, column 10: the tag"),
    ("matches: 8", "matches: 8\n---\nmatches: 9", "a second document begins here"),
    ("matches: 8", "<<: {matches: 8}", "line 3, column 1: merge keys (<<) are not read"),
    ("matches: 8", "matches: \x07", "line 3, column 10: not readable as YAML: the character U+0007"),
    ("matches: 8", "yes: 8", "line 3, column 1: true is not text; a key has to be text (put it in quotes)"),
    (
        "game: so_long_sucker",
        "game: so_long_suckr",
        'games[0].game: "so_long_suckr" is no game here; did you mean so_long_sucker?',
    ),
    ("game: so_long_sucker", "game: 5", "games[0].game: 5 is not text"),
    ("game: so_long_sucker, ", "", "games[0].game: missing"),
    ("chips: 3", "chips: 13", "games[0].options.chips: 13 is not at most 12"),
    ("chips: 3", 'chips: "3"', 'games[0].options.chips: "3" is text, not a whole number'),
    ("chips: 3", "chip: 3", "games[0].options.chip: unknown key; did you mean chips?"),
    ("chips: 3", "rules: modrn", 'games[0].options.rules: "modrn" is not one of modern, classic; did you mean modern?'),
    ("{chips: 3}", "3", "games[0].options: 3 is not a mapping"),
    ("seats: 4", "seats: 5", "games[0].seats: 5 is not allowed; so_long_sucker is played with 4"),
    ("seats: 4", "seats: 0", "games[0].seats: 0 is not more than 0"),
    (
        "start: opening",
        "start: openning",
        'games[0].start: "openning" is no scenario of so_long_sucker; did you mean opening?',
    ),
    ("  - {label: greedy, bot: greedy}\n", "", "players: only 3 players, fewer than the 4 seats of so_long_sucker"),
    ("label: greedy, ", "", "players[3].label: missing"),
    (
        "label: smol",
        'label: "\u00e9", bot: random}\n  - {bot: random, label: "e\u0301"}\n  - {label: smol',
        "is players[0] already",
    ),
    ("label: greedy", "label: smol", 'players[3].label: "smol" is players[0] already'),
    ("label: greedy", "label: no", "players[3].label: false is not text (YAML reads yes, no, on and off"),
    ("label: greedy", 'label: " x"', 'players[3].label: " x" begins or ends with a blank'),
    ("label: greedy", 'label: "a\\u200bb"', 'players[3].label: "a\\u200bb" holds the character U+200B'),
    ("label: greedy", 'label: "a\\e[31mb"', 'players[3].label: "a\\u001b[31mb" holds the character U+001B'),
    ("label: greedy", "label: " + "x" * 101, "has 101 characters; at most 100"),
    ("bot: greedy", "bot: gredy", 'players[3].bot: "gredy" is no bot of so_long_sucker; did you mean greedy?'),
    (
        "bot: greedy",
        "bot: greedy, model: a/b",
        "players[3]: exactly one of model, bot and human belongs here; given: model, bot",
    ),
    (", bot: greedy", "", "players[3]: exactly one of model, bot and human belongs here; given: none"),
    ("bot: greedy", "human: false", "players[3].human: false is not true"),
    ("bot: greedy", "bot: greedy, persona: diplomat", "players[3]: persona: only a player with a model has this"),
    ("bot: greedy", "bot: greedy, modle: x", "players[3].modle: unknown key; did you mean model?"),
    ("temperature: 0.8", "temperature: hot", 'players[0].params.temperature: "hot" is not a number'),
    ("temperature: 0.8", "temperature: true", "players[0].params.temperature: true is not a number"),
    ("temperature: 0.8", "temperature: -1", "players[0].params.temperature: -1 is not at least 0"),
    ("temperature: 0.8", "temperature: .nan", "players[0].params.temperature: nan is not a finite number"),
    ("temperature: 0.8", "stream: true", "players[0].params.stream: not a parameter to pass on"),
    ("temperature: 0.8", '"a\\u202eb": null', 'players[0].params."a\\u202eb": null is no value'),
    ("max_tokens: 300", "max_tokens: 0", "players[0].params.max_tokens: 0 is not at least 1"),
    ("local/smollm2", "local/", 'players[0].model: "local/" names no model'),
    ("local/smollm2", '"local:/weights.bin"', "write local:/path/to/model.gguf"),
    (
        "local/smollm2",
        "local/smollm2, api_base: http://127.0.0.1:1/v1",
        "players[0]: api_base, api_key_env: a local model",
    ),
    ("gemini/gemini-3-flash", "gemini/", 'players[1].model: "gemini/" is not a model'),
    (
        "gemini/gemini-3-flash",
        "gemini/gemini-3-flash, persona: diplomt",
        'players[1].persona: "diplomt" is no persona; there are ',
    ),
    ("price: free", "price: cheap", 'players[2].price: "cheap" is neither free nor a mapping'),
    ("price: free", "price: {input: 1}", "players[2].price.output: missing"),
    ("price: free", "price: {input: -1, output: 2}", "players[2].price.input: -1 is not at least 0"),
    ("price: free", "response_format: json", 'players[2].response_format: "json" is not one of auto'),
    ("http://127", "ftp://127", 'players[2].api_base: "ftp://127.0.0.1:8000/v1" is not the address of an endpoint'),
    ("http://127", "http://user:pass@127", "players[2].api_base: ‹not shown› holds a user"),
    ("HOUSE_KEY", "house key", "players[2].api_key_env: ‹not shown› is not the name of an environment variable"),
    ("messages: 2", "messages: -2", "talk.messages: -2 is not at least 0"),
    ("messages: 2", "mesages: 2", "talk.mesages: unknown key; did you mean messages?"),
    ("talk: {messages: 2, chars: 280}", "talk: loud", 'talk: "loud" is neither off nor a mapping'),
    ("legal: enum", "legal: all", 'interface.legal: "all" is not one of enum, list, none'),
    ("history: full", "history: last 0", 'interface.history: "last 0" is not full, none or last N'),
    ("history: full", "history: 5", "interface.history: 5 is not text"),
    ("gemini: {", "gemni: {", "limits.gemni: no provider, model or label of a player here; did you mean gemini?"),
    ("gemini: {", "greedy: {", "limits.greedy: a bot makes no calls"),
    ("rpm: 60", "rpm: 0", "limits.gemini.rpm: 0 is not more than 0"),
    ("rpm: 60", "timeout: soon", 'limits.gemini.timeout: "soon" is not a number'),
    ("usd: 2.00", 'usd: "2.00"', 'budget.usd: "2.00" is text, not a number'),
    ("usd: 0.50", "usd: 0", "budget.per_match.usd: 0 is not more than 0"),
    ("{flash: {usd", "{flesh: {usd", "budget.per_player.flesh: no player has this label; did you mean flash?"),
]


def line_of(text: str) -> str:
    """The error's text, which has to be one line beginning with the file's name."""
    with pytest.raises(SpecError) as caught:
        parse(text, "table.yaml")
    line = str(caught.value)
    assert "\n" not in line
    assert line.isprintable()
    assert len(line) < 400
    assert line.startswith("table.yaml: ")
    return line.removeprefix("table.yaml: ")


def test_the_good_file_is_good() -> None:
    assert isinstance(parse(GOOD, "table.yaml"), Tournament)


@pytest.mark.parametrize(
    ("word", "becomes", "line"), CHANGED, ids=[f"{n}-{case[1][:24]}" for n, case in enumerate(CHANGED)]
)
def test_one_changed_word(word: str, becomes: str, line: str) -> None:
    assert GOOD.count(word) >= 1
    told = line_of(GOOD.replace(word, becomes, 1))
    assert line in told


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "empty; a tournament file has at least games and players"),
        ("# only a comment\n", "empty"),
        ("- a\n- b\n", '["a", "b"] is not a mapping'),
        ("so_long_sucker", '"so_long_sucker" is not a mapping'),
        ("name: t\n", "games: missing"),
        ("games: []\nplayers: []\n", "games: [] is too short"),
        ("games: [{game: so_long_sucker}]\nplayers: []\n", "players: [] is too short"),
        ("games: so_long_sucker\nplayers: []\n", 'games: "so_long_sucker" is not a list'),
        ("games: [{game: so_long_sucker}]\nplayers: [one]\n", 'players[0]: "one" is not a mapping'),
        (
            "games: [{game: so_long_sucker}]\nplayers: [{label: a, bot: greedy}]\n",
            "players: only 1 player; so_long_sucker needs at least 4",
        ),
        ("a: b: c\n", "line 1, column 5: not readable as YAML: mapping values are not allowed here"),
        ("a: '\n", "not readable as YAML"),
        ("x" * 1_000_001, "larger than 1,000,000 characters"),
    ],
)
def test_a_whole_file(text: str, line: str) -> None:
    assert line in line_of(text)


def test_aliases_cannot_blow_up() -> None:
    levels = ["l0: &l0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    levels += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert "more than 20,000 values" in line_of("\n".join(levels))


@pytest.mark.parametrize(
    "slip",
    [
        "api_key: abc",
        "apiKey: abc",
        "extra_body: {headers: {Authorization: abc}}",
        "params: {aws_secret_access_key: abc}",
    ],
)
def test_a_key_by_its_name(slip: str) -> None:
    told = line_of(GOOD.replace("price: free", slip))
    assert "players[2]." in told
    assert "api_key_env" in told
    assert "abc" not in told


@pytest.mark.parametrize(
    "key", ["sk-proj-abcdef0123", "gsk_abcdefgh", "AIzaSyA-0123456789", "Bearer abcdefgh", "AKIAABCDEFGHIJKL"]
)
@pytest.mark.parametrize("place", ["extra_body: {user: KEY}", "api_key_env: KEY"])
def test_a_key_by_its_form_is_refused_and_not_repeated(key: str, place: str) -> None:
    text = GOOD.replace(", api_key_env: HOUSE_KEY", "").replace("price: free", place.replace("KEY", key))
    told = line_of(text)
    assert "looks like a key" in told
    assert key not in told


def test_bot_of_another_game_says_who_has_which(two_games: None) -> None:
    text = GOOD.replace("start: opening}", "start: opening}\n  - {game: tiny}").replace("bot: greedy", "bot: banker")
    assert line_of(text) == (
        'players[3].bot: "banker" is no bot of tiny; '
        "so_long_sucker has random, greedy, banker, turncoat; tiny has greedy, random; "
        "games[1].players can name those who play tiny"
    )


@pytest.mark.parametrize(
    ("players", "line"),
    [
        ("[one, nobody]", 'games[0].players[1]: no player has the label "nobody"'),
        ("[one, two, one]", 'games[0].players[2]: "one" stands here already'),
        ("[]", "games[0].players: "),
        ("one", "games[0].players: "),
        ("[one, two]", "players: only 2 players; so_long_sucker needs at least 4"),
        ("[one, two, three, four]", 'players[4].label: "five" plays no game of this file'),
    ],
)
def test_those_who_play_one_game(players: str, line: str) -> None:
    labels = ", ".join(f"{{label: {label}, bot: random}}" for label in ("one", "two", "three", "four", "five"))
    text = f"games: [{{game: so_long_sucker, players: {players}}}]\nplayers: [{labels}]\n"
    assert line in line_of(text)


def test_a_scenario_that_the_options_contradict(two_games: None) -> None:
    text = GOOD.replace(
        "{game: so_long_sucker, options: {chips: 3}, seats: 4, start: opening}",
        "{game: tiny, start: narrow, options: {width: 9}}",
    )
    assert line_of(text) == "games[0].start: tiny cannot start so: options.width: narrow needs at most 3"


def test_balanced_seating_of_too_many(two_games: None) -> None:
    text = "games: [{game: tiny}]\nseating: balanced\nplayers:\n" + "".join(
        f"  - {{label: p{n}, bot: greedy}}\n" for n in range(9)
    )
    assert "seating: balanced plays all 362,880 orders of 9 seats; use rotate" in line_of(text)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "a directory, not a tournament file"),
        (os.mkfifo, "cannot be read: no regular file"),
        (lambda path: path.write_bytes(b"\x7fELF\xff\xfe\x00"), "not UTF-8 text (byte 5)"),
        (lambda path: path.write_bytes(b"#" * 1_000_001), "larger than 1,000,000 bytes"),
        (lambda path: path.symlink_to(path), "cannot be read: "),
    ],
    ids=["missing", "directory", "named pipe", "binary", "huge", "loop"],
)
def test_what_is_no_readable_file(tmp_path: Path, make, line: str) -> None:
    path = tmp_path / "x.yaml"
    make(path)
    with pytest.raises(SpecError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {line}")


def test_an_odd_file_name_is_shown_as_escapes() -> None:
    with pytest.raises(SpecError) as caught:
        load("no\n\x1b[31msuch.yaml")
    assert str(caught.value).startswith("no\\n\\u001b[31msuch.yaml: no such file")


def test_a_file_whose_own_name_will_not_do() -> None:
    with pytest.raises(SpecError, match='name: missing, and the file\'s own name will not do: "2026" is all digits'):
        parse(GOOD.replace("name: table\n", ""), "2026.yaml")
