"""`parley replay`: a match on the terminal, step by step or whole."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from harness.cli.find import match_named, opened
from harness.cli.keys import keys
from harness.cli.options import as_json, database
from harness.cli.output import complain, emit, one_line, plain, say, terminal
from harness.telling import first_place

if TYPE_CHECKING:
    from harness.replay import Difference

KEYS = "Enter next · p back · g N go to · q quit"
NEXT = ("\r", "\n", " ", "n", "\x1b[C", "\x1b[B")
BACK = ("p", "b", "\x1b[D", "\x1b[A")
QUIT = ("q", "\x04", "\x1b")


@click.command(short_help="Step through a match in the terminal.")
@click.argument("match", metavar="MATCH")
@database
@click.option("--all", "whole", is_flag=True, help="Print every step and end, as without a terminal.")
@click.option(
    "--eyes", metavar="SEAT", help="Show only what that seat saw: its view, its events, its messages, its thoughts."
)
@as_json
def command(match: str, db: str | None, whole: bool, eyes: str | None, as_json: bool) -> None:
    """Step through MATCH: the board as text, what happened, what was said and thought.

    Keys: Enter, space or n for the next step, p or b for the one before, g and a number to go there, q to quit.
    """
    from harness.replay import build
    from harness.verify import sound

    with opened(db) as store, readable(match):
        found, run = match_named(store, match)
        assert found.id is not None
        turns, messages = store.turns(found.id), store.messages(found.id)
    seats = [seat.seat for seat in found.seats]
    if eyes is not None:
        eyes = eyes.strip().lower()
        if eyes not in seats:
            raise click.UsageError(f"--eyes: match {found.id} has no seat {eyes!r}; it has {', '.join(seats)}")
    if found.start is None:
        emit([]) if as_json else say(f"Match {found.id} of {run} has not begun ({found.status}).")
        return
    with readable(match):
        turns, broken = sound(found, turns)
    if broken is not None and broken.ply == 0:
        _break_off(broken)
    replay = build(found, turns, messages, [], run=run)
    steps = Steps(replay, eyes, whole=broken is None)
    if as_json:
        emit([step._asdict() for step in steps])
    elif whole or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for number, step in enumerate(steps):
            if number:
                click.echo()
            _print(steps, step)
    else:
        _walk(steps)
    if broken is not None:
        _break_off(broken)


@contextlib.contextmanager
def readable(match: str) -> Iterator[None]:
    """Make one line of whatever damaged rows raise, for any command that shows a match."""
    from harness.store import StoreError
    from harness.verify import damage

    try:
        yield
    except (click.ClickException, StoreError):
        raise
    except Exception as error:
        context = click.get_current_context()
        complain(f"{context.info_name}: match {match} cannot be shown: {damage(error)}")
        context.exit(1)


def _break_off(broken: Difference) -> NoReturn:
    """Say where the log stops coming out again, and end."""
    complain(f"replay: the log does not come out again from here: {broken.line()}")
    click.get_current_context().exit(1)


class Step(NamedTuple):
    """What is shown of one ply. `said` stands before `action`, `events` after it."""

    ply: int
    seat: str | None
    action: str | None
    source: str | None
    said: list[dict[str, Any]]
    thoughts: str | None
    notes: str | None
    dropped: list[str]
    plan_fault: str | None
    events: list[str]
    board: str
    to_act: str | None


class Steps:
    """The plies of one replay as one pair of eyes saw them; None is the spectator, who saw everything."""

    def __init__(self, replay: dict[str, Any], eyes: str | None, *, whole: bool = True) -> None:
        self.match: dict[str, Any] = replay["match"]
        self.eyes = eyes
        self.whole = whole
        """Whether every ply of the log is there, and not only those before one that does not come out again."""
        self._replay = replay
        self.labels = {seat["seat"]: one_line(seat["label"]) for seat in self.match["seats"]}

    def __len__(self) -> int:
        return len(self._replay["frames"])

    def __iter__(self) -> Iterator[Step]:
        return (self[ply] for ply in range(len(self)))

    def __getitem__(self, ply: int) -> Step:
        from harness.prompt import view_text

        frame = self._replay["frames"][ply]
        turn = self._replay["turns"][ply - 1] if ply else {}
        own = self.eyes in (None, frame["seat"])
        view = {**self._replay["views"][frame["views"][self.eyes or "spectator"]], "you": self.eyes}
        return Step(
            ply=ply,
            seat=frame["seat"] if own else None,
            action=frame["action"] if own else None,
            source=frame["source"] if own else None,
            said=[message for message in self._replay["messages"] if message["ply"] == ply and self._hears(message)],
            thoughts=turn.get("thoughts") if own else None,
            notes=turn.get("notes") if own else None,
            dropped=list(turn.get("dropped", ())) if own else [],
            plan_fault=turn.get("plan_fault") if own else None,
            events=[event["text"] for event in frame["events"] if self._learns(event)],
            board=view_text(self.match["game"], view),
            to_act=frame["to_act"],
        )

    def said_after(self) -> list[dict[str, Any]]:
        """Messages that no turn has followed yet; none of a log that breaks off, where turns did follow."""
        if not self.whole:
            return []
        return [message for message in self._replay["messages"] if message["ply"] >= len(self) and self._hears(message)]

    def who(self, seat: str) -> str:
        """A seat with the label of whoever sits there."""
        return f"{seat} ({self.labels[seat]})" if seat in self.labels else seat

    def _hears(self, message: dict[str, Any]) -> bool:
        return (
            self.eyes is None or message["addressee"] == "all" or self.eyes in (message["addressee"], message["sender"])
        )

    def _learns(self, event: dict[str, Any]) -> bool:
        return self.eyes is None or event["audience"] == "all" or self.eyes in event["audience"]


def _walk(steps: Steps) -> None:
    """Let the user move through the steps by key."""
    console = terminal()
    last = len(steps) - 1
    ply, note = 0, ""
    with keys() as pressed:
        while True:
            console.clear()
            _print(steps, steps[ply])
            click.echo()
            say((f"{note} {KEYS}".strip(), "dim"))
            note = ""
            key = next(pressed, "q")
            if key in NEXT:
                note = "" if ply < last else "That is the last step."
                ply = min(ply + 1, last)
            elif key in BACK:
                note = "" if ply else "That is the start."
                ply = max(ply - 1, 0)
            elif key == "g":
                wanted = _number(pressed, f"Go to ply (0 to {last}): ")
                if wanted is not None and wanted > last:
                    note = f"There is no ply {wanted}: 0 to {last}."
                elif wanted is not None:
                    ply = wanted
            elif key in QUIT:
                return


def _number(pressed: Iterator[str], prompt: str) -> int | None:
    """A number typed digit by digit up to Enter; None for none."""
    typed = ""
    while True:
        click.echo(f"\r{prompt}{typed} \b", nl=False)
        key = next(pressed, "\n")
        if key in ("\r", "\n"):
            return int(typed) if typed else None
        if key in ("\x7f", "\b"):
            typed = typed[:-1]
        elif key in QUIT:
            return None
        elif key.isascii() and key.isdigit() and len(typed) < 9:
            typed += key


def _print(steps: Steps, step: Step) -> None:
    match = steps.match
    eyes = f" · as {steps.who(steps.eyes)} saw it" if steps.eyes else ""
    say((f"Match {match['id']} · {match['run']} no. {match['number']} · {match['title']}{eyes}", "bold"))
    say((f"ply {step.ply} of {len(steps) - 1}", "bold"), _standing(steps) if step.ply == len(steps) - 1 else "")
    click.echo()
    for message in step.said:
        _print_message(steps, message)
    if step.seat is not None and step.action is not None:
        how = "" if step.source in ("player", "human") else f"  [{step.source}]"
        say(("> ", "bold"), steps.who(step.seat), ": ", (step.action, "bold"), (how, "yellow"))
    for name, text in (("thinks", step.thoughts), ("notes", step.notes)):
        if text and step.seat is not None:
            say((f"  {step.seat} {name}: ", "cyan"), text)
    for reason in step.dropped:
        say(("  left out: ", "cyan"), reason)
    if step.plan_fault:
        say(("  rest of the plan given up: ", "cyan"), step.plan_fault)
    for event in step.events:
        say(("  · ", "cyan"), event)
    if step.said or step.events or step.action:
        click.echo()
    for row in plain(step.board).splitlines():
        say(f"  {row}")
    if step.to_act is not None:
        click.echo()
        say(f"To act: {steps.who(step.to_act)}")
    if step.ply == len(steps) - 1:
        for message in steps.said_after():
            _print_message(steps, message)


def _print_message(steps: Steps, message: dict[str, Any]) -> None:
    to = "all" if message["addressee"] == "all" else f"{steps.who(message['addressee'])}, privately"
    say((f"{steps.who(message['sender'])} to {to}: ", "cyan"), message["text"] + (" […]" if message["cut"] else ""))
    for pledge in message["pledges"]:
        terms = f"  pledges: {pledge['kind']} to {pledge['addressee']}, within {pledge['turns']} turns"
        condition = pledge.get("condition")
        say((terms, "cyan"), f", if {pledge['addressee']} does {condition}" if condition else "")


def _standing(steps: Steps) -> str:
    """How the match stands at its last ply."""
    match = steps.match
    if not steps.whole:
        return f" · of {match['plies']} in the log; the next does not come out again"
    outcome = match["outcome"]
    if match["status"] == "finished" and outcome:
        ended = first_place([steps.who(seat) for seat in outcome["winners"]], outcome["reason"])
        return f" · finished ({outcome['reason']}): {ended}"
    return f" · {match['status']}" + (f": {match['why']}" if match["why"] else "")
