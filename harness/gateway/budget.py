"""The budget: each call sets its worst price aside before it is sent and gives back what it did not take.

So calls side by side cannot overshoot together. A call that would fit once those under way are settled waits for them;
one that would not fit even then pauses its match, or the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.gateway.types import Paused
from harness.records import Spend
from harness.spec import Budget, BudgetPart

ROUNDING = 1e-9
"""USD by which sums of many small costs may be off."""


@dataclass
class _Scope:
    """One limit: what it allows, what is spent, and what is set aside for calls under way."""

    name: str
    usd: float | None
    tokens: int | None
    everyone: bool = False
    spent_usd: float = 0.0
    spent_tokens: int = 0
    open_usd: float = 0.0
    open_tokens: int = 0

    def too_dear(self, usd: float | None) -> bool:
        return self.usd is not None and usd is not None and self.spent_usd + usd > self.usd + ROUNDING

    def never(self, usd: float | None, tokens: int) -> bool:
        return self.too_dear(usd) or (self.tokens is not None and self.spent_tokens + tokens > self.tokens)

    def now(self, usd: float | None, tokens: int) -> bool:
        return not self.never(None if usd is None else usd + self.open_usd, tokens + self.open_tokens)

    def line(self, label: str, usd: float | None, tokens: int) -> str:
        if usd is not None and self.too_dear(usd):
            key, have = f"{self.name}.usd", f"{self.spent_usd:.4f} of {self.usd:g} USD"
            need = f"{usd:.4f} USD"
        else:
            key, have = f"{self.name}.tokens", f"{self.spent_tokens} of {self.tokens} tokens"
            need = f"{tokens} tokens"
        return f"{label}: {key} is spent ({have}; the next call may take {need}); raise it and run again to go on"


@dataclass
class Hold:
    """What one call has set aside."""

    usd: float
    tokens: int
    scopes: list[_Scope] = field(repr=False)


class Ledger:
    """All budgets of one run. `spent` is what earlier processes spent, by match and player."""

    def __init__(self, budget: Budget | None, spent: Mapping[tuple[int | None, str], Spend]) -> None:
        self._budget = budget or Budget()
        self._changed = asyncio.Condition()
        self._run = self._scope("budget", self._budget, everyone=True)
        self._matches: dict[int, _Scope] = {}
        self._players: dict[str, _Scope] = {}
        self.total = Spend()
        for (match_id, label), spend in spent.items():
            for scope in self._scopes(match_id, label):
                scope.spent_usd += spend.usd
                scope.spent_tokens += spend.tokens
            self._add(spend.usd, spend.tokens, spend.calls)

    @staticmethod
    def _scope(name: str, part: BudgetPart | None, *, everyone: bool = False) -> _Scope:
        return _Scope(name, part.usd if part else None, part.tokens if part else None, everyone)

    def _scopes(self, match_id: int | None, label: str) -> list[_Scope]:
        if label not in self._players:
            self._players[label] = self._scope(f"budget.per_player.{label}", self._budget.per_player.get(label))
        found = [self._run, self._players[label]]
        if match_id is not None and self._budget.per_match is not None:
            if match_id not in self._matches:
                self._matches[match_id] = self._scope("budget.per_match", self._budget.per_match)
            found.append(self._matches[match_id])
        return found

    def _add(self, usd: float, tokens: int, calls: int) -> None:
        total = self.total
        self.total = Spend(usd=total.usd + usd, tokens=total.tokens + tokens, calls=total.calls + calls)

    def check(self, match_id: int | None, label: str, usd: float | None, tokens: int) -> None:
        """Raises `Paused` if such a call could not be paid for even when all under way are settled.

        `usd` is None for a call that cannot cost anything, which no money that is spent keeps back.
        """
        for scope in self._scopes(match_id, label):
            if scope.never(usd, tokens):
                raise Paused("budget", scope.line(label, usd, tokens), everyone=scope.everyone)

    async def reserve(self, match_id: int | None, label: str, usd: float | None, tokens: int) -> Hold:
        """Sets the worst price of a call aside, waiting for calls under way where that helps. Raises `Paused`.

        `usd` as in `check`.
        """
        scopes = self._scopes(match_id, label)
        async with self._changed:
            while True:
                self.check(match_id, label, usd, tokens)
                if all(scope.now(usd, tokens) for scope in scopes):
                    break
                await self._changed.wait()
            for scope in scopes:
                scope.open_usd += usd or 0.0
                scope.open_tokens += tokens
        return Hold(usd or 0.0, tokens, scopes)

    async def settle(self, hold: Hold, usd: float, tokens: int) -> None:
        """The call took this much."""
        self._close(hold, usd, tokens)
        async with self._changed:
            self._changed.notify_all()

    def _close(self, hold: Hold, usd: float, tokens: int) -> None:
        for scope in hold.scopes:
            scope.open_usd -= hold.usd
            scope.open_tokens -= hold.tokens
            scope.spent_usd += usd
            scope.spent_tokens += tokens
        self._add(usd, tokens, 1)
