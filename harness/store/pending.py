"""What a write gives back: a future of threads that can be awaited too, cheaply by very many at once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
_Waiters = list["asyncio.Future[None]"]
_held = threading.local()


class Pending(Future[T]):
    """Resolves when the rows of a write are durable.

    To await it costs a fraction of `asyncio.wrap_future`, which wakes the loop from another thread once for each. To
    cancel whoever awaits it leaves the write as it is.
    """

    def __await__(self) -> Generator[Any, None, T]:
        if not self.done():
            loop = asyncio.get_running_loop()
            waiter = loop.create_future()
            self.add_done_callback(partial(_done, loop, waiter))
            yield from waiter
        return self.result()


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Each loop is woken once for all that this thread resolves inside."""
    held: dict[asyncio.AbstractEventLoop, _Waiters] = {}
    _held.waiters = held
    try:
        yield
    finally:
        _held.waiters = None
        for loop, waiters in held.items():
            _call(loop, partial(_wake, waiters))


def _done(loop: asyncio.AbstractEventLoop, waiter: asyncio.Future[None], _: Future[Any]) -> None:
    held: dict[asyncio.AbstractEventLoop, _Waiters] | None = getattr(_held, "waiters", None)
    if held is None:
        _call(loop, partial(_wake, [waiter]))
    else:
        held.setdefault(loop, []).append(waiter)


def _call(loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
    # A loop that was closed meanwhile has nobody in it who waits.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(wake)


def _wake(waiters: _Waiters) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(None)
