"""Everything that failed or is missing is somewhere on the page, once, with its matches."""

from __future__ import annotations

from harness.records import SeatStats
from harness.store.call_sums import CallSum, FlagSum
from harness.views.base import Behind, Choice
from harness.views.failures import view
from tests.harness.test_leaderboard import match
from tests.harness.views.made import HOSTILE, chart, check, column, drawn, results, seen, sheet

FATES = {"counted": 80, "forfeit": 1, "paused": 2, "void": 1, "queued": 1, "stopped": 1}


def troubled() -> list[SeatStats]:
    open_: dict[str, int | None] = dict.fromkeys("abcd")
    stats = [
        *drawn(20, calls=2, illegal=1),
        *match(80, {"a": 1, "b": 1, "c": 1, "d": 2}, reason="forfeit"),
        *match(81, open_, status="paused", reason=None, why="a: too many requests"),
        *match(82, open_, status="paused", reason=None, why="a: too many requests"),
        *match(83, open_, status="void", reason=None, why="the power failed"),
        *match(84, open_, status="queued", reason=None),
        *match(85, open_, status="running", held=False, reason=None),
    ]
    return [one.model_copy(update={"kind": "model"}) for one in stats]


def call(label: str, error_kind: str | None = None, calls: int = 10, **keys: float) -> CallSum:
    whole = {"matches": 3, "prompt_tokens": 0, "completion_tokens": 0, "unpriced": 0, "unconfirmed_calls": 0}
    money = {"cost": 0.0, "unconfirmed": 0.0}
    return CallSum(
        **{"label": label, "kind": "act", "error_kind": error_kind, "calls": calls, **whole, **money, **keys}
    )  # type: ignore[arg-type]


def test_what_became_of_every_match() -> None:
    section = seen(view, results(troubled()))[0]
    told = sheet(section, "matches")
    assert column(told, "counted") == [80] * 4
    for fate, number in FATES.items():
        if fate in {one.key for one in told.columns} and fate != "forfeit":
            assert set(column(told, fate)) == {number}
    assert column(told, "forfeits") == [1 if label == "d" else 0 for label in column(told, "player")]
    assert set(column(told, "started")) == {85}
    assert set(column(told, "missing")) == {5}
    assert "5 of 85 matches begun are missing." in section.lines
    assert section.lines[0] == "From 80 of 86 matches, in 20 packs."


def test_causes_lead_to_their_matches() -> None:
    causes = sheet(seen(view, results(troubled()))[0], "causes")
    found = {(row.values["fate"], row.values["why"]): (row.values["matches"], row.behind) for row in causes.rows}
    assert found["paused", "a: too many requests"] == (2, Behind("r", (), "g", 0, "paused"))
    assert found["ended by forfeit", "by d"] == (1, Behind("r", (), "g", 0, "finished", "forfeit"))
    assert found["void", "the power failed"][0] == 1


def test_nothing_missing_is_said() -> None:
    sections = seen(view, results(drawn(20)))
    assert sections[0].lines[1] == "Every match counts: nothing is missing."
    assert sections[0].lines[2].startswith("Every answer in matches that count or ended by forfeit could be played")
    assert sections[0].charts == []
    assert sections[1].lines == ["No model was asked: there are no calls."]
    assert len(seen(view, results([]))) == 1


def test_without_a_counted_match_nothing_is_said_of_answers() -> None:
    open_: dict[str, int | None] = dict.fromkeys("abcd")
    stats = match(0, open_, status="paused", reason=None, why="a: no answer", calls=1, illegal=1)
    section, whole = seen(view, results(stats, calls=[call("a", "empty", 1)]))
    assert section.lines[-1] == "No match has been counted yet."
    assert whole.lines == ["1 of 1 call had no answer that could be played."]
    assert all(one.title.endswith(", in the whole run") for one in whole.sheets)


def test_answers_and_fallbacks_by_player() -> None:
    faulty = {"fallback": 1, "unreadable": 20, "talk_faults": 3}
    stats = [one.model_copy(update=faulty) if one.label == "b" else one for one in troubled()]
    section = seen(view, results(stats))[0]
    rows = {(row.values["player"], row.values["what"]): row for row in sheet(section, "answers").rows}
    assert rows["a", "illegal"].values["number"] == 80
    assert rows["a", "illegal"].values["rate"] == 80 / (81 * 8)
    assert rows["a", "illegal"].behind == Behind("r", ("a",), "g", 0, "finished", had="answer:illegal")
    assert ("a", "fallback") not in rows
    had = rows["b", "unreadable"].behind
    assert had is not None
    assert had.had == "answer:content_filter,empty,refusal,truncated,unreadable"
    said = str(rows["b", "unreadable"].values["says"])
    assert all(kind in said for kind in ("truncated", "empty", "refusal", "content filter"))
    several = rows["b", "unreadable"].values["rate"]
    assert isinstance(several, float)
    assert several > 1, "a decision may have several such answers: no share"
    talk = rows["b", "unusable in a talk round"]
    assert (talk.values["number"], talk.values["rate"]) == (3 * 81, None)
    assert talk.behind is not None
    assert (talk.behind.had or "").startswith("talk:")
    assert {column.kind for column in sheet(section, "answers").columns if column.key == "rate"} == {"number"}
    assert "share" not in chart(section, "answers").title
    assert {one["by"] for one in chart(section, "answers").rows} == {"illegal", "unreadable", "fallback"}


def test_calls_by_what_became_of_them() -> None:
    calls = [call("a"), call("a", "rate_limit", 2), call("a", "illegal", 3), call("b", "budget", 1), call("b", calls=4)]
    calls.append(call("a", "rate_limit", 1, matches=0)._replace(kind="probe"))
    section = seen(view, results(troubled(), calls=calls))[-1]
    assert section.lines == ["7 of 21 calls had no answer that could be played."]
    rows = {(row.values["player"], row.values["error"]): row for row in sheet(section, "calls").rows}
    assert rows["a", "rate limit"].values["calls"] == 3
    assert rows["a", "rate limit"].values["share"] == 3 / 16
    assert rows["a", "rate limit"].values["kinds"] == "act, probe"
    assert rows["a", "rate limit"].behind == Behind("r", ("a",), had="rate_limit")
    assert rows["a", "rate limit"].values["whose"] == "nobody's: the line or the provider's machine"
    assert rows["a", "illegal"].values["whose"] == "the model's own"
    assert rows["b", "budget"].values["whose"] == "what may be spent"


def test_where_every_call_had_an_answer_no_empty_table_stands() -> None:
    section = seen(view, results(troubled(), calls=[call("a"), call("b", calls=2)]))[-1]
    assert section.lines == ["12 calls: each had an answer that could be played."]
    assert [one.name for one in section.sheets] == ["costs-r"]
    assert not section.charts


def test_flags_and_costs_that_are_not_sure() -> None:
    calls = [call("a", cost=2.0, unpriced=3, unconfirmed=0.5, unconfirmed_calls=1), call("b", cost=1.0)]
    flags = [FlagSum("a", "prompt_cut", 4, 2), FlagSum("b", "odd", 1, 0)]
    section = seen(view, results(troubled(), calls=calls, flags=flags))[-1]
    odd = sheet(section, "flags")
    assert odd.rows[0].behind == Behind("r", ("a",), had="flag:prompt_cut")
    assert odd.rows[1].behind is None, "no match is behind it"
    costs = sheet(section, "costs")
    assert column(costs, "cost") == [2.0, 1.0]
    assert column(costs, "unpriced") == [3, 0]
    assert column(costs, "unconfirmed") == [0.5, 0.0]
    alone = seen(view, results(troubled(), calls=calls, flags=flags), Choice(player="b"))[-1]
    assert column(sheet(alone, "costs"), "player") == ["b"]
    assert column(sheet(alone, "flags"), "player") == ["b"]


def test_hostile_words_are_text() -> None:
    open_: dict[str, int | None] = dict.fromkeys(("a", HOSTILE, "c", "d"))
    stats = drawn(20, ["a", HOSTILE, "c", "d"], illegal=1)
    stats += match(80, open_, status="paused", reason=None, why=f"{HOSTILE}\u202e" * 1000)
    for section in seen(view, results(stats, calls=[call(HOSTILE), call(HOSTILE, HOSTILE)])):
        for one in section.charts:
            assert "<img" not in check(one)
