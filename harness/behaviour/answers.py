"""Measures of how players answer: which place of a list they take, what cannot be used, what it takes and costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from harness.behaviour.log import Played, win_share
from harness.behaviour.registry import Tally, measure
from harness.records import SeatStats

PLACES = ("1st", "2nd", "3rd")
OWN_CHOICE = ("player", "human")
"""Sources of actions that the player chose itself."""


@measure("Position bias", unit="points", by="place in the list")
def position_bias(match: Played) -> Iterator[Tally]:
    """How much oftener the player takes the action listed first than chance would, in percentage points; likewise the
    second, the third and the last.

    Unit: one decision of its own with n >= 2 legal actions, shown in a shuffled list. Numerator: 1 if the action taken
    stood in that place, less 1/n. Denominator: those decisions (with so many actions). Left out: forced decisions and
    fallbacks, later actions of a plan, and runs that show no list.
    """
    taken = Counter(
        (turn.seat, turn.shown_index, turn.legal_count)
        for turn in match.turns
        if turn.shown_index is not None and turn.legal_count > 1 and turn.source in OWN_CHOICE
    )
    for (seat, place, number), times in taken.items():
        for at, key in enumerate((None, *PLACES[:number], "last")):
            wanted = number - 1 if key == "last" else max(at - 1, 0)
            yield Tally(seat, key, 100 * times * ((place == wanted) - 1 / number), times)


@measure("Answers that could not be used", unit="per decision", by="kind", parts=True)
def faulty_answers(match: Played) -> Iterator[Tally]:
    """Answers that were illegal or unreadable, for each decision wanted of the player, in all and by kind.

    Unit: one answer to a decision, of its own making: `illegal`, `unreadable`, `truncated`, `empty`, `refusal`,
    `content_filter`.
    Numerator: those answers; a decision that was asked again may have several. Denominator: its decisions that were not
    forced. Left out: answers in talk rounds, calls that failed for infrastructure, and players that are asked nothing
    by a call.
    """
    for seat, stat in match.stats.items():
        if stat.calls:
            yield Tally(seat, None, stat.illegal + stat.unreadable, stat.decisions)
    for (seat, kind), times in Counter((fault.seat, fault.kind) for fault in match.faults).items():
        yield Tally(seat, kind, times, 0)


@measure("Fallbacks", unit="share", by="last fault", parts=True)
def fallbacks(match: Played) -> Iterator[Tally]:
    """The share of the player's decisions that were made for it after its answers were used up, in all and by what was
    wrong with the last of them.

    Unit: one decision wanted of it. Numerator: those with source `fallback`. Denominator: its decisions that were not
    forced. Left out: forced decisions.
    """
    last = {(fault.seat, fault.decision): fault.kind for fault in sorted(match.faults, key=lambda one: one.attempt)}
    for seat, times in Counter(
        turn.seat for turn in match.turns if turn.plan_index == 0 and turn.source in OWN_CHOICE
    ).items():
        yield Tally(seat, None, 0, times)
    for turn in match.turns if match.stood_in else ():
        if turn.ply in match.stood_in:
            yield Tally(turn.seat, None, 1, 1)
            yield Tally(turn.seat, last.get((turn.seat, turn.decision), "unknown"), 1, 0)


def _each(match: Played, part: Callable[[SeatStats], float], whole: Callable[[SeatStats], float]) -> Iterator[Tally]:
    """Figures of those that are asked by calls."""
    for seat, stat in match.stats.items():
        if stat.calls:
            yield Tally(seat, None, part(stat), whole(stat))


@measure("Tokens", unit="tokens", by="direction", parts=True)
def tokens(match: Played) -> Iterator[Tally]:
    """Tokens for each decision of the player, in all, in (the prompts) and out (the answers, reasoning included).

    Unit: one token of any of its calls, retries and talk rounds included. Numerator: tokens. Denominator: its decisions
    that were not forced. Left out: players that are asked nothing by a call; calls of unknown usage count as none.
    """
    for seat, stat in match.stats.items():
        if stat.calls:
            yield Tally(seat, None, stat.prompt_tokens + stat.completion_tokens, stat.decisions)
            yield Tally(seat, "in", stat.prompt_tokens, 0)
            yield Tally(seat, "out", stat.completion_tokens, 0)


@measure("Reasoning", unit="share")
def reasoning_share(match: Played) -> Iterator[Tally]:
    """The share of the tokens that the player wrote which were reasoning.

    Unit: one token out. Numerator: reasoning tokens as the provider counts them. Denominator: all tokens out. Left out:
    players that are asked nothing by a call.
    """
    return _each(match, lambda stat: stat.reasoning_tokens, lambda stat: stat.completion_tokens)


@measure("Cached", unit="share")
def cache_share(match: Played) -> Iterator[Tally]:
    """The share of the tokens of the player's prompts that came from a provider's cache.

    Unit: one token in. Numerator: cached tokens as the provider counts them. Denominator: all tokens in. Left out:
    players that are asked nothing by a call.
    """
    return _each(match, lambda stat: stat.cached_tokens, lambda stat: stat.prompt_tokens)


@measure("Cost of a decision", unit="USD")
def cost_per_decision(match: Played) -> Iterator[Tally]:
    """What a decision of the player costs.

    Unit: US dollars. Numerator: the cost of its calls, retries and talk rounds included. Denominator: its decisions
    that were not forced. Left out: its part of matches in which the price of some call of its own is not known.
    """
    for seat, stat in match.stats.items():
        if stat.calls and not stat.unpriced:
            yield Tally(seat, None, stat.cost, stat.decisions)


@measure("Cost of a win", unit="USD", forfeits=False)
def cost_per_win(match: Played) -> Iterator[Tally]:
    """What the player spends for each match that it wins.

    Unit: US dollars. Numerator: the cost of its calls in all its matches, won or lost. Denominator: its wins, a first
    place that k share being 1/k. Left out: matches without an outcome or ended by forfeit, those in which the price of
    some call of its own is not known, and those in which the player has several seats, as one of them always wins.
    """
    for seat, stat in match.stats.items():
        if stat.calls and not stat.unpriced and seat in match.alone:
            yield Tally(seat, None, stat.cost, win_share(stat))


@measure("Waiting for a decision", unit="seconds")
def latency_per_decision(match: Played) -> Iterator[Tally]:
    """How long a decision of the player is waited for.

    Unit: seconds. Numerator: the latency of its calls, retries and talk rounds included. Denominator: its decisions
    that were not forced. Left out: players that are asked nothing by a call, and the time between calls.
    """
    return _each(match, lambda stat: stat.latency_ms / 1000, lambda stat: stat.decisions)


@measure("Waiting for a win", unit="seconds", forfeits=False)
def latency_per_win(match: Played) -> Iterator[Tally]:
    """How long the player is waited for, for each match that it wins.

    Unit: seconds. Numerator: the latency of its calls in all its matches, won or lost. Denominator: its wins, a first
    place that k share being 1/k. Left out: matches without an outcome or ended by forfeit, and those in which the
    player has several seats.
    """
    for seat, stat in match.stats.items():
        if stat.calls and seat in match.alone:
            yield Tally(seat, None, stat.latency_ms / 1000, win_share(stat))
