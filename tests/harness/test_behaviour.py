"""Tables of measures and the ledger: sums, intervals, what is missing, and the page of definitions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.behaviour import registry
from harness.behaviour.alliances import alliances
from harness.behaviour.bootstrap import LEAST_PACKS, Cell, Replicates
from harness.behaviour.definitions import page
from harness.behaviour.gather import Player
from harness.behaviour.ledger import ledger
from harness.behaviour.log import Kinds, Played
from harness.behaviour.registry import MEASURES, Tally, all_measures, from_file, measure
from harness.behaviour.tables import MeasureFailed, behaviour, kinds
from tests.games.so_long_sucker.build import position
from tests.harness.logs import logged, pledging, stats_of
from tests.harness.test_behaviour_measures import GIFTS, OUTCOME, of

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def own() -> Iterator[dict[str, registry.Measure]]:
    """The list of measures, put back afterwards."""
    before = dict(all_measures())
    yield MEASURES
    MEASURES.clear()
    MEASURES.update(before)


def one_of(match: Played, **fields: Any) -> Played:
    """The same log as another match."""
    record = match.match.model_copy(update=fields)
    turns, messages = match.all_turns, match.all_messages
    return Played(record, match.run, stats_of(record), turns, messages, match.faults, Kinds(kinds()))


def many(packs: int, per_pack: int = 2, **fields: Any) -> list[Played]:
    """Matches that are all alike, so many in each pack."""
    base = of(GIFTS)
    return [
        one_of(base, id=number, number=number, pack=number // per_pack, **fields) for number in range(packs * per_pack)
    ]


def only(matches: list[Played], *names: str) -> Any:
    """The one table of these matches."""
    known = all_measures()
    (table,) = behaviour(matches, [known[name] for name in names] or None).tables
    return table


A = Player("a", "id-red", "model")
B = Player("b", "id-blue", "model")


def test_sums_go_by_player_and_say_from_how_many_matches() -> None:
    table = only(many(3), "donations_given")
    figure = table.measures[0].of(B)
    assert figure == (pytest.approx(1 / 3), None, 6, 18, 6, 3)
    assert table.measures[0].of(B, "a").whole == 12
    assert table.measures[0].of(A) is None


def test_a_measure_shows_up_where_its_events_do() -> None:
    names = {found.measure.name for found in only(many(1)).measures}
    assert {"donations_asked", "donations_given", "donations_refused"} <= names
    assert names.isdisjoint({"strikes_made", "turn_given", "first_strike"})
    assert "messages" not in names


def test_in_self_play_a_player_does_nothing_to_itself_and_wins_nothing() -> None:
    """Every seat counts as a match; what is told by other players, and what always comes out alike, is left out."""
    seats = tuple(seat.model_copy(update={"label": "a", "identity": "a"}) for seat in of(GIFTS).match.seats)
    found = only(many(2, seats=seats))
    rows = {(one.measure.name, row.key): row.figure for one in found.measures for row in one.rows}
    assert rows["donations_given", None].part > 0
    assert rows["wins", "red"].whole == 4
    assert ("wins", None) not in rows
    assert ("place", None) not in rows
    assert not any(key == "a" for _, key in rows), "it is no other player"


def test_runs_games_and_numbers_of_seats_are_never_pooled() -> None:
    matches = [*many(1), *many(1, game="other"), *many(1, game_index=1)]
    other = many(1)
    for match in other:
        match.run = "another"
    tables = behaviour([*matches, *other]).tables
    assert [(table.run, table.game_index, table.game) for table in tables] == [
        ("another", 0, "unheard_of"),
        ("run", 0, "other"),
        ("run", 0, "unheard_of"),
        ("run", 1, "unheard_of"),
    ]


def ruled(match: Played, rules: str | None, latest: str = "") -> Played:
    """The same match, begun under a version of the rules, or not begun while others went by the latest."""
    stats = [stat.model_copy(update={"rules": rules}) for stat in match.stats.values()]
    turns, messages = match.all_turns, match.all_messages
    return Played(match.match, match.run, stats, turns, messages, match.faults, Kinds(kinds()), latest=latest)


@pytest.mark.parametrize("tables_of", [behaviour, ledger, alliances])
def test_versions_of_the_rules_are_never_pooled(tables_of: Any) -> None:
    matches = [ruled(match, str(1 + match.match.number // 4)) for match in many(4)]
    matches += [ruled(match, None, "2") for match in many(1, status="queued", outcome=None)]
    found = tables_of(matches)
    assert [(table.rules, table.matches) for table in found.tables] == [
        ("1", {"counted": 4}),
        ("2", {"counted": 4, "queued": 2}),
    ]
    assert [table["rules"] for table in found.to_json()["tables"]] == ["1", "2"]
    (unknown,) = tables_of(many(1, status="queued", outcome=None)).tables
    assert unknown.rules is None


def test_what_is_not_counted_is_told() -> None:
    forfeit = {"winners": ["red"], "places": OUTCOME["places"], "reason": "forfeit"}
    matches = [
        *many(1),
        *many(1, status="void"),
        *many(1, status="paused", outcome=None),
        *many(1, status="queued", outcome=None),
        *many(1, outcome=forfeit),
    ]
    table = only(matches, "wins", "donations_given")
    assert table.matches == {"counted": 2, "forfeit": 2, "paused": 2, "queued": 2, "void": 2}
    assert table.counted == 4
    wins, given = table.measures
    assert wins.of(A).matches == 2, "a forfeit tells of nobody's skill"
    assert given.of(B).matches == 4


@pytest.mark.parametrize(("packs", "there"), [(LEAST_PACKS - 1, False), (LEAST_PACKS, True)])
def test_no_interval_under_twenty_packs(packs: int, there: bool) -> None:
    share = only(many(packs, 1), "wins").measures[0].of(A)
    assert (share.interval is not None) is there


def test_packs_without_the_thing_do_not_count_towards_twenty() -> None:
    silent = [one_of(of(), id=100 + number, number=100 + number, pack=100 + number) for number in range(30)]
    figure = only([*many(LEAST_PACKS - 1), *silent], "donations_given").measures[0].of(B)
    assert figure.interval is None
    assert figure.packs == LEAST_PACKS - 1


def test_packs_that_weigh_nothing_do_not_count_towards_twenty() -> None:
    ones, packs = dict.fromkeys(range(LEAST_PACKS), 1.0), range(LEAST_PACKS)
    whole, short = Cell(ones, ones), Cell(ones, {**ones, 0: 0.0})
    assert [found is None for found in Replicates(packs).intervals([whole, short], shares=[True, True])] == [
        False,
        True,
    ]


def test_a_player_that_never_wins_is_not_sure_to_lose() -> None:
    low, high = only(many(25), "wins").measures[0].of(B).interval
    assert low == 0
    assert 0.1 < high < 0.2
    place = only(many(25), "place").measures[0].of(B)
    assert place.interval is None, "drawing again what never differed shows no doubt"


def test_intervals_go_by_packs_not_by_matches() -> None:
    """The same matches in fewer packs, each of one mind, tell less."""
    rolls = random.Random(3)
    values = [rolls.random() < 0.5 for _ in range(40)]
    alone = Replicates(range(40)).intervals(
        [Cell({pack: float(value) for pack, value in enumerate(values)}, dict.fromkeys(range(40), 1.0))], shares=[True]
    )[0]
    tenfold = Replicates(range(40)).intervals(
        [Cell({pack: 10.0 * value for pack, value in enumerate(values)}, dict.fromkeys(range(40), 10.0))], shares=[True]
    )[0]
    assert alone == tenfold
    assert alone is not None
    share = sum(values) / 40
    half = 1.96 * (share * (1 - share) / 40) ** 0.5
    assert alone[0] == pytest.approx(share - half, abs=0.03)
    assert alone[1] == pytest.approx(share + half, abs=0.03)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Packs of matches that hang together: 95 % of the intervals hold the share that they were drawn with."""
    rolls, truth, held, times = random.Random(5), 0.4, 0, 300
    for _ in range(times):
        part, whole = {}, {}
        for pack in range(40):
            matches = [rolls.random() < (0.7 if pack_is_good else 0.1) for pack_is_good in [rolls.random() < 0.5] * 4]
            part[pack], whole[pack] = float(sum(matches)), 4.0
        low, high = Replicates(range(40)).intervals([Cell(part, whole)], shares=[True])[0] or (0, 0)
        held += low <= truth <= high
    assert 0.91 <= held / times <= 0.98


@pytest.mark.parametrize("packs", [20, 25])
def test_intervals_of_few_packs_hold_the_truth_too(packs: int) -> None:
    """Percentiles of 2.5 % and 97.5 % would hold it 92 to 93 times in 100."""
    rolls, truth, times = random.Random(6), 0.4, 400
    cells = [
        Cell({pack: float(rolls.random() < truth) for pack in range(packs)}, dict.fromkeys(range(packs), 1.0))
        for _ in range(times)
    ]
    found = Replicates(range(packs)).intervals(cells, shares=[True] * times)
    held = sum(low <= truth <= high for low, high in (one or (0, 0) for one in found))
    assert 0.94 <= held / times <= 0.98


def test_what_is_alike_in_every_pack_has_no_interval_for_want_of_digits() -> None:
    """Sums of tenths differ in the last digit from one replicate to the next."""
    alike = Cell(dict.fromkeys(range(24), 4 * 0.1), dict.fromkeys(range(24), 4.0))
    tilted = Cell({pack: (pack % 5 + 1) * 0.1 for pack in range(24)}, {pack: pack % 5 + 1.0 for pack in range(24)})
    assert Replicates(range(24)).intervals([alike, tilted], shares=[False, False]) == [None, None]


def test_the_difference_of_two_shares() -> None:
    packs = range(30)
    ones, odd = dict.fromkeys(packs, 1.0), {pack: float(pack % 2) for pack in packs}
    never, always, half = Cell(dict.fromkeys(packs, 0.0), ones), Cell(ones, ones), Cell(odd, ones)
    sure, some, same = Replicates(packs).differences([(always, never), (half, never), (half, half)])
    assert sure is not None
    assert sure[0] < 0.9
    assert sure[1] == 1
    assert some is not None
    assert 0.2 < some[0] < 0.5 < some[1] < 0.75
    assert same is None, "the two go together in every replicate"
    few = Cell({0: 1.0}, {0: 1.0})
    assert Replicates(packs).differences([(always, few)]) == [None]


def test_the_same_matches_give_the_same_json_to_the_byte() -> None:
    first, second = (json.dumps(behaviour(many(22)).to_json()) for _ in range(2))
    assert first == second
    assert "NaN" not in first


def test_a_changed_line_of_the_log_changes_the_figures() -> None:
    before = behaviour(many(2)).to_json()
    changed = list(GIFTS)
    changed[3] = changed[3].model_copy(update={"events": ({"kind": "donate", "seat": "blue", "to": "red"},)})
    assert behaviour([of(changed)]).to_json() != behaviour([of(GIFTS)]).to_json()
    assert before["tables"][0]["counted"] == 4


def test_a_new_measure_is_one_function(own: dict[str, registry.Measure]) -> None:
    @measure("Requests", unit="per match", events=("ask",))
    def requests(match: Played) -> Iterator[Tally]:
        """How often somebody is asked."""
        for seat in match.seats:
            yield Tally(seat, None, sum(one.by == seat for one in match.happened("ask")), 1)

    table = only(many(1))
    found = next(found for found in table.measures if found.measure.name == "requests")
    assert found.of(A).value == 3
    assert found.measure.definition == "How often somebody is asked."
    assert list(all_measures())[-1] == "requests"
    assert "ask" in kinds()


def test_a_measure_from_a_file(own: dict[str, registry.Measure], tmp_path: Path) -> None:
    example = page().partition("```python\n")[2].partition("```")[0]
    file = tmp_path / "mine.py"
    file.write_text(example)
    (mine,) = from_file(file)
    assert only(many(1), mine.name).measures[0].of(A).value == 3


@pytest.mark.parametrize(
    ("unit", "definition", "name", "wanted"),
    [
        ("miles", "It says.", "a_new_one", "unit 'miles' is not one of"),
        ("share", None, "a_new_one", "docstring"),
        ("share", "It says.", "wins", "there is one of this name"),
    ],
)
def test_a_measure_that_cannot_be_is_refused(unit: str, definition: str | None, name: str, wanted: str) -> None:
    def function(match: Played) -> Iterator[Tally]:
        yield from ()

    all_measures()
    function.__doc__, function.__name__ = definition, name
    with pytest.raises(ValueError, match=wanted):
        measure("A new one", unit=unit)(function)


@pytest.mark.parametrize("given", ["events", "reads"])
def test_one_event_kind_by_itself_is_no_list_of_letters(given: str) -> None:
    with pytest.raises(ValueError, match=rf"^measure refusals: {given}: 'refuse' is one text; a tuple of event kinds"):

        @measure("Refusals", unit="per match", **{given: "refuse"})  # type: ignore[arg-type]
        def refusals(match: Played) -> Iterator[Tally]:
            """Refusals."""
            yield from ()


def test_a_measure_that_fails_says_where() -> None:
    broken = of([GIFTS[0].model_copy(update={"events": ({"kind": "ask"},)})])
    with pytest.raises(MeasureFailed, match=r"measure donations_asked: match 0 of run: KeyError: 'asked'; does"):
        behaviour([broken])


@pytest.mark.parametrize(
    ("packs", "part", "whole"),
    [
        pytest.param(1, 1e308, 1.0, id="the sum of a pack"),
        pytest.param(2, 6e307, 1.0, id="the sum of packs"),
        pytest.param(1, 1.0, 1e308, id="what it is divided by"),
        pytest.param(1, 1e200, 1e-200, id="the figure"),
        pytest.param(25, 3e306, 1.0, id="packs drawn anew"),
        pytest.param(1, -1e308, 1.0, id="below nothing"),
    ],
)
def test_what_is_too_large_to_be_summed_is_refused(packs: int, part: float, whole: float) -> None:
    def function(match: Played) -> Iterator[Tally]:
        yield Tally("red", None, part, whole)

    one = registry.Measure("large", "Large", "per match", "", frozenset(), frozenset(), True, False, "Large.", function)
    with pytest.raises(MeasureFailed, match="measure large: run: its tallies for a come to more than 1e\\+300, in sum"):
        behaviour(many(packs), [one])


def test_events_are_read_by_kind_or_by_kind_and_field() -> None:
    named = Kinds(["donate", "turn:why=choice"])
    assert named.found('[{"kind":"donate"}]')
    assert not named.found('[{"kind":"turn","why":"order"}]')
    assert named.names({"kind": "turn", "why": "choice"}) == ["turn:why=choice"]
    assert named.names({"kind": "turn", "why": "order"}) == []
    assert not Kinds([]).found('[{"kind":"donate"}]')


def test_the_page_of_definitions_is_made_from_the_docstrings() -> None:
    assert (DOCS / "behaviour.md").read_text() == page(), "make it anew: python -m harness.behaviour.definitions"


START = position({"red": "rr", "blue": "bb", "green": "gg", "yellow": "yyyy"}, ["bgr", "rgb"])
SPARED = ("play red on 1", "kill green", "play red new", "next blue", "play blue on 2", "kill green")
HIT = (*SPARED[:5], "kill red")


def pledged(packs: int, *, actions: tuple[str, ...] = HIT, talk: bool = True, **fields: Any) -> list[Played]:
    """Matches in which blue pledges to spare red, and those in which nobody says anything."""
    found = []
    for number in range(packs):
        match, turns = logged(
            START,
            actions,
            id=100 + number,
            number=number,
            pack=number,
            **{"status": "finished", "outcome": OUTCOME, **fields},
        )
        found.append(of(turns, [pledging("blue", 1, "spare", "red")] if talk else [], match=match))
    return found


def test_the_ledger_counts_verdicts_by_player_kind_addressee_and_phase() -> None:
    (table,) = ledger([*pledged(3), *pledged(1, actions=SPARED), *pledged(2, actions=SPARED[:2])]).tables
    assert {(row.player.label, row.by, row.key) for row in table.rows} == {
        ("blue", "", ""),
        ("blue", "kind", "spare"),
        ("blue", "addressee", "red"),
        ("blue", "phase", "first third"),
    }
    for row in table.rows:
        assert row.verdicts == {"kept": 1, "broken": 3, "untested": 2, "void": 0}
        assert (row.kept.value, row.kept.whole, row.kept.interval) == (0.25, 4, None)


def test_a_pledge_to_another_seat_of_the_same_player_has_no_addressee() -> None:
    seats = tuple(
        {"seat": seat, "label": "a", "kind": "bot", "identity": "a"} for seat in ("red", "blue", "green", "yellow")
    )
    (table,) = ledger(pledged(1, seats=seats)).tables
    assert [(row.by, row.key) for row in table.rows] == [("", ""), ("kind", "spare"), ("phase", "first third")]


def test_each_verdict_leads_to_its_plies() -> None:
    (table,) = ledger(pledged(1)).tables
    (entry,) = table.entries
    assert (entry.match_id, entry.maker, entry.addressee) == (100, "blue", "red")
    assert (entry.pledge.ply, entry.pledge.verdict, entry.pledge.verdict_ply) == (1, "broken", 6)


def test_what_a_pledge_says_is_a_share_less_another() -> None:
    """With a pledge red is spared one time in two; without, never. Green is killed or spared by nobody's pledge."""
    matches = [
        *pledged(10, actions=SPARED),
        *[one_of_pack(match, 10) for match in pledged(10)],
        *[one_of_pack(match, 20) for match in pledged(10, talk=False)],
    ]
    (table,) = ledger(matches).tables
    (says,) = table.says
    assert (says.player.label, says.kind) == ("blue", "spare")
    assert (says.after.value, says.after.whole) == (0.5, 20)
    # Without: green's lot in all 30 (spared in the 20 in which red is hit), red's in the 10 without a pledge.
    assert (says.without.value, says.without.whole) == (0.5, 40)
    assert says.difference == 0
    assert says.interval is not None
    assert says.interval[0] < 0 < says.interval[1]


def test_a_decision_on_which_another_promise_bore_is_no_decision_without_one() -> None:
    start = position({"red": "", "blue": "b", "green": "g", "yellow": "y"}, ["rb"], phase="ask")
    matches = []
    for kind in ("donate", "refuse"):
        match, turns = logged(start, ("ask blue", "donate blue"), status="finished", outcome=OUTCOME)
        matches.append(of(turns, [pledging("blue", 1, kind, "red")], match=match))
    (table,) = ledger(matches).tables
    assert [(says.kind, says.after.value, says.after.whole, says.without.whole) for says in table.says] == [
        ("donate", 1, 1, 0),
        ("refuse", 0, 1, 0),
    ]
    assert [says.difference for says in table.says] == [None, None]


def one_of_pack(match: Played, more: int) -> Played:
    pack = match.match.pack + more
    match.match = match.match.model_copy(update={"pack": pack, "number": pack})
    return match


def test_fallbacks_say_nothing_of_their_player() -> None:
    match, turns = logged(START, HIT, status="finished", outcome=OUTCOME, sources={6: "fallback"})
    (table,) = ledger([of(turns, [pledging("blue", 1, "spare", "red")], match=match)]).tables
    assert table.says == ()
    assert table.rows[0].verdicts["void"] == 1


def test_matches_that_do_not_count_are_not_judged_but_told() -> None:
    (table,) = ledger([*pledged(1), *pledged(2, status="void"), *pledged(1, status="running", outcome=None)]).tables
    assert table.matches == {"counted": 1, "running": 1, "void": 2}
    assert len(table.entries) == table.counted == 1


def test_a_log_that_cannot_be_followed_is_told() -> None:
    match, turns = logged(START, HIT, status="finished", outcome=OUTCOME, number=7)
    turns[4] = turns[4].model_copy(update={"action": "fly"})
    (table,) = ledger([of(turns, [pledging("blue", 1, "spare", "red")], match=match)]).tables
    assert table.unfollowed == (7,)
    assert table.entries[0].pledge.why == "log"


def test_the_ledgers_json_is_plain_and_the_same_each_time() -> None:
    first, second = (json.dumps(ledger(pledged(22)).to_json()) for _ in range(2))
    assert first == second
    told = json.loads(first)["tables"][0]
    assert told["pledges"][0]["verdict_ply"] == 6
    assert told["rows"][0]["broken"] == 22
    assert told["says"][0]["after"]["value"] == 0
    assert told["says"][0]["difference"] == -1
