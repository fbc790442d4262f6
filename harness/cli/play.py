"""`parley play`: a person answers for a human seat, beside the process that plays the run."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from harness.cli.find import match_named, opened, tournament_of
from harness.cli.options import database
from harness.cli.output import count, one_line, plain, say, several

if TYPE_CHECKING:
    from games.api import Allowance, Message, Observation
    from harness.players import Ask
    from harness.records import MatchRecord

POLL_SECONDS = 0.5


@click.command(short_help="Answer for a human seat of a running match.")
@click.argument("match", metavar="MATCH")
@click.option("--seat", required=True, metavar="SEAT", help="The seat to answer for.")
@database
def command(match: str, seat: str, db: str | None) -> None:
    """Play one seat of MATCH by hand, while `parley run` plays the rest in another terminal.

    Each time the seat is asked, its view, the news and its legal actions are shown. Answer with the action or with its
    number in the list; messages and pledges can be sent along by answering in the JSON form that models use. An empty
    answer to a talk round says nothing. Ctrl-C or the end of input leaves; the match waits, and this command goes on.
    """
    from harness.cli.shadow import open_question
    from harness.records import OVER

    with opened(db, write=True) as store:
        found, run = match_named(store, match)
        chosen = _seat(found, seat)
        spec = tournament_of(store, found)
        told = ""
        while True:
            found, _ = match_named(store, match)
            ask = asyncio.run(open_question(store, spec, run, found, chosen))
            if found.status in OVER:
                _print_end(found, chosen)
                return
            if ask is None or ask.observation.seat != chosen:
                state = _waiting(found, run, ask)
                if state != told:
                    say((state, "dim"))
                    told = state
                time.sleep(POLL_SECONDS)
                continue
            told = ""
            answer = _question(ask)
            if answer is None:
                say("Left. The match waits for you; the same command goes on.")
                return
            store.put_inbox(ask.match_id, chosen, ask.observation.decision, answer).result()


def _seat(match: MatchRecord, wanted: str) -> str:
    humans = [seat.seat for seat in match.seats if seat.kind == "human"]
    name = wanted.strip().lower()
    if name in humans:
        return name
    what = f"its human seats are {', '.join(humans)}" if humans else "no seat of it is played by a human"
    raise click.UsageError(f"--seat: {wanted!r} cannot be played by hand in match {match.id}; {what}")


def _waiting(match: MatchRecord, run: str, ask: Ask | None) -> str:
    if match.status in ("queued", "paused"):
        why = f" ({match.why})" if match.why else ""
        return f"Match {match.id} of {run} is {match.status}{why}: it goes on as soon as `parley run` plays it."
    return "Waiting for the others." if ask is None else f"Waiting for {ask.observation.seat}."


def _print_end(match: MatchRecord, seat: str) -> None:
    if match.status == "void" or not match.outcome:
        say(f"Match {match.id} is void" + (f": {match.why}" if match.why else "."))
        return
    place = match.outcome["places"].get(seat)
    winners = ", ".join(match.outcome["winners"])
    shared = len(match.outcome["winners"]) > 1 and match.outcome["reason"] != "forfeit"
    say(
        (f"Match {match.id} is over ({match.outcome['reason']}). ", "bold"),
        f"{'Draw' if shared else 'First'}: {winners}. You, {seat}, came to place {place}.",
    )


def _question(ask: Ask) -> str | None:
    """Show what the seat is shown and read an answer; None when the person leaves."""
    observation = ask.observation
    print_observation(observation, ask.shown)
    for failure in ask.failures[-1:]:
        say(("Your answer was not taken: ", "red"), failure.error)
    prompt = "Action: " if observation.asked == "act" else "Say (Enter: nothing): "
    while True:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        entered = sys.stdin.readline()
        if not entered:
            click.echo()
            return None
        answer = entered.strip()
        if observation.asked == "talk":
            return answer
        if answer.isascii() and answer.isdigit():
            if 1 <= int(answer) <= len(ask.shown):
                return ask.shown[int(answer) - 1]
            say(f"There is no {answer} in the list: 1 to {len(ask.shown)}.")
        elif answer:
            return answer


def print_observation(observation: Observation, shown: Sequence[str]) -> None:
    """Print what a seat is shown, and its legal actions with numbers to choose by; very many as ranges."""
    from harness.prompt import ENUM_ITEMS, event_text, view_text
    from harness.ranges import grouped

    click.echo()
    asked = "it is your turn" if observation.asked == "act" else "the table talks"
    say((f"You are {observation.seat}: {asked} (your decision {observation.decision}).", "bold"))
    for event in observation.events:
        say(f"  · {event_text(observation.game, event)}")
    for message in observation.messages:
        _print_message(message)
    click.echo()
    for row in plain(view_text(observation.game, observation.view)).splitlines():
        say(f"  {row}")
    if observation.notes:
        say(f"  Your notes: {one_line(observation.notes)}")
    click.echo()
    groups = grouped(shown if len(shown) > ENUM_ITEMS else ())
    for group in groups.tiles:
        say(f"  {one_line(group.words)} ROW,COLUMN, where ROW,COLUMN is one of: {group.text()}")
    singly = groups.others if groups.tiles else shown
    width = len(str(len(shown)))
    for number, action in enumerate(shown, start=1):
        if action in singly:
            say(f"  {number:>{width}}  {one_line(action)}")
    if observation.talk is not None:
        say((_how_to_talk(observation, observation.talk), "dim"))


def _how_to_talk(observation: Observation, talk: Allowance) -> str:
    """What may be said with this answer, and how."""
    pledge = (
        f', "pledges": [{{"kind": "{observation.pledges[0]}", "to": "…", "turns": 8}}]' if observation.pledges else ""
    )
    form = f'"messages": [{{"to": "all", "text": "…"{pledge}}}]}}'
    most = f"{several(talk.messages, 'message', 'messages')} of {count(talk.chars)} characters"
    kinds = f" Pledges: {', '.join(observation.pledges)}." if observation.pledges else ""
    if observation.asked == "talk":
        private = " to one seat alone" if talk.private else " with more than one message"
        return f"What you type is said to all; or{private}, {most} at the most: {{{form}{kinds}"
    return f'To say something with it, {most} at the most: {{"actions": ["…"], {form}{kinds}'


def _print_message(message: Message) -> None:
    private = "" if message.to == "all" else " (privately)"
    say((f"  {message.sender} to {message.to}{private}: ", "cyan"), one_line(message.text))
    for pledge in message.pledges:
        condition = f", if {pledge.to} does {pledge.condition}" if pledge.condition else ""
        say(f"    pledges: {pledge.kind} to {pledge.to}, within {pledge.turns} turns{condition}")
