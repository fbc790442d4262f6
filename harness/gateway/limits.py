"""Who may send when: requests and tokens a minute, and calls at once.

Each limit is looked up by itself, under the player's label, then its model, then its provider, then in the defaults;
the first entry that sets it counts, and all players who found it under the same name share it. So two players of one
provider share its minute, while one of them may be kept to fewer calls at once. All matches and seats of a run pass
here, and each limit serves them in the order in which they came: whoever asks often waits as often.

Requests a minute are asyncio-throttle's: a sliding window, here as wide as one or a few requests so that they come
evenly and not all at the start of a minute, and behind a lock, which makes it first come first served and keeps only
one waiter polling. It has no weights and counts nothing in flight, so tokens a minute stand beside it, and calls at
once are asyncio's own semaphore, which is first come first served too. Its rate cannot change either: what a server
asks for by pushing back is `pressure`'s.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import NamedTuple

from asyncio_throttle.throttler import Throttler

from harness.gateway.keys import provider_of
from harness.gateway.pressure import Entry, Now, Pressure, Sleep
from harness.gateway.retry import Patience
from harness.gateway.types import Paused
from harness.spec import Limit, PlayerSpec, Tournament

TIMEOUT = 120.0
"""Seconds for one request, unless a limit says otherwise."""
GIVE_UP = 8
"""Questions of a player in a row that may come to nothing, unless a limit says otherwise."""
LOOK_AGAIN = 0.25
"""Seconds after which a wait for tokens looks whether calls turned out smaller than was reserved for them."""

DEFAULTS: dict[str, Limit] = {
    "local": Limit(concurrent=1, timeout=300.0),
    "gemini": Limit(rpm=60, concurrent=8),
    "groq": Limit(rpm=30, concurrent=4),
    "bedrock": Limit(rpm=100, concurrent=8),
    "openrouter": Limit(rpm=120, concurrent=16),
    "openai": Limit(rpm=300, concurrent=32),
    "anthropic": Limit(rpm=50, concurrent=8),
}
"""What the smallest paid plans of these providers bear."""
OTHER = Limit(rpm=60, concurrent=8)
OWN_SERVER = Limit(concurrent=64)
"""For a server that the file names by `api_base`: it has no plan, but it has an end."""


def scopes(player: PlayerSpec) -> tuple[str, ...]:
    """The names under which a player's limits are looked up, in order."""
    model = player.model or ""
    provider = "local" if model.startswith("local:") else provider_of(model)
    return (player.label, model, provider) if provider else (player.label, model)


class Found(NamedTuple):
    """A limit's value and the name of all who share it."""

    value: float
    name: str


def find(spec: Tournament, player: PlayerSpec, field: str) -> Found | None:
    """The value of one limit for a player and where it was found."""
    names = scopes(player)
    for name in names:
        entry = spec.limits.get(name)
        value = getattr(entry, field) if entry is not None else None
        if value is not None:
            return Found(float(value), name)
    if player.api_base is not None:
        default, shared = OWN_SERVER, f"server {player.api_base}"
    else:
        provider = names[2] if len(names) > 2 else ""
        default, shared = DEFAULTS.get(provider, OTHER), f"provider {provider or player.model}"
    value = getattr(default, field)
    return None if value is None else Found(float(value), shared)


def timeout_of(spec: Tournament, player: PlayerSpec) -> float:
    """Seconds that one request of this player may take."""
    found = find(spec, player, "timeout")
    return TIMEOUT if found is None else found.value


def give_up_of(spec: Tournament, player: PlayerSpec) -> int:
    """How many of this player's questions in a row may come to nothing before its matches pause."""
    found = find(spec, player, "give_up")
    return GIVE_UP if found is None else int(found.value)


def tokens_line(player: PlayerSpec, need: int, limit: Found) -> str:
    """Why a call can never fit its tokens a minute."""
    return (
        f"{player.label}: one call needs up to {need} tokens, and limits.{limit.name}.tpm is {limit.value:.0f} a "
        f"minute; raise it above {need}, or lower the player's max_tokens"
    )


def check_limits(spec: Tournament) -> list[str]:
    """A line for each player whose answers alone could not fit its tokens a minute."""
    from harness.gateway.request import room_of

    lines = []
    for player in spec.players:
        if player.model is None:
            continue
        limit = find(spec, player, "tpm")
        need = room_of(player.params)
        if limit is not None and need > limit.value:
            lines.append(tokens_line(player, need, limit))
    return lines


class TokenMinute:
    """Tokens a minute: no window of 60 seconds holds more than the limit, open estimates included. First come
    first served."""

    def __init__(self, limit: float, now: Now, sleep: Sleep) -> None:
        self.limit = limit
        self._now = now
        self._sleep = sleep
        self._lock = asyncio.Lock()
        self._taken: deque[list[float]] = deque()
        self._sum = 0.0

    def _expire(self) -> None:
        edge = self._now() - 60.0
        while self._taken and self._taken[0][0] <= edge:
            self._sum -= self._taken.popleft()[1]

    async def take(self, need: int) -> list[float]:
        """Waits until `need` tokens fit; gives what `settle` wants. `need` is not above the limit."""
        async with self._lock:
            while True:
                self._expire()
                if self._sum + need <= self.limit or not self._taken:
                    break
                oldest = self._taken[0][0] + 60.0 - self._now()
                await self._sleep(max(0.001, min(oldest, LOOK_AGAIN)))
            entry = [self._now(), float(need)]
            self._taken.append(entry)
            self._sum += need
            return entry

    def settle(self, entry: list[float], used: int) -> None:
        """The call is over and took `used` tokens."""
        if any(entry is one for one in self._taken):
            self._sum += used - entry[1]
            entry[1] = float(used)


class Paced:
    """Requests a minute, evenly: a throttler behind a lock."""

    def __init__(self, rpm: float) -> None:
        self._lock = asyncio.Lock()
        at_once = max(1, math.ceil(rpm / 60))
        self._throttler = Throttler(at_once, 60.0 * at_once / rpm)

    async def take(self) -> None:
        """Waits for this request's turn."""
        async with self._lock:
            await self._throttler.acquire()  # type: ignore[no-untyped-call]


class Gates:
    """The limits of one run."""

    def __init__(self, spec: Tournament, now: Now, sleep: Sleep, patience: Patience) -> None:
        self._spec = spec
        self._now = now
        self._sleep = sleep
        self._patience = patience
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._minutes: dict[str, TokenMinute] = {}
        self._paces: dict[str, Paced] = {}
        self._endpoints: dict[str, Pressure] = {}
        self._by_label: dict[str, Pressure] = {}
        self._found: dict[tuple[str, str], Found | None] = {}

    def endpoint(self, player: PlayerSpec) -> Pressure:
        """The server that this player's requests go to, with the key that opens it."""
        known = self._by_label.get(player.label)
        if known is not None:
            return known
        name = f"{player.api_base or scopes(player)[-1]} {player.api_key_env or ''}"
        if name not in self._endpoints:
            self._endpoints[name] = Pressure(self._now, self._sleep, self._patience)
        self._by_label[player.label] = self._endpoints[name]
        return self._endpoints[name]

    def find(self, player: PlayerSpec, field: str) -> Found | None:
        """The value of one limit for a player and where it was found; the file is looked through once."""
        key = (player.label, field)
        if key not in self._found:
            self._found[key] = find(self._spec, player, field)
        return self._found[key]

    def refuse(self, player: PlayerSpec, need: int) -> None:
        """Raises `Paused` for a call that could never fit its tokens a minute."""
        limit = self.find(player, "tpm")
        if limit is not None and need > limit.value:
            raise Paused("limit", tokens_line(player, need, limit))

    async def take(self, player: PlayerSpec, need: int) -> Share:
        """Waits until a request of about `need` tokens may go. The share holds its place until it is closed.

        Whoever finds, having waited for a limit, that the server has pushed back meanwhile gives up what it holds and
        gets into line again: so nobody waits for a server with a place in hand that others could use.

        Raises:
            Transient: when the server has been away for longer than anybody is to wait.
        """
        self.refuse(player, need)
        pressure, slot, minute, pace = (
            self.endpoint(player), self._slot(player), self._minute(player), self._pace(player),
        )  # fmt: skip
        while True:
            share = Share(pressure, await pressure.enter(), need)
            try:
                if slot is not None:
                    await share.hold(slot)
                if minute is not None:
                    await share.draw(minute)
                if pace is not None:
                    await pace.take()
            except BaseException:
                share.close()
                raise
            if pressure.go(share.place):
                return share
            share.close()

    def _slot(self, player: PlayerSpec) -> asyncio.Semaphore | None:
        found = self.find(player, "concurrent")
        if found is None:
            return None
        if found.name not in self._slots:
            self._slots[found.name] = asyncio.Semaphore(int(found.value))
        return self._slots[found.name]

    def _minute(self, player: PlayerSpec) -> TokenMinute | None:
        found = self.find(player, "tpm")
        if found is None:
            return None
        if found.name not in self._minutes:
            self._minutes[found.name] = TokenMinute(found.value, self._now, self._sleep)
        return self._minutes[found.name]

    def _pace(self, player: PlayerSpec) -> Paced | None:
        found = self.find(player, "rpm")
        if found is None:
            return None
        if found.name not in self._paces:
            self._paces[found.name] = Paced(found.value)
        return self._paces[found.name]


class Share:
    """A request's place in the server's line and its share of the limits: `need` is the estimate of its tokens, `used`
    what it took in the end (0 until it was made)."""

    def __init__(self, pressure: Pressure, place: Entry, need: int) -> None:
        self.place = place
        self.need = need
        self.used = 0
        self._pressure = pressure
        self._slot: asyncio.Semaphore | None = None
        self._minute: TokenMinute | None = None
        self._entry: list[float] = []

    async def hold(self, slot: asyncio.Semaphore) -> None:
        """Waits for a place among the calls at once."""
        await slot.acquire()
        self._slot = slot

    async def draw(self, minute: TokenMinute) -> None:
        """Waits for its tokens."""
        self._entry = await minute.take(self.need)
        self._minute = minute

    def close(self) -> None:
        """Gives back what it holds, and the tokens that were not used."""
        if self._minute is not None:
            self._minute.settle(self._entry, self.used)
        if self._slot is not None:
            self._slot.release()
        self._pressure.leave(self.place)
