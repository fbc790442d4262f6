"""`parley forecast`: what a tournament will take, without asking any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.gains import gain, gain_in_words, gain_json
from harness.cli.options import Whole, as_json, database
from harness.cli.output import Column, count, emit, one_line, say, several, span, table

if TYPE_CHECKING:
    from harness.cli.gains import Gain
    from harness.forecast import Forecast, Part, Range
    from harness.records import Spend
    from harness.spec import Budget


@click.command(short_help="Say what a tournament will take: calls, tokens, money, time.")
@click.argument("file", metavar="FILE")
@click.option(
    "--samples", type=Whole(min=1), default=3, metavar="N", help="Matches of each game to play.  [default: 3]"
)
@click.option("--add-player", is_flag=True, help="Of the matches alone that `run --add-player` would add.")
@database
@as_json
def command(file: str, samples: int, add_player: bool, db: str | None, as_json: bool) -> None:
    """Say what the tournament of FILE will take: calls, tokens, the share that a provider's cache can serve, money and
    time, each with a range. Some of its matches are played with bots through the real prompts. Asks no model and needs
    no key.

    --add-player says what the matches will take that it would add to the run of FILE in the database: nothing that the
    run has already is counted. It changes nothing."""
    from harness.forecast import forecast
    from harness.gateway.tokens import counter
    from harness.spec import load

    spec = load(file)
    if add_player:
        added = gain(spec, db)
        _tell_added(
            forecast(added.grown.spec, counter(), samples=samples, only=added.grown.more), added, as_json=as_json
        )
        return
    found = forecast(spec, counter(), samples=samples)
    if as_json:
        emit(found.to_json())
        return
    if not found.players:
        say((one_line(found.run), "bold"), ": no model plays, so no call is made.")
        return
    _print(found, spec.budget)


def _tell_added(found: Forecast, added: Gain, *, as_json: bool) -> None:
    """A forecast of what `--add-player` would add."""
    if as_json:
        emit({**found.to_json(), "gains": gain_json(added.grown)})
        return
    say(gain_in_words(added.grown))
    if found.total.calls.high:
        _print(found, added.grown.spec.budget, added.spent)
    elif found.matches:
        say("No model plays in them, so no call is made.")
    if added.open:
        say(f"Still open in the run, and not counted: {several(added.open, 'match', 'matches')}.")


def _print(found: Forecast, budget: Budget | None, spent: Spend | None = None) -> None:
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
    playing = [part for part in found.players if part.matches]
    rows = [*playing, *([found.total] if len(playing) > 1 else [])]
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
    for line in _budget_lines(found, budget, spent):
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


def _budget_lines(found: Forecast, budget: Budget | None, spent: Spend | None) -> list[str]:
    """Whether the run's budget, or what is left of it, is likely to do."""
    if budget is None:
        return []
    lines = []
    total = found.total
    tokens = total.prompt_tokens.plus(total.completion_tokens)
    for name, limit, gone, need, text in (
        ("usd", budget.usd, spent.usd if spent else 0.0, total.cost, _usd),
        ("tokens", budget.tokens, spent.tokens if spent else 0, tokens, _number),
    ):
        if limit is not None and need is not None:
            left = limit - gone
            verdict = "is enough" if need.high <= left else "may not do" if need.low <= left else "will not do"
            less = f" ({text(gone)} of it spent already)" if gone else ""
            needed = f"{text(need.low)} to {text(need.high)} are needed"
            lines.append(f"budget.{name} {text(limit)}{less} {verdict}: {needed}.")
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
