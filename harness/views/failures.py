"""Failures and missing: what became of every match, decision and call, of whom, and where to see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from harness.leaderboard import Row as Player
from harness.leaderboard import Table, share
from harness.ratings.missing import NOT_COUNTED
from harness.records import INFRASTRUCTURE, OWN, REFUSED
from harness.store.call_sums import CallSum
from harness.views.base import COST, DECISIONS, MATCHES, PLAYER, Behind, Chart, Choice, Column, Row, Section, Sheet
from harness.views.charts import PLAIN, Cell, Dot, Scale, Span, distinct, dots, heat
from harness.views.results import Results
from harness.views.tables import (
    HAD,
    NONE_COUNTED,
    Names,
    behind,
    file_name,
    names_of,
    players,
    sheet,
    source_lines,
    title,
    unconfirmed,
    unconfirmed_lines,
    warnings,
)
from harness.views.words import UNREADABLE_SAYS, several

IN_PLAYED = "in matches that count or ended by forfeit"
WORDS = {"forfeit": "ended by forfeit", "no_result": "without a result"}
_Seen = Callable[[str, str], Behind | None]
"""The matches in which something happened to a player."""
BECAME = (
    PLAYER,
    Column("matches", "matches", "count", "All that are planned for it."),
    Column("started", "begun", "count"),
    Column("counted", "counted", "count"),
    Column("missing", "missing", "count", "Begun, and without a result that counts."),
    Column("missing_share", "missing of begun", "share"),
    Column("forfeit", "ended by forfeit", "count"),
    Column("forfeits", "by its own", "count", "Forfeits of its own."),
    Column("paused", "paused", "count"),
    Column("stopped", "stopped", "count", "Begun, and nobody plays it now."),
    Column("void", "void", "count"),
    Column("no_result", "without a result", "count"),
    Column("running", "running", "count"),
    Column("queued", "queued", "count"),
    Column("best", "won at best", "share", "If every missing match were won; its own forfeits stay lost."),
    Column("worst", "won at worst", "share", "If every missing match were lost."),
    Column("cost_not_counted", "cost of those not counted", "usd", "USD, forfeits aside."),
)
CAUSES = (
    Column("fate", "missing"),
    Column("why", "why", "text"),
    MATCHES,
    Column("players", "players", "text", "Who sat in them, and in how many."),
)
ANSWERS = (
    PLAYER,
    Column("what", "what", "text"),
    Column("number", "times", "count"),
    DECISIONS,
    Column(
        "rate",
        "per decision",
        "number",
        "A decision that was asked again may have several answers. A talk round is no decision.",
    ),
    Column("says", "which says", "text"),
)
CALLS = (
    PLAYER,
    Column("error", "became", "text"),
    Column("whose", "whose fault", "text"),
    Column("calls", "calls", "count"),
    Column("share", "of its calls", "share"),
    MATCHES,
    Column("kinds", "asked for", "text", "What the calls were for."),
)
FLAGS = (
    PLAYER,
    Column("flag", "flag", "text"),
    Column("says", "which says", "text"),
    Column("calls", "calls", "count"),
    MATCHES,
)
COSTS = (
    PLAYER,
    Column("calls", "calls", "count"),
    COST,
    Column("unpriced", "unpriced calls", "count", "Their price is not known: the cost is at least what is shown."),
    Column("unconfirmed_calls", "calls not confirmed", "count"),
    Column("unconfirmed", "not confirmed", "usd", "USD of the cost that no provider confirmed, at the worst price."),
)
MEANS = {
    "illegal": "Answers with an action that was not legal.",
    "unreadable": UNREADABLE_SAYS,
    "fallback": "Decisions made for it after its answers were used up.",
    "unusable in a talk round": "Answers in talk rounds of any of these kinds: it stayed silent.",
}
SAYS = {
    "prompt_cut": "the server counted fewer tokens than the text had: it may have cut its front",
    "params_dropped": "parameters that were asked for were not sent",
    "history": "the oldest part of the history was left out so that the prompt fits",
    "reserved_tokens": "what it took is not known; so many tokens were set aside for it",
}


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """A section for each table, and one for all calls of the run, those of no match included."""
    found = [_section(table, results, choice) for table in results.tables(choice) if players(table, choice)]
    # Calls are summed by player over the whole run: they belong to no game alone.
    return [*found, _calls(results, choice)] if found or not results.leaderboard.tables else []


def of_fate(table: Table, fate: str, *labels: str) -> Behind | None:
    """The matches of a table that became that."""
    if fate in ("forfeit", "no_result", "counted"):
        return behind(table, *labels, reason="forfeit" if fate == "forfeit" else None)
    return behind(table, *labels, status=fate)


def _section(table: Table, results: Results, choice: Choice) -> Section:
    names, chosen = names_of(table), players(table, choice)
    lines = [*source_lines(table), *unconfirmed_lines(unconfirmed(table, results))]
    if not any(table.matches[fate] for fate in NOT_COUNTED):
        lines.append("Every match counts: nothing is missing.")
    elif table.missing:
        lines.append(f"{table.missing:,} of {several(table.started, 'match', 'matches')} begun are missing.")
    charts = [*_became_chart(table, chosen, names), *_answers_chart(table, chosen, names)]
    sheets = [_became(table, chosen, names)]
    if table.causes:
        sheets.append(_causes(table))
    answers = _answers(table, chosen, names)
    if answers.rows:
        sheets.append(answers)
        lines.append("Shares are counts of what happened, without intervals; the page Behaviour has those.")
    elif table.matches["counted"] or table.matches["forfeit"]:
        lines.append(f"Every answer {IN_PLAYED} could be played, and no decision was made for a player.")
    else:
        lines.append(NONE_COUNTED)
    return Section(title(table, results), lines, warnings(table), charts, sheets)


def _became_chart(table: Table, chosen: Sequence[Player], names: Names) -> list[Chart]:
    fates = [fate for fate in NOT_COUNTED if table.matches[fate]]
    if not fates:
        return []
    shown = dict(zip(names, distinct(names.values()), strict=True))
    cells = []
    most = 0.0
    for row in chosen:
        whole = sum(row.not_counted.values()) + row.matches
        for fate in ("counted", *fates):
            number = row.matches if fate == "counted" else row.not_counted[fate]
            part = number / whole if whole else 0.0
            most = max(most, part if fate != "counted" else 0.0)
            told = f"{several(number, 'match', 'matches')} of {whole:,} ({100 * part:.1f} %)"
            # What counts is not coloured: the eye is led to what does not.
            value = None if fate == "counted" else part
            mark = of_fate(table, fate, row.label) if number else None
            cells.append(Cell(shown[row.label, row.identity], WORDS.get(fate, fate), value, f"{number:,}", told, mark))
    said = "; ".join(f"{one.row}, {one.column}: {one.told}" for one in cells)
    what = "What became of each player's matches; the darker, the more of them do not count"
    span = Span(0.0, max(most, 0.05))
    return [heat("became", what, f"{what}. {said}", cells, span, rows_are="player", columns_are="matches")]


def _answers_chart(table: Table, chosen: Sequence[Player], names: Names) -> list[Chart]:
    shown = dict(zip(names, distinct(names.values()), strict=True))
    # Answers in talk rounds have no decisions to be counted by.
    faulty = [row for row in chosen if row.illegal or row.unreadable or row.fallback]
    drawn = [
        Dot(
            shown[row.label, row.identity],
            part,
            None,
            f"{number:,} of {several(row.decisions, 'decision', 'decisions')}",
            what,
            behind(table, row.label, had=had),
        )
        for row in faulty
        for what, number, part, had in _faults(row)
        if part is not None
    ]
    if not drawn:
        return []
    said = "; ".join(f"{one.name}, {one.by}: {one.told}" for one in drawn)
    what = f"Answers that could not be played, and decisions made for a player, per decision {IN_PLAYED}"
    return [dots("answers", what, f"{what}. {said}", drawn, Scale("per decision", PLAIN))]


def _faults(row: Player) -> list[tuple[str, int, float | None, str]]:
    """What was wrong with answers: its name, how often, how often per decision, and how its matches are asked for."""
    return [
        ("illegal", row.illegal, row.illegal_per_decision, HAD["illegal"]),
        ("unreadable", row.unreadable, row.unreadable_per_decision, HAD["unreadable"]),
        ("fallback", row.fallback, row.fallback_share, HAD["fallback"]),
        ("unusable in a talk round", row.talk_faults, None, HAD["talk"]),
    ]


def _became(table: Table, chosen: Sequence[Player], names: Names) -> Sheet:
    rows = [
        Row(
            {
                "player": names[row.label, row.identity],
                "matches": row.matches + sum(row.not_counted.values()),
                "started": row.started,
                "counted": row.matches,
                "missing": row.missing,
                "missing_share": share(row.missing, row.started),
                "forfeits": row.forfeits,
                **row.not_counted,
                "best": row.best and row.best.win_rate,
                "worst": row.worst and row.worst.win_rate,
                "cost_not_counted": row.cost_not_counted,
            },
            behind(table, row.label, status=None),
        )
        for row in chosen
    ]
    return sheet(file_name("matches", table), "What became of the matches", BECAME, rows, always=6)


def _causes(table: Table) -> Sheet:
    rows = [
        Row(
            {
                "fate": WORDS.get(cause.fate, cause.fate),
                "why": cause.why,
                "matches": cause.matches,
                "players": ", ".join(f"{label} {number}" for label, number in cause.players.items()),
            },
            of_fate(table, cause.fate),
        )
        for cause in table.causes
    ]
    return Sheet(file_name("causes", table), "Why matches are missing", CAUSES, tuple(rows))


def _answers(table: Table, chosen: Sequence[Player], names: Names) -> Sheet:
    rows = [
        Row(
            {
                "player": names[row.label, row.identity],
                "what": what,
                "number": number,
                "decisions": row.decisions,
                "rate": part,
                "says": MEANS.get(what),
            },
            behind(table, row.label, had=had),
        )
        for row in chosen
        for what, number, part, had in _faults(row)
        if number
    ]
    told = f"Answers that could not be played, and decisions made for a player, {IN_PLAYED}"
    return sheet(file_name("answers", table), told, ANSWERS, rows, always=5)


def _calls(results: Results, choice: Choice) -> Section:
    """What became of calls: all of the run's."""
    run = results.run.name
    heading = "All calls of the run" if len(results.runs) == 1 else "All calls of the runs"
    chosen = [one for one in results.calls if choice.player in (None, one.label)]
    if not chosen:
        return Section(heading, ["No model was asked: there are no calls."])
    of_player: Counter[str] = Counter()
    failed: dict[tuple[str, str], list[int]] = {}
    kinds: dict[tuple[str, str], list[str]] = {}
    for one in chosen:
        of_player[one.label] += one.calls
        if one.error_kind is not None:
            found = failed.setdefault((one.label, one.error_kind), [0, 0])
            found[0] += one.calls
            found[1] += one.matches
            kinds.setdefault((one.label, one.error_kind), []).append(one.kind)
    single = len(results.runs) == 1
    of_all = _of_all(results)

    def seen(label: str, had: str) -> Behind | None:
        return Behind(run, (label,), had=had) if single else None

    rows = [
        Row(
            {
                "player": label,
                "error": kind.replace("_", " "),
                "whose": _whose(kind),
                "calls": calls,
                "share": calls / of_player[label],
                "matches": matches,
                "kinds": ", ".join(sorted(set(kinds[label, kind]))),
            },
            seen(label, kind) if matches else None,
        )
        for (label, kind), (calls, matches) in sorted(failed.items())
    ]
    flags = [
        Row(
            {
                "player": one.label,
                "flag": one.flag,
                "says": SAYS.get(one.flag),
                "calls": one.calls,
                "matches": one.matches,
            },
            seen(one.label, f"flag:{one.flag}") if one.matches else None,
        )
        for one in results.flags
        if choice.player in (None, one.label)
    ]
    whole = of_player.total()
    wrong = sum(calls for calls, _ in failed.values())
    all_calls = several(whole, "call", "calls")
    told = f"{wrong:,} of {all_calls} had no" if wrong else f"{all_calls}: each had an"
    lines = [f"{told} answer that could be played."]
    became = f"Calls without such an answer, by what became of them, {of_all}"
    sheets = [
        *([Sheet(f"calls-{run}", became, CALLS, tuple(rows))] if rows else []),
        *([Sheet(f"flags-{run}", f"What was odd about calls, {of_all}", FLAGS, tuple(flags))] if flags else []),
        _costs(results, chosen),
    ]
    return Section(heading, lines, (), _calls_chart(of_player, failed, seen), sheets)


def _of_all(results: Results) -> str:
    return "in the whole run" if len(results.runs) == 1 else "in all of the runs"


def _whose(kind: str) -> str:
    if kind in INFRASTRUCTURE:
        return "nobody's: the line or the provider's machine"
    if kind in REFUSED:
        return "the request, which was refused"
    return "the model's own" if kind in OWN else "what may be spent"


def _calls_chart(of_player: Counter[str], failed: dict[tuple[str, str], list[int]], seen: _Seen) -> list[Chart]:
    if not failed:
        return []
    shown = dict(zip(of_player, distinct(of_player), strict=True))
    errors = sorted({kind for _, kind in failed}, key=lambda kind: (_whose(kind), kind))
    cells = []
    for label, whole in of_player.items():
        for kind in errors:
            calls, matches = failed.get((label, kind), (0, 0))
            told = f"{several(calls, 'call', 'calls')} of {whole:,} ({100 * calls / whole:.1f} %): {_whose(kind)}"
            mark = seen(label, kind) if matches else None
            cells.append(
                Cell(shown[label], kind.replace("_", " "), calls / whole, f"{calls:,}" if calls else "", told, mark)
            )
    most = max(one.value or 0.0 for one in cells)
    what = "Calls without an answer that could be played, by player and by what became of them"
    said = "; ".join(f"{one.row}, {one.column}: {one.told}" for one in cells if one.value)
    return [heat("calls", what, f"{what}. {said}", cells, Span(0.0, most), rows_are="player", columns_are="became")]


def _costs(results: Results, chosen: Sequence[CallSum]) -> Sheet:
    found: dict[str, list[CallSum]] = {}
    for one in chosen:
        found.setdefault(one.label, []).append(one)
    single = len(results.runs) == 1
    rows = [
        Row(
            {
                "player": label,
                "calls": sum(one.calls for one in some),
                "cost": sum(one.cost for one in some),
                "unpriced": sum(one.unpriced for one in some),
                "unconfirmed_calls": sum(one.unconfirmed_calls for one in some),
                "unconfirmed": sum(one.unconfirmed for one in some),
            },
            Behind(results.run.name, (label,)) if single else None,
        )
        for label, some in found.items()
    ]
    return Sheet(
        f"costs-{results.run.name}",
        f"What calls cost, and what of it is not sure, {_of_all(results)}",
        COSTS,
        tuple(rows),
    )
