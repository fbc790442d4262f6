"""What `parley behaviour --alliances` prints."""

from __future__ import annotations

from harness.behaviour.alliances import ACTS, SENSES, AlliancesTable
from harness.behaviour.gather import Figure, Player
from harness.cli.behaviour import shown
from harness.cli.output import Column, count, say, table

_TITLES = {act.name: act.title.lower() for act in ACTS}


def show(one: AlliancesTable) -> None:
    """Deeds by pair of players (of seats in self-play)."""
    if one.note:
        say(one.note)
    if not one.acts:
        return
    summed = {act.sense for act in one.acts if act.summed}
    names = [*(sense for sense in SENSES if sense in summed), *(act.name for act in one.acts)]
    by = "player" if any(row.by == "player" for row in one.rows) else "seat"
    found = {(row.giver, row.receiver, row.act): row.figure for row in one.rows if row.by == by and not row.phase}
    pairs = list(dict.fromkeys((giver, receiver) for giver, receiver, _ in found))
    heads = [Column("who", flexible=True), Column("to whom", flexible=True)]
    heads += [Column(_TITLES.get(name, name), number=True, spare=int(name in _TITLES)) for name in names]
    say(("Deeds in a match that both sat in", "bold"))
    table(
        [*heads, Column("matches", number=True)],
        [
            [
                *(who.label if isinstance(who, Player) else who for who in pair),
                *(_per_match(found[*pair, name], name) for name in names),
                count(found[*pair, names[0]].matches),
            ]
            for pair in pairs
        ],
    )


def _per_match(figure: Figure, name: str) -> str:
    """The sums with their intervals; kinds without, for want of room."""
    return shown(figure.value, None if name in _TITLES else figure.interval, "per match")
