"""Counter-based chance: the k-th draw depends on the key and k alone; a position needs only (seed, drawn) to go on."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

SEED_LIMIT = 2**53
"""Seeds are whole numbers from 0 to this, exclusive: what JSON carries exactly everywhere."""


def draw(key: int | str, k: int) -> int:
    """The k-th draw (from 0) as a number in [0, 2**64): BLAKE2b-64, unkeyed, of the text `key:k`.

    >>> f"{draw(0, 0):016x}"
    'd56c9c7e6769d062'
    """
    return _drawn(f"{key}:".encode(), k)


def _drawn(prefix: bytes, k: int) -> int:
    return int.from_bytes(blake2b(b"%b%d" % (prefix, k), digest_size=8).digest(), "big")


class Draws:
    """A sequence of draws from a key; `drawn` is the number of the next one."""

    __slots__ = ("_prefix", "drawn", "key")

    def __init__(self, key: int | str, drawn: int = 0) -> None:
        self.key = key
        self.drawn = drawn
        self._prefix = f"{key}:".encode()

    def next(self) -> int:
        """The next draw as a number in [0, 2**64)."""
        value = _drawn(self._prefix, self.drawn)
        self.drawn += 1
        return value

    def pick(self, n: int) -> int:
        """A whole number in [0, n), all alike."""
        return (self.next() * n) >> 64

    def below(self, p: float) -> bool:
        """True with probability p."""
        return self.next() / 2**64 < p

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, all alike."""
        return items[self.pick(len(items))]

    def shuffle(self, items: list[T]) -> None:
        """Shuffle in place: for i from the last down to 1, swap i with pick(i + 1)."""
        prefix, k = self._prefix, self.drawn
        for i in range(len(items) - 1, 0, -1):
            j = (_drawn(prefix, k) * (i + 1)) >> 64
            items[i], items[j] = items[j], items[i]
            k += 1
        self.drawn = k
