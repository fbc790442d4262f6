"""What a seat sees: the whole table. Only the dice to come are hidden, and they lie in nothing that is shown."""

from __future__ import annotations

from games.api import Json, Seat
from games.star_ludo.board import PAWN_OF, STARS, TABLES, TARGETS, square_of
from games.star_ludo.state import NAME, State, shown


def view(state: State, seat: Seat | None) -> Json:
    """The position without `chance`, with `you` (null for the spectator) and what each legal move would do.

    `moves` has one record for each legal action, in the same order: `pawn`, `from` and `to` (places), `square` (the
    ring square reached, null off the ring), `star` (whether that is a star), `captures` (`seat` and `pawn`, or null).
    """
    return {"game": NAME, "options": state.options._asdict(), **shown(state), "moves": _moves(state), "you": seat}


def _moves(state: State) -> list[Json]:
    if state.to_act is None:
        return []
    moves: list[Json] = []
    for action in state.legal:
        pawn = PAWN_OF[action]
        place = state.pawns[state.to_act][pawn]
        target = TARGETS[state.dice[state.die]][place]
        square = square_of(state.seats[state.to_act], target)
        moves.append(
            {
                "pawn": pawn + 1,
                "from": place,
                "to": target,
                "square": square,
                "star": square is not None and target in STARS,
                "captures": _captured(state, state.to_act, target),
            }
        )
    return moves


def _captured(state: State, mover: int, target: int) -> Json | None:
    for other, spot in TABLES[len(state.seats)].victims[mover][target]:
        if spot in state.pawns[other]:
            return {"seat": state.seats[other], "pawn": state.pawns[other].index(spot) + 1}
    return None
