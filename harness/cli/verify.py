"""`parley verify`: does every log come out again?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli.find import match_named, opened, run_named
from harness.cli.options import as_json, database
from harness.cli.output import emit, one_line, say, several

if TYPE_CHECKING:
    from harness.records import MatchRecord
    from harness.replay import Difference
    from harness.store import Store

Plan = dict[int, "MatchRecord"]


@click.command(short_help="Play every log again and compare every hash.")
@click.argument("name", metavar="RUN|MATCH")
@database
@as_json
def command(name: str, db: str | None, as_json: bool) -> None:
    """Play every match of RUN, or MATCH alone, again from its start position by its logged actions, and compare every
    event, every position's hash and the outcome; and each match's record with the run's file. One line tells the first
    difference of each match that has any, and the exit status is then 1."""
    with opened(db) as store:
        numbers, run = _wanted(store, name)
        plan, fault = _plan(store, run)
        compared = [_compared(store, match_id, number, plan) for match_id, number in numbers.items()]
    if compared and all(entry["fork"] for entry in compared):
        # Forks follow no file: theirs says who plays on, and need not be one that a whole match could start from.
        plan, fault = {}, None
    missing = [] if plan is None or name.isdigit() else _missing(plan, compared)
    faults = sum(entry["difference"] is not None for entry in compared) + len(missing) + (fault is not None)
    turns = sum(entry["turns"] for entry in compared)
    if as_json:
        shown = [_json(entry) for entry in compared]
        told = {"run": run, "turns": turns, "matches": shown, "missing": missing, "fault": fault}
        emit({**told, "differences": faults})
    else:
        _tell(run, compared, missing, fault)
        of_run = f"{run}: {several(len(compared), 'match', 'matches')}"
        of = f"match {compared[0]['match']} of {run}" if name.isdigit() else of_run
        empty = sum(entry["turns"] == 0 and entry["difference"] is None for entry in compared)
        rest = f" ({empty} not begun)" if empty and not name.isdigit() else ""
        if not faults:
            played = several(turns, "turn", "turns")
            say(f"{of}{rest}, {played} played again: every position, event and outcome equals the log's.")
        elif not name.isdigit():
            say(f"{of}{rest}, {several(faults, 'difference', 'differences')}.")
    click.get_current_context().exit(1 if faults else 0)


def _tell(run: str, compared: list[dict[str, Any]], missing: list[int], fault: str | None) -> None:
    """One line for each thing that is wrong."""
    if fault is not None:
        say((f"{run}: ", "bold"), f"the run's file cannot be read, so no match is compared with it: {fault}")
    for entry in compared:
        if entry["difference"] is not None:
            where = f"match {entry['match']} ({run} no. {one_line(str(entry['number']))}): "
            say((where, "bold"), entry["difference"].line())
    for number in missing:
        say((f"{run} no. {number}: ", "bold"), "the match is missing: the run's file gives it, the database has none")


def _wanted(store: Store, name: str) -> tuple[dict[int, int], str]:
    """The numbers in their run's schedule of the matches asked for, by id, and the run's name."""
    if not name.isdigit():
        # A run whose own row is damaged is named by it all the same, so that its matches are looked at.
        numbers = store.match_numbers(name)
        return (numbers, name) if numbers is not None else ({}, run_named(store, name).name)
    run = store.run_of_match(int(name)) if name.isascii() and len(name) < 19 else None
    if run is None:
        found, run = match_named(store, name)
        return {found.id or 0: found.number}, run
    return {int(name): (store.match_numbers(run) or {})[int(name)]}, run


def _plan(store: Store, run: str) -> tuple[Plan | None, str | None]:
    """The matches that the run's file gives, or why there is no telling."""
    from harness.recorded import planned
    from harness.store import StoreError
    from harness.verify import damage

    try:
        record = store.run(run)
        return ({} if record is None else planned(record.spec)), None
    except StoreError:
        raise
    except Exception as error:
        return None, one_line(damage(error))


def _compared(store: Store, match_id: int, number: int, plan: Plan | None) -> dict[str, Any]:
    """What came of one match; whatever is wrong with it, the others are still looked at."""
    from harness.replay import Difference
    from harness.store import StoreError
    from harness.verify import damage

    entry: dict[str, Any] = {"match": match_id, "number": number, "status": None, "turns": 0, "fork": False}
    doing = "what is stored of it cannot be read"
    try:
        log = store.log(match_id)
        if log is None:
            return {**entry, "difference": Difference(None, doing, "it was taken away meanwhile", None)}
        entry |= {"status": log.match.status, "turns": len(log.turns), "fork": log.match.forked}
        doing = "it cannot be played again"
        return {**entry, "difference": _difference(log, plan)}
    except StoreError:
        raise
    except Exception as error:
        # Damage takes any form, and a game takes a position that it did not write in any way.
        return {**entry, "difference": Difference(None, doing, one_line(damage(error)), None)}


def _difference(log: Any, plan: Plan | None) -> Difference | None:
    from harness.recorded import ending_difference, record_difference
    from harness.verify import verify

    if plan is not None:
        difference = record_difference(log.match, plan.get(log.match.number))
        if difference is not None:
            return difference
    return verify(log.match, log.turns) or ending_difference(log.match, log.reason, log.places)


def _missing(plan: Plan, compared: list[dict[str, Any]]) -> list[int]:
    """The numbers of the run's file that no match bears."""
    there = {entry["number"] for entry in compared if not entry["fork"]}
    return [number for number in plan if number not in there]


def _json(entry: dict[str, Any]) -> dict[str, Any]:
    difference = entry["difference"]
    told = {name: value for name, value in entry.items() if name != "fork"}
    return {**told, "difference": None if difference is None else difference._asdict()}
