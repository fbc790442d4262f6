"""Who helped and who hurt whom, on logs made by hand, with the answer worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from games.api import Json
from harness.behaviour.alliances import ACTS, KINDS, Alliances, AlliancesTable, alliances, deeds
from harness.behaviour.bootstrap import LEAST_PACKS
from harness.behaviour.log import Kinds, Played, played
from harness.records import MessageRecord
from tests.games.star_ludo.build import position as ludo
from tests.games.trap_race.build import position as race
from tests.games.trap_race.build import tokens
from tests.games.twenty_one.build import position as towers
from tests.harness.logs import logged, pledging, stats_of
from tests.harness.test_pledges import EMPTY, HIT_BY_BLUE, SPARED, START

Done = list[tuple[int, str, str, str]]
OUTCOME = {"winners": ["red"], "places": {"red": 1, "blue": 2, "green": 3, "yellow": 4}, "reason": "last"}


def of(
    start: Json,
    actions: Sequence[str],
    messages: Sequence[MessageRecord] = (),
    *,
    sources: Mapping[int, str] | None = None,
    **fields: Any,
) -> Played:
    match, turns = logged(start, actions, sources=sources, **{"status": "finished", **fields})
    return played(match, "run", stats_of(match), turns, messages, kinds=KINDS)


def done(match: Played) -> Done:
    return [tuple(deed) for deed in deeds(match)]  # type: ignore[misc]


def only(*matches: Played) -> AlliancesTable:
    (table,) = alliances(matches).tables
    return table


def figures(table: AlliancesTable, by: str = "seat", phase: str = "") -> dict[tuple[str, str, str], float | None]:
    """What is not nothing, by giver, receiver and act."""
    return {
        (getattr(row.giver, "label", row.giver), getattr(row.receiver, "label", row.receiver), row.act): (
            row.figure.value
        )
        for row in table.rows
        if row.by == by and row.phase == phase and row.figure.part
    }


def finished(number: int = 0, actions: Sequence[str] = SPARED, **fields: Any) -> Played:
    values = {"outcome": OUTCOME, "id": number + 1, "number": number, "pack": number, **fields}
    return of(START, actions, **values)


def test_so_long_sucker() -> None:
    said = [pledging("blue", 1, "spare", "red"), pledging("red", 1, "give_turn", "green", seq=1)]
    assert done(of(START, SPARED, said)) == [
        (2, "red", "green", "struck"),
        (2, "red", "blue", "spared"),
        (4, "red", "blue", "gave_turn"),
        (4, "red", "green", "broke"),
        (6, "blue", "green", "struck"),
        (6, "blue", "red", "spared"),
        (6, "blue", "red", "kept"),
    ]
    assert done(of(EMPTY, ("ask blue", "donate blue"))) == [(2, "blue", "red", "donated")]
    asked = of(EMPTY, ("ask blue", "refuse"), [pledging("blue", 1, "donate", "red")])
    assert done(asked) == [(2, "blue", "red", "refused"), (2, "blue", "red", "broke")]


def test_star_ludo() -> None:
    start = ludo({"red": [10, 20], "yellow": [41]}, (5, 2))
    assert done(of(start, ("move 1",))) == [(1, "red", "yellow", "struck")]
    assert done(of(start, ("move 2",))) == [(1, "red", "yellow", "spared")]
    alone = ludo({"red": [10], "yellow": [41]}, (5, 2))
    assert done(of(alone, ("move 1",))) == [], "nothing else was legal"
    either = ludo({"red": [10, 17], "yellow": [41, 48]}, (5, 2))
    assert done(of(either, ("move 1",))) == [], "whatever it played, it struck yellow"


def test_trap_race() -> None:
    where = race({1: "15,5"}, {4: "15,6"}, tokens=tokens(1))
    assert done(of(where, ("nerf 4",), seats=two("south", "north"))) == [(1, "south", "north", "struck")]


def test_twenty_one() -> None:
    theirs = towers({"red": "p1:red6 p1:orange6 p1:purple4 p2:joker"}, "red5 blue6", turn=2, other="blue5 green5")
    assert done(of(theirs, ("replace red5 on red",), seats=two("p1", "p2"))) == [(1, "p1", "p2", "struck")]
    own = towers({"red": "p1:red6 p1:orange6 p1:purple4 p1:joker"}, "red5 blue6", turn=2, other="blue5 green5")
    assert done(of(own, ("replace red5 on red",), seats=two("p1", "p2"))) == [], "its own joker"


def two(*seats: str) -> Any:
    """Two seats, for games whose positions do not name them."""
    return tuple({"seat": seat, "label": seat, "kind": "bot", "identity": seat} for seat in seats)


def test_a_fallback_is_nobodys_deed() -> None:
    kept = done(of(START, SPARED, sources={2: "fallback", 4: "fallback"}))
    assert kept == [(6, "blue", "green", "struck"), (6, "blue", "red", "spared")]


def test_deeds_in_a_match_by_seat_and_player_and_third() -> None:
    table = only(finished())
    whole = {
        ("red", "blue", "help"): 2,
        ("red", "blue", "spared"): 1,
        ("red", "blue", "gave_turn"): 1,
        ("red", "green", "harm"): 1,
        ("red", "green", "struck"): 1,
        ("blue", "red", "help"): 1,
        ("blue", "red", "spared"): 1,
        ("blue", "green", "harm"): 1,
        ("blue", "green", "struck"): 1,
    }
    assert figures(table) == figures(table, "player") == whole, "each player is named as its seat"
    assert figures(table, phase="middle third") == {("red", "blue", "help"): 1, ("red", "blue", "gave_turn"): 1}
    assert [act.name for act in table.acts] == ["gave_turn", "spared", "struck"]
    assert len(table.rows) == 2 * 12 * 5 * 4, "by seat and player: pairs, help, harm and three acts, whole and thirds"
    tenths = [(row.player.label, row.sense, row.tenth) for row in table.course if row.figure.part]
    assert tenths == [
        ("blue", "help", 8),
        ("blue", "harm", 8),
        ("red", "help", 1),
        ("red", "help", 5),
        ("red", "harm", 1),
    ]


def test_words_stand_beside_in_no_sum() -> None:
    table = only(of(START, SPARED, [pledging("blue", 1, "spare", "red")], outcome=OUTCOME))
    found = figures(table)
    assert found["blue", "red", "kept"] == 1
    assert found["blue", "red", "help"] == 1, "that it spared red is counted once"


def test_a_player_in_two_seats_is_counted_by_pairs_of_seats() -> None:
    labels = {"red": "a", "blue": "b", "green": "b", "yellow": "c"}
    seats = tuple({"seat": seat, "label": label, "kind": "bot", "identity": label} for seat, label in labels.items())
    table = only(finished(seats=seats))
    found = figures(table, "player")
    assert found["a", "b", "gave_turn"] == 0.5, "once, of two seats that it could have gone to"
    assert not any(row.giver == row.receiver for row in table.rows), "b is no ally of its own"
    assert figures(table)["blue", "green", "struck"] == 1, "what its seats did to each other is told by seats"


def test_self_play_is_told_by_seats_and_over_the_match_alone() -> None:
    seats = tuple({"seat": seat, "label": "a", "kind": "bot", "identity": "a"} for seat in ("red", "blue", "green"))
    table = only(finished(seats=(*seats, {**seats[0], "seat": "yellow"})))
    assert {row.by for row in table.rows} == {"seat"}
    assert figures(table)["red", "green", "struck"] == 1
    assert {row.sense for row in table.course if row.figure.part} == {"help", "harm"}
    assert table.note == "Each match was one player in all seats: what its seats did to each other is all there is."


def test_intervals_from_twenty_packs() -> None:
    matches = [finished(number, HIT_BY_BLUE if number % 2 else SPARED) for number in range(LEAST_PACKS)]
    row = next(
        row
        for row in only(*matches).rows
        if (row.by, row.giver, row.receiver, row.act) == ("seat", "blue", "red", "harm")
    )
    assert row.figure.value == 0.5
    assert row.figure.interval is not None
    assert row.figure.interval[0] < 0.5 < row.figure.interval[1]
    assert (row.figure.matches, row.figure.packs) == (LEAST_PACKS, LEAST_PACKS)
    few = only(*matches[1:])
    assert all(row.figure.interval is None for row in few.rows)


def test_only_what_was_played_after_a_fork_counts() -> None:
    """A fork at ply 4: what red did belongs to the parent."""
    base = finished()
    forked = Played(
        base.match.model_copy(update={"parent_id": 9, "parent_ply": 4}),
        "run",
        list(base.stats.values()),
        base.all_turns,
        base.all_messages,
        base.faults,
        Kinds(KINDS),
    )
    assert done(forked) == [(6, "blue", "green", "struck"), (6, "blue", "red", "spared")]
    table = only(forked)
    assert table.forks
    assert figures(table, phase="last third")["blue", "red", "spared"] == 1


def test_what_does_not_count_is_told() -> None:
    table = only(finished(), finished(1, status="void"), finished(2, status="paused", outcome=None))
    assert table.matches == {"counted": 1, "paused": 1, "void": 1}
    assert figures(table)["red", "blue", "gave_turn"] == 1


def test_two_players_have_nobody_to_ally_with() -> None:
    outcome = {"winners": ["red"], "places": {"red": 1, "yellow": 2}, "reason": "last"}
    table = only(of(ludo({"red": [10, 20], "yellow": [41]}, (5, 2)), ("move 1",), outcome=outcome))
    assert table.note is not None
    assert "nobody to ally with" in table.note
    assert figures(table)["red", "yellow", "struck"] == 1


def test_nothing_of_the_kind_is_said() -> None:
    table = only(finished(actions=SPARED[:1]))
    assert table.acts == table.rows[:0] == ()
    assert table.note == "In this game's logs nobody helped or hurt another by its own choice."
    assert alliances([]) == Alliances(())


def test_a_damaged_log_tells_as_much_as_can_be_read() -> None:
    match, turns = logged(START, SPARED, status="finished", outcome=OUTCOME)
    turns[3] = turns[3].model_copy(update={"events": ({"kind": "turn", "audience": "all", "why": "choice"},)})
    turns[5] = turns[5].model_copy(update={"events": ({"kind": "kill", "audience": "all", "colour": ["red"]},)})
    found = done(played(match, "run", stats_of(match), turns, kinds=KINDS))
    assert [deed[3] for deed in found] == ["struck", "spared", "spared"]


def test_the_same_matches_give_the_same_json_to_the_byte() -> None:
    matches = [finished(number) for number in range(3)]
    one, other = (json.dumps(alliances(some).to_json()) for some in (matches, matches[::-1]))
    assert one == other
    assert "NaN" not in one
    (table,) = json.loads(one)["tables"]
    assert {act["name"] for act in table["acts"]} <= {act.name for act in ACTS}


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_every_act_says_what_it_is(act: Any) -> None:
    assert act.definition.endswith(".")
