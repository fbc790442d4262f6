"""How hard a server that pushes back is asked. All players of one server and key share one `Pressure`.

Three answers to three kinds of trouble, none of which asyncio-throttle has (its rate is fixed when it is made; it
paces to what the file allows, in `limits`), nor the circuit breakers among the libraries (they know open and half
open, but turn callers away instead of queueing them, and let all in at once when they close):

- *Too many requests*: the rate is cut, at most once for all requests that were under way together, and grows again
  by the second, slowly up to where it was cut and then faster. So a server that steadily bears a tenth of what is
  asked gets about that, and nobody starves.
- *Wait*, with a time: nobody asks before. A time longer than anybody is to wait is told to all at once.
- *An outage* (several failures in a row): one request at a time finds out, at growing distances, while the others
  wait in line without using up their own patience. Once one is answered the rest follow, twice as fast each second.

First come, first served: there is one line.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable

from harness.gateway.retry import TRANSIENT, Patience, Transient
from harness.records import ErrorKind

Sleep = Callable[[float], Awaitable[None]]
Now = Callable[[], float]

TRIP = 4
"""Failures in a row, too many requests aside, that are taken for an outage."""
SLOWER = 0.7
"""What is left of the rate after a cut. Half would leave a quarter of a steady limit unused; this leaves a seventh,
and still comes down from ten times too much within seven requests' time."""
SLOWEST = 0.05
"""Requests a second below which the rate is not cut."""
RECOVER = 30.0
"""Seconds in which the rate grows back to where it was cut; after as many again without a cut it grows twice as
fast."""
SEEN = 10.0
"""Seconds over which the rate that was asked is measured."""
RAMP = (2.0, 64.0)
"""Requests a second after an outage: at first, and when the rate is let go."""
LONGEST_PROBE = 15.0
"""Seconds between two requests that find out whether an outage is over."""
LOOK_AGAIN = 1.0
"""Seconds after which who waits looks whether things have changed."""
ASK_ANEW = 60.0
"""Seconds after the last failure of a server that has been away too long, until somebody may try it again."""


class Entry:
    """One request's place in the line."""

    __slots__ = ("epoch", "probe", "sent")

    def __init__(self, epoch: int, *, probe: bool) -> None:
        self.epoch = epoch
        self.probe = probe
        self.sent: float | None = None


class Pressure:
    """One server, as all who ask it see it. `spent` is what is said of it once its quota is spent."""

    def __init__(self, now: Now, sleep: Sleep, patience: Patience) -> None:
        self.spent: str | None = None
        self._now = now
        self._sleep = sleep
        self._patience = patience
        self._line = asyncio.Lock()
        self._news = asyncio.Event()
        self._epoch = 0
        self._until = 0.0
        self._sends: deque[float] = deque()
        # The rate: None while nothing is wrong.
        self._rate: float | None = None
        self._next = 0.0
        self._cut_at = 0.0
        self._cut_from = 0.0
        self._grown_at = 0.0
        self._let_go = 0.0
        self._ramping = False
        # The outage.
        self._closed = False
        self._probing = False
        self._probes = 0
        self._probe_at = 0.0
        self._hung = 0
        self._in_row = 0
        self._since = 0.0
        self._last = 0.0
        self._why: tuple[ErrorKind, str, float] = ("server", "", 0.0)

    @property
    def rate(self) -> float | None:
        """Requests a second that it is asked at most; None: as many as the limits allow."""
        return self._rate

    @property
    def closed(self) -> bool:
        """Whether it is taken to be away, so that one request at a time finds out."""
        return self._closed

    @property
    def away(self) -> float:
        """Seconds from the first to the last of the failures in a row; a pause that it asked for does not count."""
        return max(0.0, self._last - self._since) if self._in_row else 0.0

    async def enter(self) -> Entry:
        """Waits in line until a request may go.

        Raises:
            Transient: when it has been away for longer than anybody is to wait.
        """
        async with self._line:
            while True:
                self._hope()
                if self._closed and self._probing:
                    self._news.clear()
                    await self._news.wait()
                elif (wait := self._wait()) > 0:
                    await self._sleep(min(wait, LOOK_AGAIN))
                else:
                    break
            if self._rate is not None:
                self._next = max(self._next, self._now()) + 1.0 / self._rate
            self._probing = self._closed
            return Entry(self._epoch, probe=self._closed)

    def _hope(self) -> None:
        """Raises `Transient` where waiting is of no use."""
        if self._now() - self._last >= ASK_ANEW or not self._in_row:
            return
        kind, sentence, asked = self._why
        hangs = self._hung >= self._patience.timeouts
        if self.away > self._patience.outage or asked > self._patience.total or hangs:
            raise Transient(kind, sentence, asked or None, hopeless_after=self.away)

    def _wait(self) -> float:
        at = max(self._until, self._probe_at if self._closed else 0.0, self._next if self._rate is not None else 0.0)
        return at - self._now()

    def go(self, entry: Entry) -> bool:
        """Whether a request that has waited elsewhere meanwhile may still be sent; if not, it has to `leave` and
        get into line again."""
        untroubled = self._rate is None and not self._closed and self._now() >= self._until
        if entry.epoch != self._epoch and not untroubled:
            return False
        entry.sent = self._now()
        self._sends.append(entry.sent)
        while self._sends[0] < entry.sent - SEEN:
            self._sends.popleft()
        return True

    def leave(self, entry: Entry) -> None:
        """The request is over, or was not made after all."""
        if entry.probe:
            entry.probe = False
            self._probing = False
            self._news.set()

    def answered(self, entry: Entry) -> None:
        """It answered, be it by a refusal: it is there."""
        self._in_row = self._hung = 0
        if self._closed:
            self._closed = False
            self._news.set()
            self._epoch += 1
            self._ramping = True
            self._rate, self._let_go = RAMP
            self._next = self._grown_at = self._now()
        elif self._rate is not None and entry.sent is not None and entry.sent >= self._cut_at:
            self._grow(self._rate)

    def _grow(self, rate: float) -> None:
        now = self._now()
        passed = now - self._grown_at
        self._grown_at = now
        if self._ramping:
            rate *= 2.0 ** min(passed, 10.0)
        else:
            faster = 2 ** min(6, int((now - self._cut_at) / RECOVER))
            rate += self._cut_from * (1 - SLOWER) / RECOVER * faster * passed
        self._rate = rate if rate < self._let_go else None
        self._ramping = self._ramping and self._rate is not None

    def failed(
        self, entry: Entry, kind: ErrorKind, sentence: str, retry_after: float | None, *, unsent: bool = False
    ) -> None:
        """It did not answer, or said that it cannot now. `unsent`: there was not even a connection."""
        if kind not in TRANSIENT:
            return
        now = self._now()
        if self._in_row == 0:
            self._since = now
        self._in_row += 1
        self._last = now
        self._why = (kind, sentence, retry_after or 0.0)
        if kind == "rate_limit":
            self._cut(entry)
        elif entry.probe:
            self._probes += 1
            self._hung += kind == "timeout" and not unsent
            self._probe_at = now + self._distance()
        elif not self._closed and (self._in_row >= TRIP or retry_after):
            self._closed = True
            self._epoch += 1
            self._probes = self._hung = 0
            self._probe_at = now + self._distance()
        if retry_after and retry_after <= self._patience.total and kind in ("rate_limit", "server"):
            self._until = max(self._until, now + retry_after)
            self._since = max(self._since, self._until)
            self._epoch += 1

    def _distance(self) -> float:
        most = min(LONGEST_PROBE, self._patience.first * 2.0**self._probes)
        return random.uniform(most / 2, most)  # noqa: S311 - spreads waits

    def _asked(self, now: float) -> float:
        """Requests a second that were made of late."""
        return max(1.0, len(self._sends) / max(1.0, now - self._sends[0])) if self._sends else 1.0

    def _cut(self, entry: Entry) -> None:
        """Lower the rate, once for all requests that were sent before the last cut."""
        if self._rate is not None and entry.sent is not None and entry.sent <= self._cut_at:
            return
        now = self._now()
        asked = self._rate if self._rate is not None else self._asked(now)
        if self._rate is None or self._ramping:
            self._let_go = 2.0 * asked
        self._ramping = False
        self._rate = max(SLOWEST, asked * SLOWER)
        self._cut_from = asked
        self._cut_at = self._grown_at = now
        self._next = now + 1.0 / self._rate
        self._epoch += 1
