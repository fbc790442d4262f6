"""One process playing one run: it holds the run, plays its matches side by side, and stops without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from games import get_game
from games.api import BadPosition, BadStart
from harness.lineage import LogDiffers
from harness.match import Stopped, Stored, Table
from harness.players import Player
from harness.players.bot import BotPlayer
from harness.players.human import HumanPlayer
from harness.records import OVER, MatchRecord, RunRecord
from harness.runs import done, looked, made_ready, record_id, versions
from harness.spec import Tournament
from harness.store import PAUSE_ASKED, Store, StoreError, new_owner
from harness.store_log import StoreLog
from harness.watcher import Progress

if TYPE_CHECKING:
    from harness.models import ModelSide

LEASE_SECONDS = 60.0
"""How long a run stays with a process that says nothing more; one of this machine that died is noticed at once."""
LOOK_SECONDS = 1.0
"""How often whoever plays a run looks whether somebody asked it to pause."""
GRACE_SECONDS = 30.0
"""How long a run that was asked to stop waits for the answers under way."""
BY_HAND = "stopped by hand"
"""Why a run and its matches are paused after a Ctrl-C."""


class _Halt:
    """Ends one match: with the run, or because somebody declared it void while it is played."""

    def __init__(self, run: asyncio.Event) -> None:
        self._run = run
        self.void = False

    def is_set(self) -> bool:
        return self.void or self._run.is_set()


@dataclass
class Control:
    """The handle by which a run is stopped: set `stop`, and no further question is asked.

    Answers under way are waited for up to `grace` seconds more, then given up.
    """

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    grace: float = GRACE_SECONDS


def unfinished(matches: Sequence[MatchRecord]) -> list[MatchRecord]:
    """Those of these matches that are still to be played."""
    return [match for match in matches if match.status not in OVER]


class Session:
    """One process playing one run: its gateway, its local servers, its matches."""

    def __init__(
        self,
        spec: Tournament,
        record: RunRecord,
        matches: Sequence[MatchRecord],
        store: Store,
        progress: Progress,
        control: Control,
    ) -> None:
        self.spec = spec
        self.matches = matches
        self.run_id = record_id(record)
        self.store = store
        self.progress = progress
        self.control = control
        self.owner = new_owner()
        self.versions = versions()
        self.why: str | None = None
        self.taken_by: str | None = None
        self.played = 0
        self._players: dict[str, Player] = {}
        self._models: ModelSide | None = None
        self._minding: asyncio.Task[None] | None = None
        self._asking: list[asyncio.Task[Any]] = []
        self._given_up = False
        self._called_off: str | None = None
        self._halts: dict[int, _Halt] = {}

    async def claim(self) -> bool:
        """Take hold of the run; `taken_by` names who else holds it."""
        self.taken_by = await done(self.store.claim_run(self.run_id, self.owner, LEASE_SECONDS))
        return self.taken_by is None

    async def open(self) -> None:
        """Make the players; with models among them also the gateway, checked before anything is paid for."""
        self._minding = asyncio.create_task(self._mind())
        if any(player.kind == "model" for player in self.spec.players):
            from harness.models import ModelSide

            self._models = ModelSide(self.spec, self.run_id, self.matches, self.store, self.progress, self.control.stop)
            await self._first_questions(self._models)

    async def _first_questions(self, models: ModelSide) -> None:
        """Ask each model once. Where that says that nothing can be played now, nothing is."""
        if self.control.stop.is_set():
            return
        asking = asyncio.create_task(models.open())
        self._asking = [asking]
        try:
            why = await asking
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            self.why = self.why or self._unanswered
        except Exception as error:
            if not models.stopped(error):
                raise
            self.why = self.why or BY_HAND
        else:
            if why is not None:
                self.why = self._called_off = why
                self.control.stop.set()

    async def close(self) -> None:
        """Let go of servers, connections and the run."""
        if self._minding is not None:
            self._minding.cancel()
        try:
            if self._models is not None:
                await self._models.close()
        finally:
            await done(self.store.release_run(self.run_id, self.owner))

    async def _mind(self) -> None:
        """Keep hold of the run, look whether somebody asked it to pause, and give up what outlasts the grace."""
        stop, clock = self.control.stop, asyncio.get_running_loop().time
        renewed, ends = clock(), None
        while ends is None or clock() < ends:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS if ends is None else min(LOOK_SECONDS, ends - clock())):
                    await (stop.wait() if ends is None else asyncio.Event().wait())
            # A database that cannot be read now is told of by whoever next has something to write.
            with contextlib.suppress(StoreError):
                if ends is None and await asyncio.to_thread(self.store.pause_asked, self.run_id):
                    self.why = PAUSE_ASKED
                    self.progress.note("Asked to pause: stopping after the answers being waited for.")
                    stop.set()
                for match_id in await asyncio.to_thread(self.store.voided, self.run_id):
                    if match_id in self._halts and not self._halts[match_id].void:
                        self._halts[match_id].void = True
                        self.progress.note(f"match {match_id} was declared void: nothing more is asked in it")
                if clock() - renewed > LEASE_SECONDS / 3:
                    await done(self.store.renew_run(self.run_id, self.owner, LEASE_SECONDS))
                    renewed = clock()
            if ends is None and stop.is_set():
                ends = clock() + self.control.grace
        self._given_up = True
        for asking in self._asking:
            asking.cancel()

    @property
    def _unanswered(self) -> str:
        return f"{BY_HAND}; an answer did not come within {self.control.grace:.0f} s"

    async def play_all(self, matches: Sequence[MatchRecord]) -> None:
        """Play these matches, and where the run stops by looks, on from look to look."""
        while matches:
            await self.play(matches)
            everything = self.store.matches(self.run_id)
            if self.control.stop.is_set() or unfinished(everything):
                return
            self.spec, everything = await made_ready(self.spec, self.run_id, self.store, everything)
            matches = unfinished(everything)
            if not matches:
                return
            if await asyncio.to_thread(self.store.pause_asked, self.run_id):
                self.why = PAUSE_ASKED
                return
            # Between two looks nothing of the run is open, so that nobody holds it.
            if not await self.claim():
                return
            said = await asyncio.to_thread(looked, self.spec, self.run_id, self.store)
            self.progress.note(f"{said}; {len(matches)} matches more up to the next look")
            self.progress.started(self.spec.name, len(everything), len(everything) - len(matches))

    async def play(self, matches: Sequence[MatchRecord]) -> None:
        """Play these matches, `parallel` at once."""
        waiting = list(reversed(matches))

        async def worker() -> None:
            while waiting and not self.control.stop.is_set():
                await self._one(waiting.pop())

        try:
            async with asyncio.TaskGroup() as group:
                count = min(self.spec.parallel, len(matches))
                self._asking = [group.create_task(worker()) for _ in range(count)]
        except BaseExceptionGroup as failures:
            # One fault stops the whole run, and one line can name only one.
            raise failures.exceptions[0] from None
        if self._called_off is not None:
            # What was never begun is not played for the same reason, and is to be found under it.
            for paused in [self.store.pause_match(record_id(match), self._called_off) for match in waiting]:
                await done(paused)

    async def _one(self, match: MatchRecord) -> None:
        match_id = record_id(match)
        held = await done(self.store.claim_match(match_id, self.owner, LEASE_SECONDS))
        match_now = self.store.match(match_id)
        if match_now is None or match_now.status in OVER:
            return
        if not held:
            self.progress.note(f"match {match_id} is being played by another process; left to it")
            return
        await self._claimed(match_id, match_now)

    async def _claimed(self, match_id: int, match: MatchRecord) -> None:
        self.progress.match_started(match)
        status, why = "finished", None
        halt = self._halts[match_id] = _Halt(self.control.stop)
        try:
            await self._table(match, halt).play()
            self.played += 1
        except Stopped:
            status, why = ("void", None) if halt.void else ("paused", self._called_off or BY_HAND)
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            status, why = "paused", self._unanswered
        except (LogDiffers, BadPosition, BadStart) as error:
            status, why = "paused", str(error)
        except Exception as error:
            status, why = "paused", self._refused(error)
        finally:
            del self._halts[match_id]
        if status == "paused":
            self.why = self.why or why
            await done(self.store.pause_match(match_id, why))
        self.progress.match_ended(match, status, why)

    def _refused(self, error: Exception) -> str:
        """Why a match is paused after a call that could not be had. Anything else is a fault and goes on up."""
        if self._models is None:
            raise error
        if self._models.stopped(error):
            return self._called_off or BY_HAND
        paused = self._models.paused(error)
        if paused is None:
            raise error
        if paused.everyone:
            self.why = self._called_off = paused.why
            self.control.stop.set()
        return paused.why

    def _table(self, match: MatchRecord, halt: _Halt) -> Table:
        match_id = record_id(match)
        stored = Stored()
        if match.start is not None:
            stored = Stored(self.store.turns(match_id), self.store.messages(match_id), self.store.calls(match_id))
        return Table(
            match=match,
            spec=self.spec,
            run=self.spec.name,
            players={seat.seat: self._player(match.game, seat.label) for seat in match.seats},
            log=StoreLog(self.store, {**self.versions, "rules": get_game(match.game).version}),
            watcher=self.progress,
            stop=halt,
            stored=stored,
        )

    def _player(self, game: str, label: str) -> Player:
        player = next(player for player in self.spec.players if player.label == label)
        if player.bot is not None:
            return BotPlayer(label, get_game(game).bots[player.bot])
        if label not in self._players:
            if self._models is not None and player.model is not None:
                self._players[label] = self._models.player(player)
            else:
                self._players[label] = HumanPlayer(label, self._inbox)
        return self._players[label]

    async def _inbox(self, match_id: int, seat: str, decision: int) -> Sequence[str]:
        if self.control.stop.is_set():
            raise Stopped
        return await asyncio.to_thread(self.store.inbox, match_id, seat, decision)
