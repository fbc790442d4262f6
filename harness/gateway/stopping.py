"""A run that is asked to stop: whoever waits to send a request goes at once, whoever waits for an answer gets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from harness.gateway.types import Stopped


class Stopping:
    """What a gateway does about the event `stop`; without one nothing ever stops."""

    def __init__(self, stop: asyncio.Event | None) -> None:
        self._stop = stop
        self._waits: set[asyncio.Timeout] = set()
        self._watch: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Round a wait that is of no use once the run stops.

        Raises:
            Stopped: when it has stopped, or does meanwhile.
        """
        if self._stop is None:
            yield
            return
        if self._stop.is_set():
            raise Stopped
        if self._watch is None:
            self._watch = asyncio.create_task(self._end_waits(self._stop))
        try:
            # A timeout without a time tells its own cancellation from one that comes from outside.
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if wait.expired():
                raise Stopped from None
            raise
        # It may have been set in the very moment in which the wait ended.
        if self._stop.is_set():
            raise Stopped

    async def _end_waits(self, stop: asyncio.Event) -> None:
        await stop.wait()
        for wait in self._waits:
            wait.reschedule(asyncio.get_running_loop().time())

    def close(self) -> None:
        """Look out for the stop no more."""
        if self._watch is not None:
            self._watch.cancel()
