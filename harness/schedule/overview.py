"""What a schedule comes to, game by game: line-ups, packs, who meets whom and who sits where, how often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from harness.records import Json, MatchRecord


class Overview(NamedTuple):
    """The matches of one entry of `games`."""

    matches: int
    packs: int
    line_ups: int
    """Different ones."""
    meetings: dict[tuple[str, str], int]
    """Matches in which both sat, for each two labels; 0 for two who never meet."""
    seated: dict[str, dict[str, int]]
    """Matches by label, then by seat."""

    def to_json(self) -> Json:
        """Plain values."""
        return {
            "packs": self.packs,
            "line_ups": self.line_ups,
            "meetings": [{"players": list(pair), "matches": number} for pair, number in sorted(self.meetings.items())],
            "seated": [{"label": label, "matches": number} for label, number in self.seated.items()],
        }


def overview(matches: Sequence[MatchRecord], labels: Sequence[str]) -> Overview:
    """Count one game's matches; `labels` are those who may play it."""
    seats = [seat.seat for seat in matches[0].seats] if matches else []
    seated = {label: dict.fromkeys(seats, 0) for label in labels}
    meetings: Counter[tuple[str, str]] = Counter(dict.fromkeys(combinations(sorted(labels), 2), 0))
    line_ups: dict[tuple[str, ...], int] = defaultdict(int)
    for match in matches:
        sitting = sorted({seat.label for seat in match.seats})
        meetings.update(combinations(sitting, 2))
        line_ups[tuple(sorted(seat.label for seat in match.seats))] += 1
        for seat in match.seats:
            seated[seat.label][seat.seat] += 1
    packs = len({match.pack for match in matches})
    return Overview(len(matches), packs, len(line_ups), dict(meetings), seated)


def between(numbers: Sequence[int], one: str, many: str) -> str:
    """From the least to the most of something.

    >>> between([4, 4], "match", "matches"), between([3, 5, 4], "match", "matches"), between([1], "match", "matches")
    ('4 matches', '3 to 5 matches', '1 match')
    """
    least, most = min(numbers), max(numbers)
    what = one if most == 1 else many
    return f"{least:,} {what}" if least == most else f"{least:,} to {most:,} {what}"


def in_words(found: Overview, *, self_play: bool, never: Sequence[str] = ()) -> list[str]:
    """Who meets whom and who sits where how often, in a few lines. `never`: challengers, who never meet each other."""
    if not found.matches:
        return []
    lines = []
    words = ("match", "matches")
    if self_play:
        alone = [max(seats.values()) for seats in found.seated.values()]
        return [f"each player plays {between(alone, *words)} against itself"]
    if never:
        told = f"each challenger meets each baseline in {between(_across(found, never), *words)}"
        inside = _within(found, never)
        told += f", and two baselines meet in {between(inside, *words)}" if any(inside) else ""
        lines.append(told + ("; challengers never meet" if len(never) > 1 else ""))
    elif found.meetings:
        lines.append(f"each two meet in {between(list(found.meetings.values()), *words)}")
    times = between([number for seats in found.seated.values() for number in seats.values()], "time", "times")
    even = all(len(set(seats.values())) == 1 for seats in found.seated.values())
    how = "equally often in all of them" if even else "not equally often in all of them"
    lines.append(f"each player sits in each seat {times}, {how}")
    return lines


def _across(found: Overview, never: Sequence[str]) -> list[int]:
    return [number for pair, number in found.meetings.items() if len(set(pair) & set(never)) == 1]


def _within(found: Overview, never: Sequence[str]) -> list[int]:
    return [number for pair, number in found.meetings.items() if not set(pair) & set(never)]
