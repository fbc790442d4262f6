"""`parley forecast`: what a tournament will take, without asking any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.options import Whole, as_json
from harness.cli.output import Column, count, emit, one_line, say, several, span, table

if TYPE_CHECKING:
    from harness.forecast import Forecast, Part, Range
    from harness.spec import Budget


@click.command(short_help="Say what a tournament will take: calls, tokens, money, time.")
@click.argument("file", metavar="FILE")
@click.option(
    "--samples", type=Whole(min=1), default=3, metavar="N", help="Matches of each game to play.  [default: 3]"
)
@as_json
def command(file: str, samples: int, as_json: bool) -> None:
    """Say what the tournament of FILE will take: calls, tokens, the share that a provider's cache can serve, money and
    time, each with a range. Some of its matches are played with bots through the real prompts. Asks no model and needs
    no key."""
    from harness.forecast import forecast
    from harness.gateway.tokens import counter
    from harness.spec import load

    spec = load(file)
    found = forecast(spec, counter(), samples=samples)
    if as_json:
        emit(found.to_json())
        return
    if not found.players:
        say((one_line(found.run), "bold"), ": no model plays, so no call is made.")
        return
    _print(found, spec.budget)


def _print(found: Forecast, budget: Budget | None) -> None:
    say(
        (one_line(found.run), "bold"),
        f": {'at most ' if found.first_look else ''}{several(found.matches, 'match', 'matches')}; "
        f"forecast from {found.sampled} of them, played with bots",
    )
    if found.first_look is not None:
        say(
            f"It stops once two players are told apart: after {count(found.first_look)} matches at the earliest. "
            "What follows is for all of them."
        )
    click.echo()
    rows = [*found.players, *([found.total] if len(found.players) > 1 else [])]
    table(
        [
            Column("player", flexible=True),
            Column("matches", number=True, spare=4),
            Column("calls", number=True, spare=1),
            Column("tokens in", number=True),
            Column("cached", number=True, spare=2),
            Column("tokens out", number=True, spare=3),
            Column("cost", number=True),
            Column("at worst", number=True, spare=5),
        ],
        [_cells(part) for part in rows],
    )
    click.echo()
    seconds = found.seconds
    say(f"Time: about {span(seconds.mid)} ({span(seconds.low)} to {span(seconds.high)}), set by {found.held_up_by}.")
    for line in _budget_lines(found, budget):
        say(line)
    say(
        ("Tokens are counted by OpenAI's tokenizer. Answers asked for again come on top; at worst nothing is cached "
         "and every answer takes all of max_tokens.", "dim"),
    )  # fmt: skip


def _cells(part: Part) -> tuple[str, ...]:
    return (
        part.label,
        f"{part.matches:,}",
        _short(part.calls),
        _short(part.prompt_tokens),
        f"≤ {100 * part.cached_share:.0f} %",
        _short(part.completion_tokens),
        _money(part.cost),
        "unknown" if part.worst_cost is None else _usd(part.worst_cost),
    )


def _budget_lines(found: Forecast, budget: Budget | None) -> list[str]:
    """Whether the run's budget is likely to do."""
    if budget is None:
        return []
    lines = []
    total = found.total
    tokens = total.prompt_tokens.plus(total.completion_tokens)
    for name, limit, need, text in (
        ("usd", budget.usd, total.cost, _usd),
        ("tokens", budget.tokens, tokens, _number),
    ):
        if limit is not None and need is not None:
            verdict = "is enough" if need.high <= limit else "may not do" if need.low <= limit else "will not do"
            lines.append(f"budget.{name} {text(limit)} {verdict}: {text(need.low)} to {text(need.high)} are needed.")
    return lines


def _short(value: Range) -> str:
    return f"{_number(value.mid)} ({_number(value.low)}–{_number(value.high)})"


def _money(value: Range | None) -> str:
    if value is None:
        return "unknown"
    return f"{_usd(value.mid)} ({_usd(value.low)}–{_usd(value.high)})" if value.high else "free"


def _usd(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def _number(amount: float) -> str:
    """A number to three figures.

    >>> _number(941), _number(12_340), _number(1_234_567)
    ('941', '12.3k', '1.23M')
    """
    if amount < 1000:
        return f"{amount:.0f}"
    unit, name = (1e6, "M") if amount >= 999_500 else (1e3, "k")
    return f"{amount / unit:.3g}{name}" if amount / unit < 1000 else f"{amount / unit:,.0f}{name}"
