"""`parley doctor`: what went wrong in a run, and where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.find import opened, run_named
from harness.cli.options import as_json, database, database_option, program
from harness.cli.output import Column, count, emit, one_line, plain, say, several, table

if TYPE_CHECKING:
    from harness.doctor import Report
    from harness.records import CallLine


@click.command(short_help="Show what went wrong in a run, and where to look.")
@click.argument("name", metavar="RUN")
@database
@as_json
def command(name: str, db: str | None, as_json: bool) -> None:
    """Show what went wrong in RUN: each player's failures by kind with an example, its retries, fallbacks and odd
    flags, the slowest calls, and why matches are paused. Never a prompt or a key."""
    from harness.doctor import examine

    with opened(db) as store:
        run = run_named(store, name)
        assert run.id is not None
        report = examine(store.call_lines(run.id), store.seat_stats([run.id]))
    if as_json:
        emit({"run": run.name, **report.to_json()})
        return
    _print(one_line(run.name), report, database_option(db))


def _print(name: str, report: Report, suffix: str) -> None:
    if report.calls:
        failed = f", {count(report.failed)} of them failed" if report.failed else ", none failed"
        say((name, "bold"), f": {several(report.calls, 'call', 'calls')}{failed}.")
    else:
        say((name, "bold"), ": no call to a model.")
    click.echo()
    _print_players(report)
    if report.faults:
        click.echo()
        _print_faults(report)
    _print_flags(report)
    if report.slowest:
        click.echo()
        say(("Slowest calls", "bold"))
        for call in report.slowest:
            say(
                f"  {_seconds(call.latency_ms)}  {call.label}, {_where(call)}"
                + (f": {_kind(call)}" * bool(_kind(call)))
            )
    if report.paused:
        click.echo()
        say(("Paused matches", "bold"))
        for why, number in report.paused.items():
            say(f"  {count(number)}: {why}")
    click.echo()
    click.echo(plain(f"Look at a match: {program()} show MATCH{suffix}, {program()} replay MATCH{suffix}"))


def _print_players(report: Report) -> None:
    table(
        [
            Column("player", flexible=True),
            Column("model", flexible=True, spare=5),
            Column("calls", number=True),
            Column("failed", number=True),
            Column("retries", number=True, spare=1),
            Column("fallbacks", number=True),
            Column("of decisions", number=True, spare=2),
            Column("median", number=True, spare=3),
            Column("95 %", number=True, spare=4),
        ],
        [
            (
                one.label,
                one.model or "–",
                count(one.calls),
                count(one.failed),
                count(one.retries),
                count(one.fallbacks),
                "–" if one.fallback_share is None else f"{100 * one.fallback_share:.1f} %",
                _seconds(one.latency_median_ms),
                _seconds(one.latency_95_ms),
            )
            for one in report.players
        ],
    )


def _print_faults(report: Report) -> None:
    table(
        [
            Column("player", flexible=True),
            Column("failure"),
            Column("whose", spare=2),
            Column("calls", number=True),
            Column("share", number=True, spare=1),
        ],
        [
            (fault.label, fault.kind, fault.group, count(fault.calls), f"{100 * fault.share:.1f} %")
            for fault in report.faults
        ],
    )
    for fault in report.faults:
        say(
            (f"  {fault.label}, {fault.kind}: ", "yellow"),
            f"{one_line(fault.example.error or 'no sentence')} ({_where(fault.example)})",
        )


def _print_flags(report: Report) -> None:
    from harness.doctor import FLAGS

    flagged = [(one.label, flag, number) for one in report.players for flag, number in one.flags.items()]
    reckoned = [one for one in report.players if one.reckoned]
    if flagged or reckoned:
        click.echo()
    for label, flag, number in flagged:
        meaning = FLAGS.get(flag.partition(":")[0], "")
        say(
            (f"{label}: ", "yellow"), f"{flag} on {several(number, 'call', 'calls')}" + (f": {meaning}" * bool(meaning))
        )
    for one in reckoned:
        what = several(one.reckoned, "call", "calls")
        say((f"{one.label}: ", "yellow"), f"the cost of {what} is what was set aside: nobody told what they took")


def _where(call: CallLine) -> str:
    match = f"match {call.match_id}, ply {call.ply}, " if call.match_id is not None else ""
    status = f", HTTP {call.http_status}" if call.http_status is not None and call.http_status >= 400 else ""
    return f"{match}{call.kind}, request {call.attempt}, call {call.id}{status}"


def _kind(call: CallLine) -> str:
    return call.error_kind or ""


def _seconds(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds / 1000:.1f} s"
