"""Tables: how many seats a game is played with here, and how its matches are packed."""

from __future__ import annotations

from math import comb, factorial

from games.api import Game
from harness.spec.base import MAX_MATCHES
from harness.spec.faults import FieldError, path_text, shown
from harness.spec.models import GameEntry, Tournament
from harness.spec.players import PlayerSpec
from harness.spec.scheduling import Gauntlet, Until

MAX_PACK = 5040
"""`balanced` is refused for tables whose orders are more than this (eight seats)."""
MOST_LINE_UPS = 2000
"""`all` is refused where there are more line-ups than this."""


def pool(spec: Tournament, entry: GameEntry) -> tuple[PlayerSpec, ...]:
    """Who plays this entry of `games`, in the file's order."""
    return tuple(player for player in spec.players if entry.players is None or player.label in entry.players)


def baselines(spec: Tournament, entry: GameEntry) -> tuple[PlayerSpec, ...]:
    """The baselines of a gauntlet among those who play this entry; nobody without a gauntlet."""
    named = spec.line_ups.gauntlet if isinstance(spec.line_ups, Gauntlet) else ()
    return tuple(player for player in pool(spec, entry) if player.label in named)


def founders(spec: Tournament, entry: GameEntry) -> tuple[PlayerSpec, ...]:
    """Those who play this entry since the run began."""
    late = {label for stage in spec.added for label in stage.players}
    return tuple(player for player in pool(spec, entry) if player.label not in late)


def seats_at(spec: Tournament, entry: GameEntry, game: Game) -> int:
    """How many seats a table of this entry has: as the file says, else the most that the game and the players allow.

    Raises `FieldError`.
    """
    players = len(founders(spec, entry))
    most, few = players, ""
    if spec.line_ups == "self_play":
        most = max(game.players)
    elif isinstance(spec.line_ups, Gauntlet):
        beside = len(baselines(spec, entry))
        if players == beside:
            raise FieldError("line_ups.gauntlet", f"only baselines play {game.name}; it needs a challenger")
        most = min(players, beside + 1)
        few = f" and {beside} of them baseline{'' if beside == 1 else 's'}"
    counts = ", ".join(str(number) for number in game.players)
    where = "line_ups.gauntlet" if few and most < players else "players"
    if entry.seats is None:
        fitting = [number for number in game.players if number <= most]
        if not fitting:
            raise FieldError(where, f"{_many(players)}{few}; {game.name} needs at least {game.players[0]}")
        return max(fitting)
    if entry.seats not in game.players:
        raise FieldError("seats", f"{entry.seats} is not allowed; {game.name} is played with {counts}")
    if entry.seats > most and few and most < players:
        raise FieldError(
            where, f"{_many(most - 1, 'baseline')} for the {entry.seats - 1} other seats at a table of {game.name}"
        )
    if entry.seats > most:
        raise FieldError(where, f"{_many(players)}, fewer than the {entry.seats} seats of {game.name}")
    return entry.seats


def _many(number: int, what: str = "player") -> str:
    return f"only 1 {what}" if number == 1 else f"only {number} {what}s"


def pack_size(spec: Tournament, entry: GameEntry, seats: int) -> int:
    """How many matches a pack has for those who play since the run began: those that are played on one match seed.

    Raises `FieldError` for what is too large.
    """
    orders = 1
    if spec.seating == "rotate":
        orders = seats
    elif spec.seating == "balanced":
        orders = factorial(seats)
        if orders > MAX_PACK:
            raise FieldError("seating", f"balanced plays all {orders:,} orders of {seats} seats; use rotate")
    who = 1
    if spec.line_ups == "self_play":
        orders, who = 1, len(founders(spec, entry))
    elif isinstance(spec.line_ups, Gauntlet):
        who = len(founders(spec, entry)) - len(baselines(spec, entry))
    size = orders * who * spec.replicates
    if size > MAX_MATCHES:
        what = "replicates" if spec.replicates > 1 else "seating"
        raise FieldError(what, f"one pack has {size:,} matches; at most {MAX_MATCHES:,} are played")
    return size


def packs_wanted(spec: Tournament, entry: GameEntry, seats: int, matches: int | None) -> int:
    """How many packs so many matches are; with None one, or where `line_ups` is `all` one of each line-up.

    Raises `FieldError` for what is too large.
    """
    size = pack_size(spec, entry, seats)
    rounds = 1
    if spec.line_ups == "all":
        rounds = comb(len(founders(spec, entry)), seats)
        now = comb(len(pool(spec, entry)), seats)
        if now > MOST_LINE_UPS:
            raise FieldError(
                "line_ups",
                f"all is {now:,} line-ups of {seats} out of {len(pool(spec, entry))} players; "
                f"at most {MOST_LINE_UPS:,} are gone through; use sampled",
            )
        if matches is None and rounds * size > MAX_MATCHES:
            raise FieldError(
                "line_ups",
                f"all is {rounds:,} line-ups in packs of {size:,}, {rounds * size:,} matches; "
                f"at most {MAX_MATCHES:,} are played; give matches or use sampled",
            )
    if spec.until is not None:
        matches = spec.until.at_most
    return rounds if matches is None else -(-matches // size)


def check_until(spec: Tournament, until: Until, index: int, game: Game, seats: int) -> None:
    """See that a game can tell the two apart at all. Raises `FieldError`."""
    from harness.ratings.packs import LEAST_PACKS

    entry = spec.games[index]
    playing = [player.label for player in pool(spec, entry)]
    for place, label in enumerate(until.apart):
        if label not in playing:
            where = path_text(("until", "apart", place))
            raise FieldError(where, f"{shown(label)} does not play games[{index}] ({game.name}); name it there")
    size, packs = pack_size(spec, entry, seats), packs_wanted(spec, entry, seats, None)
    if packs < LEAST_PACKS:
        raise FieldError(
            "until.at_most",
            f"{until.at_most} is {packs} pack{'' if packs == 1 else 's'} of {size} {game.name} matches; to tell two "
            f"players apart takes at least {LEAST_PACKS} packs ({LEAST_PACKS * size:,} matches)",
        )
    # Where not everybody is in every pack, so many packs are needed with each of the two.
    beside = [player.label for player in baselines(spec, entry)]
    for label in until.apart:
        there = packs * seats // len(playing)
        if beside:
            there = packs * (seats - 1) // len(beside) if label in beside else packs
        if there < LEAST_PACKS:
            raise FieldError(
                "until.at_most",
                f"{until.at_most} is {packs} packs of {size} {game.name} matches, with {shown(label)} in about {there} "
                f"of them; to tell two players apart takes at least {LEAST_PACKS} packs with each",
            )
