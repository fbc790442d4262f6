"""Models that run on this machine: llama.cpp inside the process, asked over loopback like any other provider.

A player with ``model: local/smollm2`` or ``model: local:/path/to/model.gguf`` is answered by a `LocalServer`, which
speaks the OpenAI protocol at ``api_base`` and wants ``api_key``; to litellm it is ``openai/<name>``. The server lives
in threads of llama.cpp's own: no child process, no fixed port, nothing left behind.
"""

import asyncio
import atexit
import http.client
import os
import re
import secrets
import socket
import stat
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from harness.weights import LocalModelError, weights

__all__ = ["LocalModelError", "LocalServer", "LocalServers", "is_local", "resolve", "sampling_defaults"]

_NAMED = "local/"
_FILE = "local:"
_KNOWN = ("smollm2",)

CONTEXT = 8192
"""Tokens of prompt and answer together; a model trained on fewer has its own number."""

# The small model says the same thing over and over without them.
_SAMPLING = {"dry_multiplier": 0.8, "dry_allowed_length": 2, "dry_penalty_last_n": 1024, "min_p": 0.05}

_HOST = "127.0.0.1"
_GRACE = 10.0  # seconds for llama.cpp to notice that its clients are gone
_POLL = 1.2  # seconds: it looks for them after a second in which nobody was answered, so asking more often puts it off


def is_local(model: str) -> bool:
    """Whether a player's ``model`` is one that runs on this machine."""
    return model.startswith((_NAMED, _FILE))


def sampling_defaults(model: str) -> dict[str, float | int]:
    """Sampling parameters that a local model needs and no other gets; the player's own ``params`` override them.

    They are llama.cpp's, not OpenAI's: they are sent as ``extra_body``. Empty for a model that is not local. The
    server's default temperature is 0.8.
    """
    return dict(_SAMPLING) if is_local(model) else {}


def resolve(model: str) -> Path:
    """The model file that ``local/<name>`` or ``local:<path>`` stands for; nothing is fetched.

    Raises `LocalModelError` for an unknown name, and for a file that is missing, unreadable or no GGUF.
    """
    if model.startswith(_NAMED):
        if model.removeprefix(_NAMED) not in _KNOWN:
            known = ", ".join(_NAMED + name for name in _KNOWN)
            raise LocalModelError(
                f"unknown local model {model!r}: there is {known}, or a file as local:/path/to/model.gguf"
            )
        return weights(offline=True)
    if not model.startswith(_FILE):
        raise LocalModelError(f"{model!r} is no local model: one is named local/smollm2 or local:/path/to/model.gguf")
    given = model.removeprefix(_FILE)
    if not given.strip():
        raise LocalModelError(f"{model!r} names no file: write local:/path/to/model.gguf")
    try:
        path = Path(given).expanduser().resolve()
        with path.open("rb") as file:
            magic = file.read(4)
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LocalModelError(
            f"{model!r}: the model file cannot be read ({reason}): name an existing GGUF file"
        ) from error
    if magic != b"GGUF":
        raise LocalModelError(
            f"{model!r} is not a GGUF file (it does not begin with 'GGUF'): name a model in GGUF format"
        )
    return path


def _served_name(model: str, path: Path) -> str:
    if model.startswith(_NAMED):
        return model.removeprefix(_NAMED)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-.")[:100] or "model"


def _llama() -> Any:
    # Read once by libgomp as it loads: with active waiting, its threads would burn the cores that the game needs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError as error:
        if "libgomp" in str(error):
            raise LocalModelError("llama.cpp needs the library libgomp1: `apt-get install libgomp1`") from error
        raise LocalModelError(
            "local models need llama.cpp: `make setup`, or `pip install 'parley-harness[local]'`"
        ) from error
    return xllamacpp


class LocalServer:
    """One model file served on loopback by llama.cpp in this process.

    ``api_base`` ends in ``/v1``; ``api_key`` is random unless given; ``name`` is what the model is called there. One
    request is worked on at a time, the others wait their turn. A prompt over `CONTEXT` tokens is refused (400), never
    cut.
    Use it as a context manager or call `close`.
    """

    _open: ClassVar["weakref.WeakSet[LocalServer]"] = weakref.WeakSet()

    def __init__(self, model: str, *, port: int = 0, api_key: str | None = None) -> None:
        """Load ``model`` and serve it; blocks (half a second for the small model), and holds the GIL meanwhile.

        Raises `LocalModelError` if the file cannot be had or loaded, or if ``port`` (0: any free one) is taken.
        """
        self.model = model
        self.path = resolve(model)
        self.name = _served_name(model, self.path)
        self.api_key = api_key or secrets.token_urlsafe(24)
        llama = _llama()
        if port:
            _refuse_taken(port)
        params = llama.CommonParams()
        params.model.path = str(self.path)
        params.model_alias = {self.name}
        params.hostnames = [_HOST]
        params.port = port
        params.api_keys = [self.api_key]
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 2
        params.n_threads_http = 32  # an idle kept-alive connection holds one
        params.cache_ram_mib = 256
        params.ctx_shift = False
        params.fit_params = False
        params.offline = True
        params.ui = False
        params.endpoint_slots = False
        params.endpoint_metrics = True
        params.verbosity = -1
        for key, value in _SAMPLING.items():
            setattr(params.sampling, key, value)
        try:
            self._server = llama.Server(params)
        except (RuntimeError, ValueError, MemoryError) as error:
            raise LocalModelError(
                f"{model!r}: llama.cpp cannot load this file ({self.path}): it is damaged, cut short, of a kind it "
                "does not know, or too large for the memory here"
            ) from error
        self.port = int(self._server.listening_address.rpartition(":")[2])
        self.api_base = f"http://{_HOST}:{self.port}/v1"
        self._closing = threading.Lock()
        LocalServer._open.add(self)

    @classmethod
    def start(cls, model: str, *, port: int = 0, api_key: str | None = None) -> Self:
        """The same as calling the class, under the name that reads well where a server is started."""
        return cls(model, port=port, api_key=api_key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on every client, let llama.cpp drop what it was doing, and free the model. Twice does no harm.

        Takes some hundredths of a second, up to a second or so with a call in flight, which fails with a lost
        connection.
        """
        with self._closing:
            if self._server is None:
                return
            # llama.cpp never ends while a client waits for an answer, and holds the GIL as it tries.
            deadline = time.monotonic() + _GRACE
            _hang_up(self.port)
            while self._busy() and time.monotonic() < deadline:
                time.sleep(_POLL)
                _hang_up(self.port)
            self._server = None
            LocalServer._open.discard(self)

    def _busy(self) -> bool:
        connection = http.client.HTTPConnection(_HOST, self.port, timeout=_GRACE)
        try:
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {self.api_key}"})
            text = connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return True
        finally:
            connection.close()
        waiting = re.findall(r"^llamacpp:requests_(?:processing|deferred) (\S+)", text, re.MULTILINE)
        return any(float(number) for number in waiting)


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise LocalModelError(
                f"port {port} on {_HOST} cannot be used ({error.strerror}): choose another"
            ) from error


def _hang_up(port: int) -> None:
    """Shut the server's side of every connection to ``port``, as its clients would by hanging up."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208 - numbers, not paths
        with suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as one:
                if one.family == socket.AF_INET and one.getsockname()[1] == port:
                    one.getpeername()  # the listening socket has none
                    one.shutdown(socket.SHUT_RDWR)


@atexit.register
def _close_all() -> None:
    for server in list(LocalServer._open):
        server.close()


class LocalServers:
    """The local servers of one run: at most one for each model file, started when first asked for."""

    def __init__(self) -> None:
        self._starting: dict[Path, asyncio.Task[LocalServer]] = {}

    async def get(self, model: str) -> LocalServer:
        """The running server of ``model``; raises `LocalModelError` each time if it cannot be started."""
        path = await asyncio.to_thread(resolve, model)
        task = self._starting.get(path)
        if task is None:
            task = self._starting[path] = asyncio.create_task(asyncio.to_thread(LocalServer, model))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Stop them all; cancel or await the calls in flight first, or they end with a lost connection."""
        tasks = list(self._starting.values())
        self._starting.clear()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, LocalServer):
                await asyncio.to_thread(outcome.close)
