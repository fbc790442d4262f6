"""The loopback provider itself: an aiohttp server in a thread of its own, on a port the system chose."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.providers.behaviours import Answer, Behaviour, Drop, Fail, Handler, Hang, Raw, legal
from tests.providers.choose import texts_in
from tests.providers.dialects import dialect, failure, success

Json = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    index: int
    method: str
    path: str
    query: str
    headers: dict[str, str]
    """With lower-case names."""
    raw: bytes
    body: Json
    dialect: str
    at: float
    """Seconds of the monotonic clock."""

    @property
    def text(self) -> str:
        """All the text of its messages."""
        return "\n".join(texts_in(self.body))


class Loopback:
    """A provider that does as it is told.

    `script(...)` queues behaviours, one a request, first come first served; when the queue is empty `otherwise` answers
    (a legal action, unless `always` set something else). Every request is kept in `requests`.
    """

    def __init__(self, otherwise: Behaviour | Handler | None = None, port: int = 0) -> None:
        self.otherwise: Behaviour | Handler = otherwise or legal()
        self.requests: list[Seen] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._port = port
        self._queue: deque[Behaviour | Handler] = deque()
        self._arrived = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._released: asyncio.Event | None = None
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="loopback-provider", daemon=True
        )

    # What a test says and sees.

    @property
    def root(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def api_base(self) -> str:
        """What an `openai/` player names as `api_base`."""
        return f"{self.root}/v1"

    def base_for(self, provider: str) -> str:
        """What a player of that provider (`gemini`, `bedrock`, `groq`, `openrouter`, `openai`) names as `api_base`."""
        tails = {"gemini": "/v1beta", "bedrock": "", "groq": "/openai/v1", "openrouter": "/api/v1"}
        return self.root + tails.get(provider, "/v1")

    def script(self, *behaviours: Behaviour | Handler) -> None:
        """Adds to what the next requests get."""
        with self._arrived:
            self._queue.extend(behaviours)

    def always(self, behaviour: Behaviour | Handler) -> None:
        """What requests get once the script is used up."""
        self.otherwise = behaviour

    def clear(self) -> None:
        """Forgets script and requests."""
        with self._arrived:
            self._queue.clear()
            self.requests.clear()
            self.most_in_flight = self.in_flight

    def release(self) -> None:
        """Lets every hanging request go on."""
        if self._loop is not None and self._released is not None:
            self._loop.call_soon_threadsafe(self._released.set)

    def wait_for(self, count: int, seconds: float = 60.0) -> None:
        """Blocks until that many requests have arrived."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, seconds):
                raise TimeoutError(f"{len(self.requests)} of {count} requests arrived within {seconds} s")

    async def arrived(self, count: int, seconds: float = 60.0) -> None:
        """The same for a test that is itself a coroutine."""
        await asyncio.to_thread(self.wait_for, count, seconds)

    # Start and stop.

    def start(self) -> Self:
        """Listens; returns when it does."""
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the loopback provider did not start")
        return self

    def stop(self) -> None:
        """Drops what hangs and ends the thread."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._released = asyncio.Event()
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        self._released.set()
        await runner.cleanup()

    # One request.

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        spoken = dialect(request.path)
        with self._arrived:
            seen = Seen(
                len(self.requests),
                request.method,
                request.path,
                request.query_string,
                {name.lower(): value for name, value in request.headers.items()},
                raw,
                body,
                spoken or "none",
                time.monotonic(),
            )
            self.requests.append(seen)
            behaviour = self._queue.popleft() if self._queue and spoken else self.otherwise
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            self._arrived.notify_all()
        try:
            if spoken is None:
                return web.json_response({"error": {"message": f"no such path {request.path}"}}, status=404)
            return await self._act(request, seen, behaviour)
        finally:
            self.in_flight -= 1

    async def _act(self, request: web.Request, seen: Seen, behaviour: Behaviour | Handler) -> web.StreamResponse:
        if isinstance(behaviour, Callable):  # type: ignore[arg-type]
            behaviour = behaviour(seen)  # type: ignore[operator]
        if isinstance(behaviour, Hang):
            assert self._released is not None
            await self._released.wait()
            behaviour = behaviour.then
        if isinstance(behaviour, Drop):
            return await self._drop(request, seen, behaviour)
        if isinstance(behaviour, (Answer, Fail, Raw)) and behaviour.delay:
            await asyncio.sleep(behaviour.delay)
        if isinstance(behaviour, Raw):
            return web.Response(body=behaviour.body, status=behaviour.status, content_type=behaviour.content_type)
        if isinstance(behaviour, Fail):
            headers = dict(behaviour.headers)
            if seen.dialect == "bedrock":
                headers["x-amzn-ErrorType"] = behaviour.code or "ValidationException"
            return web.json_response(failure(seen, behaviour), status=behaviour.status, headers=headers)
        assert isinstance(behaviour, Answer)
        return web.json_response(success(seen, behaviour))

    async def _drop(self, request: web.Request, seen: Seen, drop: Drop) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "4096"})
        if drop.when == "middle":
            await response.prepare(request)
            await response.write(json.dumps(success(seen, Answer("{}"))).encode()[:40])
        transport = request.transport
        if transport is not None:
            transport.abort() if drop.when == "before" else transport.close()
        return response
