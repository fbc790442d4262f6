"""Player: one player's profile, by game: who it is, how it fares, against whom, how it plays, what that takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from harness.behaviour.gather import Player
from harness.behaviour.tables import Table as Measured
from harness.leaderboard import Row as Standing
from harness.leaderboard import Table
from harness.rating_text import of_two, ranks_text, turned
from harness.ratings.pairs import Pair
from harness.records import Json
from harness.views import pledges
from harness.views.base import MATCHES, PLAYER, Chart, Choice, Column, Figure, Kind, Row, Section, Sheet
from harness.views.charts import SHARE, Dot, Scale, distinct, dots
from harness.views.common import chance, figure, key_of
from harness.views.cost import Taken, taken
from harness.views.player_parts import failures_sheet, play, takes_sheet
from harness.views.results import Results
from harness.views.tables import behind, file_name, names_of, players, sheet, source_lines, title, warnings
from harness.views.words import cell, several

PLAIN = ",~f"


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """The chosen player's sections; where none is chosen, all players in one table, then the profile of the first."""
    tables = results.tables(choice)
    found: list[Section] = []
    label = choice.player
    if label is None:
        rows = [row for table in tables for row in table.rows]
        if not rows:
            return []
        found.append(_everybody(tables, results))
        label = rows[0].label
    them = [table for table in tables if any(row.label == label for row in table.rows)]
    if not them:
        return []
    found.append(_who(results, them, label))
    for table in them:
        found += _profile(results, table, label)
    return found


def _everybody(tables: Sequence[Table], results: Results) -> Section:
    rows = []
    for table in tables:
        names = names_of(table)
        rows += [
            Row(
                {
                    "player": names[key_of(row)],
                    "game": title(table, results),
                    "kind": row.kind,
                    "rank": row.rank,
                    "win_chance": chance(row),
                    "mean_place": Figure(row.mean_place, row.place_interval),
                    "matches": row.matches,
                },
                behind(table, row.label),
            )
            for row in table.rows
        ]
    columns = (
        PLAYER,
        Column("game", "game"),
        Column("kind", "kind"),
        Column("rank", "#", "count"),
        Column("win_chance", "win chance", "share", "The chance to win an average table, or the share won as it was."),
        Column("mean_place", "mean place", "number"),
        MATCHES,
    )
    lines = ["Choose a player above to see its profile. That of the first one stands below."]
    return Section("Players", lines, sheets=[sheet("players", "All players", columns, rows)])


def _who(results: Results, tables: Sequence[Table], label: str) -> Section:
    """Who stands behind a label. One of another identity is another player, whatever it is called."""
    specs = {(run.name, str(player.get("label"))): player for run in results.runs for player in _players(run.spec)}
    rows, warned = [], []
    for table in tables:
        same = [row for row in table.rows if row.label == label]
        if len(same) > 1:
            warned.append(
                f"{several(len(same), 'player', 'players')} had this label in {title(table, results)}: something that "
                "makes a player changed in between. Each is shown by itself, with the beginning of its identity."
            )
        told = _told(specs.get((table.run, label), {}))
        rows += [
            Row(
                {
                    "game": title(table, results),
                    "kind": row.kind,
                    **told,
                    "identity": row.identity,
                    "rules": table.rules,
                    "matches": row.matches,
                },
                behind(table, label),
            )
            for row in same
        ]
    columns = (
        Column("game", "game"),
        Column("kind", "kind"),
        Column("model", "model or bot", help="As the tournament file has it now."),
        Column("persona", "persona"),
        Column("params", "parameters"),
        Column("server", "server"),
        Column("identity", "identity", help="The hash of all that makes this player, the version of bots' rules too."),
        Column("rules", "rules"),
        Column("matches", "matches", "count", "Counted ones."),
    )
    return Section(label, (), warned, sheets=[sheet("identity", "Who it is", columns, rows, always=3)])


def _told(spec: Mapping[str, object]) -> dict[str, str | None]:
    """What the tournament file says of a player."""
    params = spec.get("params")
    return {
        "model": _text(spec.get("model") or spec.get("bot")),
        "persona": _text(spec.get("persona")),
        "params": json.dumps(params, sort_keys=True) if params else None,
        "server": _host(spec.get("api_base")),
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _players(spec: Json) -> list[Mapping[str, object]]:
    return [one for one in spec.get("players", ()) if isinstance(one, dict)]


def _host(address: object) -> str | None:
    """A server without what may be secret in its address."""
    try:
        parts = urlsplit(str(address or ""))
        return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    except ValueError:
        return None


def _profile(results: Results, table: Table, label: str) -> list[Section]:
    found = []
    measured = _measured(results, table)
    names = names_of(table)
    them = taken(results, table)
    for row in players(table, Choice(player=label)):
        several_of_it = sum(one.label == label for one in table.rows) > 1
        name = f"{title(table, results)} · {names[key_of(row)]}" if several_of_it else title(table, results)
        found.append(_results(table, row, measured, name, them))
        if measured is None:
            continue
        player = Player(row.label, row.identity, row.kind)
        found += play(table, measured, player, name)
        for ledger in results.ledger.tables:
            if ledger.key == measured.key:
                judged = pledges.section(results, ledger, f"Pledges · {name}", [player])
                found += [judged] if judged is not None else []
    return found


def _measured(results: Results, table: Table) -> Measured | None:
    """The measures of the same matches; none where several runs are pooled, as no measure is pooled."""
    return next((one for one in results.behaviour.tables if one.key == table.key), None)


def _results(table: Table, row: Standing, measured: Measured | None, name: str, them: Sequence[Taken]) -> Section:
    own = next(one for one in them if key_of(one.row) == key_of(row))
    lines = [*source_lines(table), _headline(table, row)]
    pairs = _pairs(table, row)
    seats = _by_seat(measured, row)
    return Section(
        title=name,
        lines=lines,
        warnings=warnings(table),
        charts=[*_seat_charts(table, row, seats), *_pair_charts(table, pairs)],
        sheets=[
            *([_seat_sheet(table, row, seats)] if seats else []),
            *([_pair_sheet(table, pairs)] if pairs else []),
            takes_sheet(table, own, measured),
            failures_sheet(table, row, measured),
        ],
    )


def _headline(table: Table, row: Standing) -> str:
    if not row.matches:
        return "None of its matches counts."
    rate = cell(Figure(row.win_rate, row.win_interval), "share")
    place = cell(Figure(row.mean_place, row.place_interval), "number")
    told = f"It won {rate} of {several(row.matches, 'match', 'matches')}; its mean place is {place} of {table.seats}."
    if row.probability is not None:
        rank = f", rank {row.rank} of {len(table.rows)}" if row.rank else ""
        open_ = f" ({ranks_text(row.ranks)} is left open)" if row.ranks and row.ranks[0] != row.ranks[1] else ""
        told += f" At an average table it wins {cell(chance(row), 'share')}{rank}{open_}."
    return told


_Seats = list[tuple[str, Figure, Figure, int]]
"""By seat: the share won, the mean place, from how many matches."""


def _by_seat(measured: Measured | None, row: Standing) -> _Seats:
    found: dict[str, dict[str, tuple[Figure, int]]] = {}
    for one in measured.measures if measured is not None else ():
        if one.measure.name in ("wins", "place"):
            for line in one.rows:
                if key_of(line.player) == key_of(row) and line.key is not None:
                    value = figure(line.figure) or Figure(None)
                    found.setdefault(line.key, {})[one.measure.name] = (value, line.figure.matches)
    nothing = Figure(None), 0
    return [
        (seat, ways.get("wins", nothing)[0], ways.get("place", nothing)[0], ways.get("wins", nothing)[1])
        for seat, ways in found.items()
    ]


def _seat_charts(table: Table, row: Standing, seats: _Seats) -> list[Chart]:
    if not seats:
        return []
    wins = [("all seats", Figure(row.win_rate, row.win_interval), row.matches)]
    wins += [(seat, won, number) for seat, won, _, number in seats]
    places = [("all seats", Figure(row.mean_place, row.place_interval), row.matches)]
    places += [(seat, place, number) for seat, _, place, number in seats]
    return [
        _seat_chart(table, row, "Won by seat", wins, "share", Scale("share won", SHARE, most=1, ticks=4)),
        _seat_chart(table, row, "Place by seat", places, "number", Scale("mean place", PLAIN, zero=False, ticks=4)),
    ]


def _seat_chart(
    table: Table, row: Standing, what: str, found: Sequence[tuple[str, Figure, int]], kind: Kind, scale: Scale
) -> Chart:
    drawn = [
        Dot(name, one.value, one.interval, f"{cell(one, kind)}, of {number:,} matches",
            behind=behind(table, row.label, seat=name if place else None))
        for place, (name, one, number) in enumerate(found)
    ]  # fmt: skip
    alt = f"{what}: " + "; ".join(f"{dot.name}: {dot.told}" for dot in drawn)
    line = (1 / table.seats, "even") if kind == "share" else None
    return dots(what.lower().replace(" ", "-"), what, alt, drawn, scale, line=line)._replace(small=True)


def _seat_sheet(table: Table, row: Standing, seats: _Seats) -> Sheet:
    rows = [
        Row(
            {"seat": seat, "wins": wins, "place": place, "matches": matches},
            behind(table, row.label, seat=seat),
        )
        for seat, wins, place, matches in seats
    ]
    columns = (
        Column("seat", "seat"),
        Column("wins", "won", "share"),
        Column("place", "mean place", "number"),
        MATCHES,
    )
    return Sheet(file_name("seats", table), "By seat", columns, tuple(rows))


def _pairs(table: Table, row: Standing) -> list[Pair]:
    """Those in which it sat with another, it being the first."""
    found = []
    for pair in table.ratings.main.pairs:
        if key_of(pair.first) == key_of(row):
            found.append(pair)
        elif key_of(pair.second) == key_of(row):
            found.append(turned(pair))
    order = {key_of(one): place for place, one in enumerate(table.rows)}
    return sorted((pair for pair in found if pair.matches), key=lambda pair: order[key_of(pair.second)])


def _pair_charts(table: Table, pairs: Sequence[Pair]) -> list[Chart]:
    if not pairs:
        return []
    names = names_of(table)
    shown = dict(zip(names, distinct(names.values()), strict=True))
    drawn = [
        Dot(
            shown[key_of(pair.second)],
            pair.ahead,
            pair.ahead_interval,
            f"{cell(Figure(pair.ahead, pair.ahead_interval), 'share')} of {pair.matches:,} matches",
            behind=behind(table, pair.first.label, pair.second.label),
        )
        for pair in pairs
    ]
    alt = "How often it was placed before each other: " + "; ".join(f"{dot.name}: {dot.told}" for dot in drawn[:40])
    scale = Scale("share placed before the other", SHARE, most=1, ticks=4)
    made = dots("against", "Against whom", alt, drawn, scale, line=(0.5, "even"))
    return [made._replace(small=True, help="Of matches in which both sat; a shared place counts half.")]


def _pair_sheet(table: Table, pairs: Sequence[Pair]) -> Sheet:
    names = names_of(table)
    rows = []
    for pair in pairs:
        low, high = pair.win_odds_interval or (None, None)
        between = (of_two(low) or 0.0, of_two(high) or 0.0) if low is not None and high is not None else None
        rows.append(
            Row(
                {
                    "other": names[key_of(pair.second)],
                    "ahead": Figure(pair.ahead, pair.ahead_interval),
                    "wins": pair.first_wins,
                    "other_wins": pair.second_wins,
                    "of_two": Figure(of_two(pair.win_odds), between),
                    "p": pair.p_corrected,
                    "apart": pair.apart,
                    "matches": pair.matches,
                },
                behind(table, pair.first.label, pair.second.label),
            )
        )
    columns = (
        Column("other", "against"),
        Column("ahead", "placed before it", "share", "A shared place counts half."),
        Column("wins", "won", "count", "A first place that k share is 1/k of a win."),
        Column("other_wins", "the other won", "count"),
        Column("of_two", "wins, if one of the two does", "share", "By their strengths, in equal seats."),
        Column("p", "p", "p", "How likely so large a difference would be by chance, corrected for all pairs."),
        Column("apart", "told apart"),
        Column("matches", "matches", "count", "In which both sat."),
    )
    return sheet(file_name("against", table), "Against whom", columns, rows)
