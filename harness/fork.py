"""Play on from any ply of any match, with other players or the same: plans a run of forks, which is then played as any.

A fork's log begins with a copy of its parent's, and its own part is played on the same chance: what was laid out lies
as it lay, and the draws to come are the parent's too, unless they are asked for anew. What players leave to chance
(a bot's choices, the order in which actions are shown) is each fork's own, so that forks by the same players differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from games import GAMES, get_game
from games.chance import draw
from harness.records import OVER, MatchRecord, RunRecord, SeatRecord, Stretch
from harness.replay import frames
from harness.runs import record_id, versions
from harness.schedule import installed_identity, sitter
from harness.spec import Limit, PlayerSpec, Tournament, stored
from harness.spec.base import MAX_MATCHES, MAX_TEXT
from harness.starts import seed_after
from harness.store import Store, owner_shown
from harness.verify import sound

BOT = "bot:"
"""Before a bot's name where a player is wanted."""


class ForkError(ValueError):
    """A fork that cannot be. The text is one line and begins with what is at fault."""


class Point(NamedTuple):
    """A position to play on from: that after a ply of a match (0: its start)."""

    match: MatchRecord
    ply: int


class Plan(NamedTuple):
    """A run of forks, not stored yet."""

    spec: Tournament
    run: RunRecord
    matches: list[MatchRecord]


def point(store: Store, match_id: int, ply: int) -> Point:
    """A ply of a match.

    Raises:
        ForkError: when nobody can play on from there.
    """
    match = _match(store, match_id)
    why = _unfit(match, store.holders()) or _over(store, match, [ply]).get(ply)
    if why is not None:
        raise ForkError(why)
    return Point(match, ply)


def points(
    store: Store, match_ids: Sequence[int], *, ply: int | None = None, kind: str | None = None
) -> tuple[list[Point], list[str]]:
    """In each of these matches, that ply, or the position before each action that led to an event of that kind.

    Also why there is none where somebody could have expected one: of matches that have not come so far, or are played.
    """
    found: list[Point] = []
    left_out: list[str] = []
    holders = store.holders()
    for match_id in match_ids:
        match = _match(store, match_id)
        why = _unfit(match, holders)
        if why is not None:
            left_out.append(why)
            continue
        plies = [ply] if ply is not None else _before(store, match, kind)
        over = _over(store, match, plies)
        found += [Point(match, one) for one in plies if one not in over]
        left_out += over.values()
    return found, left_out


def plan(
    store: Store,
    run: RunRecord,
    starts: Sequence[Point],
    *,
    seats: Mapping[str, str] | None = None,
    players: Sequence[PlayerSpec] = (),
    times: int = 1,
    name: str | None = None,
    about: str = "",
    source: str = "",
    reseed: bool = False,
) -> Plan:
    """The forks of one run from these positions, each `times` times.

    `seats` says who else plays on where: the label of a player of the run's file or of `players`, or `bot:NAME`. The
    run's name is `name`, or made from the parent's and `about`. All that come from matches of one seed, as the
    rotations of one pack are, are one pack; forks of their forks too.

    Raises:
        ForkError: for a seat, a label, a bot, or a name that cannot be.
    """
    parent = stored(run.spec, run.name)
    pool = _pool(parent, players)
    if not 0 < times * len(starts) <= MAX_MATCHES:
        raise ForkError(f"times: {times * len(starts):,} forks; a run has from 1 to {MAX_MATCHES:,} matches")
    tables = [_table(start.match, pool, seats or {}) for start in starts]
    name = _name(store, run.name, name, about)
    spec = _spec(parent, name, pool, {player.label for table in tables for player in table})
    identify = installed_identity()
    now = versions()
    # What begins inside matches of one seed hangs together, wherever it begins: those forks are one pack.
    packs: dict[tuple[int, int], int] = {}
    forks: Counter[int] = Counter()
    matches = []
    for number in range(times * len(starts)):
        index = number % len(starts)
        match, ply = starts[index]
        lineage = _lineage(match, run.name, ply)
        pack = packs.setdefault((match.game_index, lineage[0].seed), len(packs))
        game = get_game(match.game)
        old = seed_after(match, ply)
        matches.append(
            MatchRecord(
                number=number,
                game=match.game,
                game_index=match.game_index,
                options=match.options,
                scenario=match.scenario,
                seed=draw(f"fork seed {old} {name} {number}", 0) >> 11 if reseed else old,
                pack=pack,
                rotation=forks[pack],
                seats=tuple(
                    sitter(player, identify(player, game)).model_copy(update={"seat": seat.seat})
                    for seat, player in zip(match.seats, tables[index], strict=True)
                ),
                start=match.start,
                start_events=match.start_events,
                start_hash=match.start_hash,
                plies=ply,
                versions={**now, "rules": game.version},
                parent_id=match.id,
                parent_ply=ply,
                lineage=lineage,
            )
        )
        forks[pack] += 1
    record = RunRecord(
        name=name, spec=spec.to_json(), source=source, seed=spec.seed, versions=now, created_at=datetime.now(UTC)
    )
    return Plan(spec, record, matches)


def _match(store: Store, match_id: int) -> MatchRecord:
    match = store.match(match_id)
    if match is None:
        raise ForkError(f"match {match_id}: there is none of that number")
    return match


def _unfit(match: MatchRecord, holders: Mapping[int, str]) -> str | None:
    """Why a match cannot be forked anywhere."""
    if match.game not in GAMES:
        return f"match {match.id}: its game, {match.game}, is none here"
    version, logged = get_game(match.game).version, match.versions.get("rules")
    if match.start is None:
        return f"match {match.id}: it has not begun"
    if logged is not None and logged != version:
        return f"match {match.id}: it was played by version {logged} of the rules of {match.game}; here is {version}"
    holder = holders.get(match.run_id or 0)
    if holder is not None and match.status not in OVER:
        return f"match {match.id}: {owner_shown(holder)} is playing it; pause its run first"
    return None


def _before(store: Store, match: MatchRecord, kind: str | None) -> list[int]:
    """The plies before the actions that led to an event of that kind; what the match was given itself is left out."""
    own = (turn for turn in store.turns(record_id(match)) if turn.ply > (match.parent_ply or 0))
    return [turn.ply - 1 for turn in own if any(event["kind"] == kind for event in turn.events)]


def _over(store: Store, match: MatchRecord, plies: Collection[int]) -> dict[int, str]:
    """Which of these plies cannot be played on from, and why."""
    if not plies:
        return {}
    turns = store.turns(record_id(match))
    last = len(turns)
    beyond = {ply: f"ply: match {match.id} has plies 0 to {last}, not {ply}" for ply in plies if not 0 <= ply <= last}
    reached = turns[: max((ply for ply in plies if ply not in beyond), default=0)]
    _, broken = sound(match, reached)
    if broken is not None:
        why = f"match {match.id}: its log does not come out again: {broken.line()}"
        return beyond | {ply: why for ply in plies if ply not in beyond}
    ended = next((frame.ply for frame in frames(match, reached) if frame.to_act is None), None)
    if ended is None:
        return beyond
    over = f"ply: match {match.id} is over at ply {ended}; " + (
        f"it can be forked from ply 0 to {ended - 1}" if ended else "nobody ever was to act"
    )
    return beyond | {ply: over for ply in plies if ply == ended}


def _pool(parent: Tournament, guests: Sequence[PlayerSpec]) -> dict[str, PlayerSpec]:
    """Everybody who can be named, by label."""
    pool = {player.label: player for player in parent.players}
    for guest in guests:
        known = pool.setdefault(guest.label, guest)
        if known != guest:
            raise ForkError(
                f"players: {guest.label!r} is another player in the run {parent.name!r}; give it another label"
            )
    return pool


def _table(match: MatchRecord, pool: dict[str, PlayerSpec], wanted: Mapping[str, str]) -> list[PlayerSpec]:
    """Who plays on from each seat of a match. Bots that are named for the first time are added to the pool."""
    names = [seat.seat for seat in match.seats]
    for seat in wanted:
        if seat not in names:
            raise ForkError(f"seat: match {match.id} ({match.game}) has no seat {seat!r}; it has {', '.join(names)}")
    return [_player(match, seat, wanted.get(seat.seat), pool) for seat in match.seats]


def _player(match: MatchRecord, seat: SeatRecord, wanted: str | None, pool: dict[str, PlayerSpec]) -> PlayerSpec:
    if wanted is None:
        if seat.label not in pool:
            raise ForkError(f"match {match.id}: its player {seat.label!r} is not in its run's file")
        return pool[seat.label]
    bots = get_game(match.game).bots
    player = pool.get(wanted)
    if player is None and wanted.startswith(BOT):
        player = _bot(wanted.removeprefix(BOT), pool)
    if player is None:
        raise ForkError(
            f"seat {seat.seat}: no player has the label {wanted!r}; there are {', '.join(pool)}, "
            f"and {', '.join(BOT + bot for bot in bots)}"
        )
    if player.bot is not None and player.bot not in bots:
        raise ForkError(f"seat {seat.seat}: {match.game} has no bot {player.bot!r}; it has {', '.join(bots)}")
    return pool.setdefault(player.label, player)


def _bot(name: str, pool: Mapping[str, PlayerSpec]) -> PlayerSpec | None:
    """A bot by its name: as the run's file has it, else under its own name, or with `bot:` where that is taken."""
    known = next((player for player in pool.values() if player.bot == name), None)
    if known is not None or not name.strip():
        return known
    return PlayerSpec(label=name if name not in pool else BOT + name, bot=name)


def _name(store: Store, parent: str, wanted: str | None, about: str) -> str:
    if wanted is not None:
        if store.run(wanted) is not None:
            raise ForkError(f"name: there is a run {wanted!r} already; `parley resume` goes on with it")
        return wanted
    base = "-".join(part for part in (parent, "fork", about) if part)
    base = base if len(base) < MAX_TEXT - 8 else f"{base[: MAX_TEXT - 9]}…"
    number, name = 1, base
    while store.run(name) is not None:
        number += 1
        name = f"{base}-{number}"
    return name


def _spec(parent: Tournament, name: str, pool: Mapping[str, PlayerSpec], sitting: Collection[str]) -> Tournament:
    """The parent's settings for those who play on."""
    players = tuple(player for player in pool.values() if player.label in sitting)
    budget = parent.budget
    if budget is not None:
        own = {label: part for label, part in budget.per_player.items() if label in sitting}
        budget = budget.model_copy(update={"per_player": own})
    return parent.model_copy(
        update={
            "matches": None,
            "line_ups": "auto",
            "replicates": 1,
            "until": None,
            "added": (),
            "players": players,
            "games": tuple(entry.model_copy(update={"players": None}) for entry in parent.games),
            "limits": _limits(parent.limits, players),
            "budget": budget,
        }
    ).with_overrides(name=name)


def _limits(limits: Mapping[str, Limit], players: Iterable[PlayerSpec]) -> dict[str, Limit]:
    """The limits that still concern anybody."""
    models = [player for player in players if player.kind == "model"]
    known = {name for player in models for name in (player.model, player.provider, player.label)}
    unnamed = any(player.provider is None for player in models)
    return {key: limit for key, limit in limits.items() if key in known or (unnamed and "/" not in key)}


def _lineage(parent: MatchRecord, run: str, ply: int) -> tuple[Stretch, ...]:
    """The stretches of the log of a fork of that match at that ply."""
    earlier = [stretch for stretch in parent.lineage if stretch.until <= ply]
    if earlier and earlier[-1].until == ply:
        return tuple(earlier)
    cut = next((stretch for stretch in parent.lineage if stretch.until > ply), None)
    if cut is not None:
        return (*earlier, cut.model_copy(update={"until": ply}))
    own = Stretch(
        until=ply,
        match_id=record_id(parent),
        run=run,
        number=parent.number,
        seed=parent.seed,
        seats=parent.seats,
    )
    return (*earlier, own)
