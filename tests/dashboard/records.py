"""A match written straight into a store: everything a page has to show, with texts that mean harm."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime

from games import get_game
from games.api import Json
from harness.records import (
    CallRecord,
    MatchRecord,
    MessageRecord,
    PledgeRecord,
    PromptMessage,
    RunRecord,
    SeatRecord,
    TurnRecord,
)
from harness.replay import position_hash
from harness.store import Store

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(2)</script>"
BRACKETS = "[bold red]stop[/bold red] [/] [link=x]"
TURNED = "left \u202eright\u202c \u200bend \ud800\x00"
"""What a provider sent; the store of a match's messages holds it cleaned, a call holds it verbatim."""
SECRET = "between the two of us: blue next"
THOUGHT = f"I mean to keep quiet. {IMAGE}"
PROMPT = "The rules of the table stand here."
REFUSED = "an answer that was not legal"


def run_record(name: str, **changes: object) -> RunRecord:
    """A run with nothing in it."""
    return RunRecord(name=name, spec={"name": name}, seed=1, created_at=NOW).model_copy(update=changes)


def seats(labels: Sequence[str]) -> tuple[SeatRecord, ...]:
    """Four seats; red and green are models, the others bots."""
    names = get_game("so_long_sucker").seats(4)
    return tuple(
        SeatRecord(
            seat=seat,
            label=label,
            kind="model" if number % 2 == 0 else "bot",
            model="openai/any" if number % 2 == 0 else "random",
            identity=f"identity-{label}",
        )
        for number, (seat, label) in enumerate(zip(names, labels, strict=True))
    )


def match_record(number: int, labels: Sequence[str], seed: int = 6) -> MatchRecord:
    """A match that waits to be played."""
    return MatchRecord(number=number, game="so_long_sucker", options={"chips": 3}, seed=seed, seats=seats(labels))


class Written:
    """A match being written, decision by decision."""

    def __init__(self, store: Store, match: MatchRecord) -> None:
        assert match.id is not None
        self.store = store
        self.match_id = match.id
        self.game = get_game(match.game)
        self.random = random.Random(match.seed)
        names = tuple(seat.seat for seat in match.seats)
        self.seats = names
        step = self.game.start(names, self.game.Options(**match.options), match.seed)
        self.state = step.state
        self.ply = 0
        self.said = 0
        self.decisions = dict.fromkeys(names, 0)
        start = self.game.dump(step.state)
        store.start_match(
            match.id,
            start=start,
            start_events=[event.to_json() for event in step.events],
            start_hash=position_hash(start),
            versions={"rules": self.game.version},
        ).result()

    def say(self, sender: str, to: str, text: str, *pledges: PledgeRecord, talk: bool = False) -> None:
        """Words before the next ply."""
        message = MessageRecord(
            seq=self.said, ply=self.ply + 1, sender=sender, addressee=to, text=text, talk=talk, pledges=pledges
        )
        self.store.add_messages(self.match_id, [message]).result()
        self.said += 1

    def call(self, seat: str, content: str | None, **changes: object) -> int:
        """A request for the next ply."""
        record = CallRecord(
            match_id=self.match_id,
            ply=self.ply + 1,
            seat=seat,
            decision=self.decisions[seat],
            label="any",
            model="openai/any",
            prompt=(
                PromptMessage(role="system", parts=(PROMPT, f"Nothing here is markup: {IMAGE}")),
                PromptMessage(role="user", parts=(f"Decision {self.decisions[seat]} of {seat}.",)),
            ),
            sent={"temperature": 0.8},
            content=content,
            finish_reason="stop",
            read_by="whole",
            prompt_tokens=812,
            cached_tokens=600,
            completion_tokens=41,
            reasoning_tokens=12,
            cost=0.000213,
            priced_by="table",
            latency_ms=1240.0,
            started_at=NOW,
        ).model_copy(update=changes)
        return self.store.add_call(record).result()

    @property
    def to_act(self) -> str | None:
        """Whose decision it is."""
        return self.game.to_act(self.state)

    def turn(self, *, fallback: bool = False, retry: bool = False) -> None:
        """One action, drawn at random; a model's with its calls."""
        seat = self.to_act
        assert seat is not None
        legal = self.game.legal(self.state)
        action = self.random.choice(legal)
        call_id = None
        asked = seat in ("red", "green")
        if asked:
            attempt = 1
            if retry:
                self.call(
                    seat,
                    f'{{"actions": ["{REFUSED}"]}}',
                    error_kind="illegal",
                    error=f'"{REFUSED}" is not one of the legal actions {BRACKETS}',
                )
                attempt = 2
            content = json.dumps({"thoughts": THOUGHT, "actions": [action], "said": TURNED}, ensure_ascii=False)
            call_id = self.call(seat, content, attempt=attempt, kind="retry" if retry else "act", reasoning=SCRIPT)
        step = self.game.apply(self.state, action)
        self.state = step.state
        self.ply += 1
        outcome = self.game.outcome(self.state)
        turn = TurnRecord(
            ply=self.ply,
            seat=seat,
            action=action,
            source="fallback" if fallback else "player" if asked or len(legal) > 1 else "forced",
            position_hash=position_hash(self.game.dump(self.state)),
            events=tuple(event.to_json() for event in step.events),
            decision=self.decisions[seat],
            call_id=call_id,
            shown_index=0 if asked else None,
            legal_count=len(legal),
            thoughts=THOUGHT if asked else None,
            at=NOW,
        )
        self.decisions[seat] += 1
        ended: Json | None = outcome.to_json() if outcome else None
        self.store.add_turns(self.match_id, [turn], outcome=ended).result()

    def to_end(self) -> None:
        """Play on until it is over."""
        while self.to_act is not None:
            self.turn()


def harmful_match(store: Store, match: MatchRecord) -> Written:
    """A whole match with hostile texts in messages, thoughts, replies and errors, and one private message."""
    written = Written(store, match)
    written.say("red", "all", IMAGE)
    written.say("blue", "red", SECRET, PledgeRecord(kind="donate", addressee="red", turns=8, condition="spare"))
    written.say("green", "all", f"{SCRIPT} {BRACKETS}", talk=True)
    for number in range(12):
        if written.to_act is not None:
            written.turn(retry=number < 8, fallback=number == 3)
    written.to_end()
    return written
