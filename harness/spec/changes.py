"""What differs between a run and the file it is asked to go on with, and whom that file adds."""

from __future__ import annotations

from typing import Any, NamedTuple

import games
from harness.spec.faults import FieldError, listing, path_text, shown
from harness.spec.models import Tournament
from harness.spec.tables import packs_wanted, seats_at

MAY_CHANGE = ("matches", "parallel", "limits", "budget")
"""Keys that a run may be gone on with in another form; `matches` only upwards."""
OF_THE_RUN = ("added",)
"""Keys that the run itself writes, so that a file need not have them."""


class Change(NamedTuple):
    """A file as the run that is there takes it."""

    spec: Tournament
    """The file's, with what the run itself wrote; players in the run's order, and those who are new at the end."""
    joining: tuple[str, ...]
    """Labels of players whom the run has not had so far."""
    differences: list[str]
    """Why the run cannot go on so: one line for each key that differs; empty if it can."""


def going_on(old: Tournament, new: Tournament) -> Change:
    """What a run of `old` would go on with, given the file `new`."""
    here = [player.label for player in old.players]
    joining = tuple(player.label for player in new.players if player.label not in here)
    lasting = _without(_ordered(old, new), joining).model_copy(update={"added": old.added})
    found = differences(old, lasting)
    if new.added not in ((), old.added):
        found.append("added: other players than the run has added; leave the key out")
    if found:
        if joining:
            # Seats that the file leaves out are as many as the players allow, and these have become more.
            found = [
                f"{line} (to keep them, write them into the file)" if ".seats: " in line else line for line in found
            ]
        return Change(new, joining, found)
    if joining and old.until is not None:
        return Change(new, joining, [f"until: it is decided from packs as they were planned, without {joining[0]}"])
    return Change(_joined(old, _ordered(old, new), joining), joining, [])


def differences(old: Tournament, new: Tournament) -> list[str]:
    """Why a run of `old` cannot go on as `new`: one line for each key that differs; empty if it can.

    Both are compared with every default filled in, so that writing a default out is no difference.
    """
    found: list[str] = []
    before, after = _comparable(old), _comparable(new)
    for key in before:
        if key not in MAY_CHANGE:
            _compare((key,), before[key], after[key], found)
    gone = [player.label for player in old.players if player.label not in {player.label for player in new.players}]
    if gone and len(old.players) != len(new.players):
        found = [f"{line} (without {listing(gone)})" if line.startswith("players: ") else line for line in found]
    if not found:
        found.extend(_fewer(old, new))
    return found


def _comparable(spec: Tournament) -> dict[str, Any]:
    plain = {key: value for key, value in spec.to_json().items() if key not in OF_THE_RUN}
    if plain["until"] is not None:
        plain["until"].pop("ready")
    return plain


def _ordered(old: Tournament, new: Tournament) -> Tournament:
    """The file with players who were added before where the run has them: they may stand anywhere in a file."""
    late = {label for stage in old.added for label in stage.players}
    order = {player.label: place for place, player in enumerate(old.players)}
    first = [player for player in new.players if player.label in order and player.label not in late]
    added = sorted((one for one in new.players if one.label in late), key=lambda one: order[one.label])
    rest = [player for player in new.players if player.label not in order]
    entries = []
    for index, entry in enumerate(new.games):
        before = old.games[index].players if index < len(old.games) else None
        named = entry.players
        if named is not None and before is not None and set(before) <= set(named):
            named = (*before, *(label for label in named if label not in before))
        entries.append(entry.model_copy(update={"players": named}))
    return new.model_copy(update={"players": (*first, *added, *rest), "games": tuple(entries)})


def _without(spec: Tournament, joining: tuple[str, ...]) -> Tournament:
    """The file less those who are new."""
    entries = []
    for entry in spec.games:
        named = entry.players
        if named is not None:
            named = tuple(label for label in named if label not in joining)
        entries.append(entry.model_copy(update={"players": named}))
    players = tuple(player for player in spec.players if player.label not in joining)
    return spec.model_copy(update={"players": players, "games": tuple(entries)})


def _joined(old: Tournament, spec: Tournament, joining: tuple[str, ...]) -> Tournament:
    """The file with what the run wrote itself."""
    plain = spec.to_json()
    plain["added"] = old.to_json()["added"]
    if joining:
        plain["added"].append({"players": list(joining), "after": old.matches})
    if old.until is not None:
        plain["until"] = old.to_json()["until"]
    return Tournament.model_validate(plain)


def _fewer(old: Tournament, new: Tournament) -> list[str]:
    if old.until is not None or all(then <= now for then, now in zip(_packs(old), _packs(new), strict=True)):
        return []
    return [f"matches: {shown(old.matches)} in the run, {shown(new.matches)} now; it may be raised, not lowered"]


def _packs(spec: Tournament) -> list[int]:
    """Packs of each game."""
    counts = []
    for entry in spec.games:
        try:
            seats = seats_at(spec, entry, games.get_game(entry.game))
            counts.append(packs_wanted(spec, entry, seats, spec.matches))
        except (FieldError, KeyError):
            counts.append(spec.matches or 1)
    return counts


def _compare(path: tuple[str | int, ...], old: Any, new: Any, found: list[str]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _compare((*path, key), old.get(key), new.get(key), found)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            _compare((*path, index), one, other, found)
    elif isinstance(old, list) and isinstance(new, list):
        found.append(f"{path_text(path)}: {len(old)} in the run, {len(new)} now")
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        found.append(f"{path_text(path)}: {shown(old)} in the run, {shown(new)} now")
