"""`parley games`: what can be played."""

from __future__ import annotations

from typing import Any

import click

from harness.cli.options import as_json
from harness.cli.output import Column, emit, put, say, styled, table


@click.command(short_help="List the games: seats, options, bots, scenarios.")
@as_json
def command(as_json: bool) -> None:
    """List every game with its seats, its options and their defaults, its bots and its start positions."""
    described = _games()
    if as_json:
        emit(described)
        return
    for place, game in enumerate(described):
        if place:
            click.echo()
        _print(game)


def _games() -> list[dict[str, Any]]:
    from games import GAMES, get_game

    listed = []
    for name in GAMES:
        game = get_game(name)
        listed.append(
            {
                "game": name,
                "title": game.title,
                "version": game.version,
                "players": list(game.players),
                "seats": {str(number): list(game.seats(number)) for number in game.players},
                "options": _options(game.Options.model_json_schema()),
                "bots": sorted(game.bots),
                "scenarios": sorted(game.scenarios),
                "pledges": {kind: pledge.meaning for kind, pledge in game.pledges.items()},
            }
        )
    return listed


def _options(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "option": name,
            "default": field.get("default"),
            "values": _values(field),
            "meaning": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _values(field: dict[str, Any]) -> str:
    """The values that an option takes, in a few words."""
    if "anyOf" in field:
        return " or ".join(_values(part) for part in field["anyOf"])
    if "enum" in field:
        return ", ".join(str(value) for value in field["enum"])
    if "const" in field:
        return str(field["const"])
    kind: str = {"integer": "whole number", "number": "number", "boolean": "true, false", "null": "none"}.get(
        field.get("type", ""), "text"
    )
    low, high = field.get("minimum"), field.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"{kind} from {low}"
    return f"{kind} up to {high}" if high is not None else kind


def _print(game: dict[str, Any]) -> None:
    from rich.table import Table

    say((game["game"], "bold"), f"  {game['title']}, version {game['version']} of its rules")
    facts = [("players", ", ".join(map(str, game["players"])))]
    facts += [
        (f"seats ({number})" if len(game["seats"]) > 1 else "seats", ", ".join(seats))
        for number, seats in game["seats"].items()
    ]
    facts += [(key, ", ".join(game[key])) for key in ("bots", "scenarios", "pledges") if game[key]]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for key, value in facts:
        grid.add_row(styled(f"  {key}"), styled(value))
    put(grid)
    if game["options"]:
        click.echo()
        table(
            [Column("  option"), Column("default"), Column("values"), Column("meaning", flexible=True)],
            [
                (f"  {option['option']}", str(option["default"]), option["values"], option["meaning"])
                for option in game["options"]
            ],
        )
