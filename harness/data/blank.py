"""One record of each kind of figures, made of nothing: it tells a data frame without rows its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.records import Json

_HEAD: dict[str, Any] = {
    "run": "",
    "game": "",
    "game_index": 0,
    "seats": 0,
    "rules": None,
    "matches": {},
    "packs": 0,
    "forks": False,
}


def blank_leaderboard() -> Json:
    """A leaderboard's JSON with one row."""
    from harness.leaderboard import leaderboard
    from harness.records import SeatStats

    plain = {int: 0, float: 0.0, str: ""}
    needed = {name: field.annotation for name, field in SeatStats.model_fields.items() if field.is_required()}
    blank: dict[str, Any] = {name: plain[kind] for name, kind in needed.items() if kind in plain}
    ended = {"status": "finished", "seats": 1, "kind": "bot", "place": 1, "winners": 1, "reason": None}
    return leaderboard([SeatStats.model_validate({**blank, **ended})]).to_json()


def blank_behaviour() -> Json:
    """A behaviour's JSON with one figure."""
    from harness.behaviour.gather import Figure, Player
    from harness.behaviour.registry import Measure
    from harness.behaviour.tables import Behaviour, MeasureRows, Row, Table

    none: frozenset[str] = frozenset()
    measure = Measure(
        "", "", "", "", none, none, forfeits=True, parts=False, definition="", function=lambda _: iter(())
    )
    row = Row(Player("", "", "bot"), None, Figure(None, None, 0.0, 0.0, 0, 0))
    return Behaviour((Table(**_HEAD, players=(), measures=(MeasureRows(measure, (row,)),)),)).to_json()


def blank_ledger() -> Json:
    """A ledger's JSON with one row of each part."""
    from harness.behaviour.gather import Figure, Player
    from harness.behaviour.ledger import Ledger, LedgerTable, Row, Says
    from harness.pledges import VERDICTS

    player, figure = Player("", "", "bot"), Figure(None, None, 0.0, 0.0, 0, 0)
    rows = (Row(player, "", "", dict.fromkeys(VERDICTS, 0), figure),)
    says = (Says(player, "", figure, figure, None, None),)
    return Ledger((LedgerTable(**_HEAD, unfollowed=(), rows=rows, says=says, entries=()),)).to_json()
