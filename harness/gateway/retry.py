"""When a request that failed is made again. tenacity is the only layer that does so."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from harness.records import ErrorKind

Sleep = Callable[[float], Awaitable[None]]
Answer = TypeVar("Answer")

TRANSIENT: frozenset[str] = frozenset({"rate_limit", "timeout", "server", "connection"})
"""Kinds that may be gone the next time. A spent quota is not."""


class Patience(NamedTuple):
    """How long a request is tried. Times in seconds.

    The first wait is about `first`, each later one twice as long up to `longest`; a `Retry-After` counts instead
    where it is given. It ends after `attempts` requests, `timeouts` of which may have run into the time limit, and
    before all waits together would exceed `total`. Nobody waits for a server that has answered nobody for `outage`.
    """

    attempts: int = 8
    timeouts: int = 3
    first: float = 1.0
    longest: float = 60.0
    total: float = 300.0
    outage: float = 120.0


class Transient(Exception):
    """A request failed in a way that may pass.

    `hopeless_after` is given where none was made any more: so many seconds has the server answered nobody. `unsent`: it
    did not come to be sent, so it took none of the time that an answer may take.
    """

    def __init__(
        self,
        kind: ErrorKind,
        sentence: str,
        retry_after: float | None,
        *,
        hopeless_after: float | None = None,
        unsent: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.kind: ErrorKind = kind
        self.sentence = sentence
        self.retry_after = retry_after
        self.hopeless_after = hopeless_after
        self.unsent = unsent


def _failure(state: RetryCallState) -> Transient | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, Transient) else None


class _Wait(wait_base):
    """As long as the provider asked for and a little more, else exponential; both with chance, so that not all
    return at once."""

    def __init__(self, patience: Patience, chance: random.Random) -> None:
        self._patience = patience
        self._chance = chance

    def __call__(self, retry_state: RetryCallState) -> float:
        patience, failure = self._patience, _failure(retry_state)
        asked = failure.retry_after if failure is not None else None
        if asked is not None:
            return asked + self._chance.uniform(
                0.0, min(1.0 + 0.1 * asked, patience.longest) * min(1.0, patience.first)
            )
        most = min(patience.longest, patience.first * 2.0 ** (retry_state.attempt_number - 1))
        return self._chance.uniform(most / 2, most)


class _Stop(stop_base):
    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._timeouts = 0

    def __call__(self, retry_state: RetryCallState) -> bool:
        patience, failure = self._patience, _failure(retry_state)
        if failure is not None and failure.hopeless_after is not None:
            return True
        if failure is not None and failure.kind == "timeout" and not failure.unsent:
            self._timeouts += 1
        return (
            retry_state.attempt_number >= patience.attempts
            or self._timeouts >= patience.timeouts
            or retry_state.idle_for + retry_state.upcoming_sleep > patience.total
        )


async def persist(
    once: Callable[[], Awaitable[Answer]], patience: Patience, chance: random.Random, sleep: Sleep
) -> Answer:
    """What `once` gives, which is asked again while it raises `Transient` and `patience` lasts.

    Few calls fail, and to set tenacity's loop up costs as much as all the rest that is done for a call's limits: it is
    made only for a call that failed, and starts from that failure.

    Raises:
        Transient: the last one.
    """
    try:
        return await once()
    except Transient as failure:
        first = [failure]

    async def again() -> Answer:
        if first:
            raise first.pop()
        return await once()

    retrying = AsyncRetrying(
        wait=_Wait(patience, chance),
        stop=_Stop(patience),
        retry=retry_if_exception_type(Transient),
        sleep=sleep,
        reraise=True,
    )
    return await retrying(again)
