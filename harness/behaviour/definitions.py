"""The page of definitions, made from the docstrings: `python -m harness.behaviour.definitions > docs/behaviour.md`."""

from __future__ import annotations

import sys
from inspect import getdoc
from types import ModuleType

from games import GAMES, get_game
from harness import pledges
from harness.behaviour import alliances, bootstrap, deeds, ledger, tables
from harness.behaviour.registry import Measure, all_measures

_HEAD = """\
# Behaviour: what is measured, and how

<!-- Made by `python -m harness.behaviour.definitions`; the words stand in the docstrings. -->

`parley behaviour RUN` prints every measure by player, `parley behaviour RUN --measure NAME` one with all that it is
broken down by, `parley behaviour RUN --alliances` who helped and who hurt whom, `parley pledges RUN` what became of
every pledge. All take `--json`. Every figure is made anew from the log. A measure does not know games: it goes by kinds
of events, and is shown wherever it finds any.
"""
_OWN = """\
## A measure of your own

One function in a file; `harness.behaviour.registry.from_file` reads it, and tables and charts pick it up:

```python
from harness.behaviour.registry import Tally, measure


@measure("Turns", unit="per match")
def turns(match):
    \"\"\"How many actions the player plays in a match, in all of its matches.\"\"\"
    for seat in match.seats:
        yield Tally(seat, None, sum(turn.seat == seat for turn in match.turns), 1)
```

`match` is a `harness.behaviour.log.Played`: its `turns`, `messages`, `stats` (sums of calls by seat), what `happened`
of the kinds that the measure names in `events` or `reads`, and its `pledges`, judged.
"""


def page() -> str:
    """The whole page as Markdown."""
    known = [one for one in all_measures().values() if one.function.__module__.startswith(__package__ or "")]
    listed = ["| measure | in | broken down by | where there are |", "| --- | --- | --- | --- |"]
    listed += [_line(measure) for measure in known]
    parts = [
        _HEAD,
        f"## What enters a figure\n\n{_body(tables)}\n",
        f"## Intervals\n\n{_body(bootstrap)}\n",
        "## The measures\n\n" + "\n".join(listed) + "\n",
        *(f"### `{measure.name}`: {measure.title}\n\n{measure.definition}\n" for measure in known),
        f"## Verdicts on pledges\n\n{_body(pledges)}\n",
        "Kinds of pledges, worded from the maker's side:\n\n" + "\n".join(_kinds()) + "\n",
        f"## The ledger\n\n{_body(ledger)}\n",
        f"## Alliances\n\n{_body(alliances)}\n",
        "\n".join(_acts()) + "\n",
        _OWN,
    ]
    return "\n".join(parts)


def _line(measure: Measure) -> str:
    events = ", ".join(f"`{kind}`" for kind in sorted(measure.events)) or "any"
    anchor = f"{measure.name}-{measure.title.lower().replace(' ', '-')}"
    return f"| [{measure.title}](#{anchor}) | {measure.unit} | {measure.by or '–'} | {events} |"


def _body(module: ModuleType) -> str:
    return getdoc(module) or ""


def _acts() -> list[str]:
    rows = ["| deed | counts as | when |", "| --- | --- | --- |"]
    return rows + [
        f"| {act.title} | {act.sense}{'' if act.summed else ', in no sum'} | {act.definition} |" for act in deeds.ACTS
    ]


def _kinds() -> list[str]:
    rows = ["| game | kind | what it says |", "| --- | --- | --- |"]
    for name in GAMES:
        rows += [f"| {name} | `{kind}` | {one.meaning} |" for kind, one in get_game(name).pledges.items()]
    return rows


if __name__ == "__main__":
    sys.stdout.write(page())
