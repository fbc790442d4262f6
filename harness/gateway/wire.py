"""What really went over the wire for one call: the bodies as sent and as received, before and after litellm's hands.

litellm offers callbacks that show its own idea of request and response: parsed and built anew, missing where a body
could not be parsed, and silent about a request that it repeats by itself. All its asynchronous traffic passes through
one method of its transport; that method is wrapped once, and notes what passes into the `Exchange`s of the call in hand
(a context variable, so calls side by side stay apart). Headers are never kept.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

CONNECT_SECONDS = 15.0
"""Seconds in which a connection has to be made, and no more than half of what the whole call may take; litellm would
give it all of that, and then it could not be told which of the two took too long."""
LONGEST_BODY = 4 * 2**20
"""Bytes of a response that are kept; a longer one is cut there."""
_KEPT = {name.encode(): name for name in ("retry-after", "retry-after-ms", "date")}
"""The only headers that are looked at: those of time."""


class Exchange:
    """One HTTP request and what came back. `sent`, `text` and `json` are read once, so only when it is over."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.connect_seconds = CONNECT_SECONDS
        self.status: int | None = None
        self.received = bytearray()
        self.encoding = ""
        self.headers: dict[str, str] = {}
        self.failed: BaseException | None = None

    @cached_property
    def sent(self) -> dict[str, Any]:
        """The request's JSON object; empty if it was none."""
        return _object(self.body)

    @cached_property
    def text(self) -> str | None:
        """The response's body, or as much of it as came; None if nothing did."""
        if self.status is None:
            return None
        data = bytes(self.received)
        if self.encoding in ("gzip", "deflate"):
            try:
                data = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, LONGEST_BODY)
            except zlib.error:
                return None
        elif self.encoding not in ("", "identity"):
            return None
        return data.decode("utf-8", "replace")

    @cached_property
    def json(self) -> dict[str, Any]:
        """The response's JSON object; empty if it was none."""
        text = self.text
        return _object(text) if text else {}


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        # json finds out by itself how bytes are encoded, for twice the price.
        value = json.loads(text.decode() if isinstance(text, bytes) else text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_current: ContextVar[list[Exchange] | None] = ContextVar("exchanges", default=None)


@contextmanager
def watching() -> Iterator[list[Exchange]]:
    """Collects the exchanges of what is awaited inside."""
    exchanges: list[Exchange] = []
    token = _current.set(exchanges)
    try:
        yield exchanges
    finally:
        _current.reset(token)


def tap() -> None:
    """Wraps litellm's transport, once a process."""
    import httpx
    from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport as Transport

    inner = Transport.handle_async_request
    if getattr(inner, "notes_exchanges", False):
        return

    class Copied(httpx.AsyncByteStream):
        """Passes a body on and keeps a copy."""

        def __init__(self, stream: Any, exchange: Exchange) -> None:
            self._stream = stream
            self._exchange = exchange

        async def __aiter__(self) -> AsyncIterator[bytes]:
            kept = self._exchange.received
            async for chunk in self._stream:
                if len(kept) < LONGEST_BODY:
                    kept += chunk[: LONGEST_BODY - len(kept)]
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def handle(self: Any, request: httpx.Request) -> httpx.Response:
        exchanges = _current.get()
        if exchanges is None:
            return await inner(self, request)
        try:
            body = request.content
        except httpx.RequestNotRead:
            body = b""
        exchange = Exchange(body)
        exchanges.append(exchange)
        times = dict(request.extensions.get("timeout") or {})
        exchange.connect_seconds = min((times.get("connect") or 2 * CONNECT_SECONDS) / 2, CONNECT_SECONDS)
        request.extensions["timeout"] = times | {"connect": exchange.connect_seconds}
        try:
            response = await inner(self, request)
        except BaseException as error:
            exchange.failed = error
            raise
        exchange.status = response.status_code
        for name, value in response.headers.raw:
            if (lower := name.lower()) == b"content-encoding":
                exchange.encoding = value.decode("latin-1").strip().lower()
            elif lower in _KEPT:
                exchange.headers[_KEPT[lower]] = value.decode("latin-1")
        response.stream = Copied(response.stream, exchange)
        return response

    handle.notes_exchanges = True  # type: ignore[attr-defined]
    Transport.handle_async_request = handle  # type: ignore[method-assign]
