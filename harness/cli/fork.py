"""`parley fork`: play on from a position of a match."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from harness.cli.find import listing, match_named, opened, run_named
from harness.cli.options import Whole, database, database_option, grace_option
from harness.cli.output import count, one_line, say, several
from harness.cli.run import WHOLE, check_models, played

if TYPE_CHECKING:
    from harness.fork import Plan, Point
    from harness.records import RunRecord
    from harness.spec import PlayerSpec
    from harness.store import Store


@click.command(short_help="Play on from any ply of a match, by the same players or others.")
@click.argument("name", metavar="RUN|MATCH")
@click.option("--ply", type=Whole(min=0), metavar="N", help="Play on from the position after that ply; 0 is the start.")
@click.option("--where", metavar="KIND", help="Play on from before each action that led to an event of that kind.")
@click.option(
    "--seat", "seats", multiple=True, metavar="SEAT=WHO", help="Who else plays on there: a label, or bot:NAME."
)
@click.option("--players", metavar="FILE", help="A tournament file whose players can be named too.")
@click.option("--times", type=WHOLE, default=1, metavar="N", help="How often, from each position.  [default: 1]")
@click.option("--name", "called", metavar="RUN", help="The name of the new run.")
@click.option("--reseed", is_flag=True, help="Draw the chance still to come anew; else it is the parent's.")
@database
@grace_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str,
    ply: int | None,
    where: str | None,
    seats: tuple[str, ...],
    players: str | None,
    times: int,
    called: str | None,
    reseed: bool,
    db: str | None,
    grace: float,
) -> None:
    """Play on from a position of MATCH, or of every match of RUN, as new matches in a run of their own.

    Every seat is played on by whom it was played by, unless --seat names somebody else: by the label that a player has
    in the run's file or in --players, or as bot:NAME. Whoever takes a seat over remembers what the seat remembered.
    Talk, interface, limits and budget are the run's. The new run is gone on with by `parley resume`; its matches say
    what they were forked from, and are never counted together with others.

    \b
      parley fork 12 --ply 30 --seat red=bot:greedy
      parley fork 12 --ply 30 --times 20
      parley fork table --where capture --times 3
    """
    if (ply is None) == (where is None):
        raise click.UsageError("give --ply N, or --where KIND: from where to play on")
    with opened(db, write=True, create=False) as store:
        planned = _planned(store, name, ply, where, seats, _guests(players), times, called, reseed)
        check_models(planned.spec)
        store.create_forks(planned.run, planned.matches).result()
        _tell(planned)
        again = f"resume {shlex.quote(one_line(planned.run.name))}"
        suffix = database_option(db)
        status = played(store, planned.spec, planned.run.source, again=again, suffix=suffix, grace=grace)
        if times > 1:
            _tell_alike(store, planned.run.name, reseed=reseed)
        ctx.exit(status)


def _tell_alike(store: Store, name: str, *, reseed: bool) -> None:
    """Say so where all finished forks of each position ended after as many plies in one position."""
    run = run_named(store, name)
    ends: dict[tuple[int | None, int | None], list[tuple[int, str]]] = {}
    for match in store.matches(run.id or 0):
        if match.status == "finished":
            last = store.turns(match.id or 0, after=match.plies - 1)
            end = (match.plies, last[-1].position_hash if last else "")
            ends.setdefault((match.parent_id, match.parent_ply), []).append(end)
    several_times = [found for found in ends.values() if len(found) > 1]
    alike = [found for found in several_times if len(set(found)) == 1]
    if alike:
        whole = f"all {len(alike[0])}" if len(ends) == 1 else f"the forks of {len(alike)} of {len(ends)} positions"
        why = "" if reseed else ": nothing in them is left to chance; --reseed draws chance anew"
        say((f"{whole} came out alike{why}", "yellow"))


def _planned(
    store: Store,
    name: str,
    ply: int | None,
    where: str | None,
    seats: tuple[str, ...],
    guests: tuple[PlayerSpec, ...],
    times: int,
    called: str | None,
    reseed: bool,
) -> Plan:
    from harness.fork import plan

    run, starts = _starts(store, name, ply, where)
    about = where or f"ply-{ply}"
    return plan(
        store,
        run,
        starts,
        seats=_wishes(seats),
        players=guests,
        times=times,
        name=called,
        about=f"{name}-{about}" if name.isdigit() else about,
        source=f"# {shlex.join(['parley', 'fork', *_given(name, ply, where, seats, times, reseed)])}\n",
        reseed=reseed,
    )


def _starts(store: Store, name: str, ply: int | None, where: str | None) -> tuple[RunRecord, list[Point]]:
    """The run that is forked and the positions, of which there is at least one."""
    from harness.fork import point, points

    if name.isdigit():
        match, _ = match_named(store, name)
        run = store.run(match.run_id or 0)
        numbers = [match.id or 0]
    else:
        run = run_named(store, name)
        numbers = list(store.match_numbers(run.name) or ())
    assert run is not None
    assert run.id is not None
    if name.isdigit() and ply is not None:
        return run, [point(store, numbers[0], ply)]
    if where is not None and not name.isdigit():
        # Only matches with such an event are opened.
        numbers = list(dict.fromkeys(hit.match for hit in store.find_turns(run.id, kind=where)))
    found, left_out = points(store, numbers, ply=ply, kind=where)
    if not found:
        kinds = f"; what happens there: {listing(store.kinds(run.id))}" if where is not None and not left_out else ""
        raise click.UsageError(
            left_out[0] if left_out else f"--where: no event of the kind {one_line(where or '')!r} in {name}{kinds}"
        )
    if left_out:
        more = f" (and {several(len(left_out) - 1, 'other', 'others')})" if len(left_out) > 1 else ""
        say((f"Left out: {left_out[0]}{more}", "yellow"))
    return run, found


def _wishes(seats: tuple[str, ...]) -> dict[str, str]:
    """Who was asked for, by seat."""
    wishes: dict[str, str] = {}
    for text in seats:
        seat, equals, who = text.partition("=")
        seat = seat.strip().lower()
        if not (equals and seat and who.strip()):
            raise click.UsageError(f"--seat: {one_line(text)!r} is not SEAT=WHO, as red=bot:greedy")
        if seat in wishes:
            raise click.UsageError(f"--seat: {one_line(seat)} is given twice; one player sits there")
        wishes[seat] = who.strip()
    return wishes


def _guests(file: str | None) -> tuple[PlayerSpec, ...]:
    from harness.spec import guests, read_source

    return () if file is None else guests(read_source(file), file)


def _given(
    name: str, ply: int | None, where: str | None, seats: tuple[str, ...], times: int, reseed: bool
) -> list[str]:
    """The arguments that say what the run is, for its record."""
    options = [] if ply is None else ["--ply", str(ply)]
    options += [] if where is None else ["--where", where]
    options += [part for seat in seats for part in ("--seat", seat)]
    options += ["--times", str(times)] if times > 1 else []
    return [name, *options, *(["--reseed"] if reseed else [])]


def _tell(planned: Plan) -> None:
    """What is about to be played."""
    first = planned.matches[0]
    parents = {match.parent_id for match in planned.matches}
    of = f"match {first.parent_id}" if len(parents) == 1 else f"{count(len(parents))} matches"
    plies = {match.parent_ply for match in planned.matches}
    at = f" at ply {first.parent_ply}" if len(plies) == 1 else ""
    say(
        (planned.run.name, "bold"),
        f": {several(len(planned.matches), 'fork', 'forks')} of {of} of {first.lineage[-1].run}{at}",
    )
    if len(parents) == 1:
        before = {seat.seat: seat.label for seat in first.lineage[-1].seats}
        for seat in first.seats:
            was = before[seat.seat]
            say(f"  {seat.seat}: {seat.label}" + (f" (before: {was})" if was != seat.label else ""))
