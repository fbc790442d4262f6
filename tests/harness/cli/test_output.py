"""Tables that fit, text that does no harm."""

from __future__ import annotations

import doctest
import os
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harness.cli.output
import harness.telling
from harness.cli.output import Column, count, one_line, plain, say, table
from harness.telling import first_place, money
from tests.harness.cli.hostile import ESCAPED, MARKUP, SHOWN_TURNED, TURNED, harmful

COLUMNS = [
    Column("name", flexible=True),
    Column("kept", number=True),
    Column("second", number=True, spare=1),
    Column("first to go", spare=2),
]
ROWS = [("a rather long name of a player", "1,234", "7", "x"), ("b", "5", "1,000,000", "yy")]


def printed(capsys: pytest.CaptureFixture[str], rows: list[tuple[str, ...]]) -> list[str]:
    table(COLUMNS, rows)
    return capsys.readouterr().out.splitlines()


def test_doctests() -> None:
    assert doctest.testmod(harness.cli.output).failed == 0
    assert doctest.testmod(harness.telling).failed == 0


def test_in_a_pipe_a_row_is_a_line_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, [("n" * 300, "1", "2", "3")])
    assert len(lines) == 2
    assert "n" * 300 in lines[1]


def test_numbers_stand_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    head, first, second = printed(capsys, ROWS)
    assert head == "name                             kept     second  first to go"
    assert first == "a rather long name of a player  1,234          7  x"
    assert second == "b                                   5  1,000,000  yy"


def test_a_narrow_terminal_loses_the_least_wanted_columns_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    assert "second" in printed(capsys, ROWS)[0]
    monkeypatch.setenv("COLUMNS", "28")
    lines = printed(capsys, ROWS)
    assert "second" not in lines[0]
    assert all(len(line) <= 28 for line in lines)
    # Folded, not cut: every letter of the name is there.
    assert [line[:21].strip() for line in lines[1:3]] == ["a rather long name of", "a player"]
    assert " ".join(" ".join(lines).split()).endswith("(too narrow for: second, first to go; --json has all)")


def test_a_column_is_never_folded_away(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    names = ("after", "without", "difference")
    table(
        [Column("player", flexible=True), *(Column(name, number=True) for name in names)],
        [["turncoat", "100.0 %", "23.1 % [1.0 %, 35.0 %]", "76.9 %"], ["me", "1 %", "2 %", "3 %"]],
    )
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["player", "turnco", "at", "me"]
    assert "  100.0…  " in lines[1]
    assert max(map(len, lines)) <= 30


def test_a_column_of_dashes_is_left_out_if_it_can_be_spared(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, [("a", "–", "–", "x"), ("b", "–", "–", "–")])[0].split() == [
        "name",
        "kept",
        "first",
        "to",
        "go",
    ]


def test_a_paragraph_hangs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    say(("  head: ", "cyan"), "one two three four five\nsix " + "x" * 30)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("  head: one")
    assert all(line.startswith("    ") for line in lines[1:])
    assert "".join(lines).replace(" ", "") == "head:onetwothreefourfivesix" + "x" * 30


def test_no_row_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, []) == ["name  kept  second  first to go"]


def test_a_reader_that_left_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w")
    monkeypatch.setattr(sys, "stdout", stream)
    say("kept until the next")
    with pytest.raises(BrokenPipeError):
        say("nobody reads this")
    with suppress(BrokenPipeError):
        stream.close()


def test_markup_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, [(MARKUP, MARKUP, ":smile: [/]", "[bold]")])
    assert lines[1].count(MARKUP) == 2
    assert ":smile: [/]" in lines[1]
    assert "[bold]" in lines[1]


def test_directions_and_escapes_are_taken_out() -> None:
    assert plain(TURNED) == SHOWN_TURNED
    assert harmful(plain(ESCAPED)) == []
    assert one_line("a\nb\r\n\u2028c") == "a b c"


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=200)
def test_nothing_harmful_is_left_of_any_text(text: str) -> None:
    assert harmful(plain(text)) == []
    assert "\n" not in one_line(text)
    plain(text).encode()


def test_figures() -> None:
    assert (count(1234567), count(None)) == ("1,234,567", "–")
    assert (money(0.0, calls=0), money(0.0, calls=3), money(0.01234)) == ("–", "$0.00", "$0.0123")
    assert (money(0.5, 3), money(0.0, 1, calls=1)) == ("$0.5000 + unknown", "$0.00 + unknown")


def test_a_shared_first_place_is_a_draw() -> None:
    both = ["r1 (p1)", "free (p2)"]
    assert first_place(both[:1], "cap") == "r1 (p1) won"
    assert first_place(both, "cap") == "draw: r1 (p1), free (p2)"
    assert first_place(both, "forfeit") == "first place shared after a forfeit: r1 (p1), free (p2)"
    assert first_place([], "cap") == "ended without a winner"
