"""A run's mark: whether anything was written since that figures are made of, told without reading the log."""

from __future__ import annotations

import zlib

from sqlalchemy import func, select

from harness.store import house, tables
from harness.store.reads import Reader

_CALL, _MATCH, _MESSAGE, _RUN = tables.call.c, tables.match.c, tables.message.c, tables.run.c


def run_mark(store: Reader, run_id: int) -> str | None:
    """A short text that changes whenever the run's matches are played on, end, or are voided; None where there is no
    such run.

    Its cost grows with the matches that are open, not with those that are over: counted from an index, these change
    only by getting more or fewer. What somebody writes into the log of an ended match by hand it does not tell.
    """
    of_run = _MATCH.run_id == run_id
    going = select(_MATCH.id).where(of_run, _MATCH.status.in_(("running", "paused")))
    # Of a run that has calls outside matches: each run asks its models once before it begins.
    probes = select(func.max(_CALL.id)).where(_CALL.run_id == run_id, _CALL.match_id.is_(None))
    columns = (
        *(_RUN.name, _RUN.created_at),
        select(func.sum(_MATCH.plies)).where(_MATCH.id.in_(going)).scalar_subquery(),
        select(func.max(_CALL.id)).where(_CALL.match_id.in_(going)).scalar_subquery(),
        select(func.count()).select_from(tables.message).where(_MESSAGE.match_id.in_(going)).scalar_subquery(),
        probes.scalar_subquery(),
    )
    by_status = select(_MATCH.status, func.count()).where(of_run).group_by(_MATCH.status)
    with store.reading() as connection:
        row = connection.execute(select(*columns).where(_RUN.id == run_id)).first()
        if row is None:
            return None
        counts = sorted((status, number) for status, number in connection.execute(by_status))
        held = any(status == "running" for status, _ in counts) and run_id in house.holders(connection)
    told = repr((tuple(str(one) for one in row), counts, held))
    return f"{zlib.crc32(told.encode('utf-8', 'surrogatepass')):08x}-{sum(number for _, number in counts)}"
