"""A run that is asked to stop: whoever waits to send a request goes at once, whoever waits for an answer gets it."""

from __future__ import annotations

import asyncio
from types import TracebackType

from harness.gateway.types import Stopped


class Stopping:
    """What a gateway does about the event `stop`; without one nothing ever stops."""

    def __init__(self, stop: asyncio.Event | None) -> None:
        self._stop = stop
        self._waits: set[asyncio.Timeout] = set()
        self._watch: asyncio.Task[None] | None = None

    @property
    def stopped(self) -> bool:
        """Whether the run was asked to stop."""
        return self._stop is not None and self._stop.is_set()

    def waiting(self) -> _Waiting:
        """Round a wait that is of no use once the run stops.

        Raises:
            Stopped: when it has stopped, or does meanwhile.
        """
        return _Waiting(self)

    def began(self, wait: asyncio.Timeout) -> None:
        """Let that wait be ended by the stop."""
        if self._stop is not None and self._watch is None:
            self._watch = asyncio.create_task(self._end_waits(self._stop))
        self._waits.add(wait)

    def ended(self, wait: asyncio.Timeout) -> None:
        """That wait is over."""
        self._waits.discard(wait)

    async def _end_waits(self, stop: asyncio.Event) -> None:
        await stop.wait()
        for wait in self._waits:
            wait.reschedule(asyncio.get_running_loop().time())

    def close(self) -> None:
        """Look out for the stop no more."""
        if self._watch is not None:
            self._watch.cancel()


class _Waiting:
    """One wait. Every call passes two, so it is a class: a generator made into a context costs three times as much."""

    __slots__ = ("_stopping", "_wait")

    def __init__(self, stopping: Stopping) -> None:
        self._stopping = stopping
        # A timeout without a time tells its own cancellation from one that comes from outside.
        self._wait = asyncio.Timeout(None)

    async def __aenter__(self) -> None:
        if self._stopping.stopped:
            raise Stopped
        await self._wait.__aenter__()
        self._stopping.began(self._wait)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.ended(self._wait)
        try:
            await self._wait.__aexit__(kind, error, trace)
        except TimeoutError:
            raise Stopped from None
        # It may have been set in the very moment in which the wait ended.
        if error is None and self._stopping.stopped:
            raise Stopped
