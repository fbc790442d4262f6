"""Plays other engines at random: `python play.py PEER SECONDS SEED`, which `tests.bench.engines` runs.

Prints `{"units": n, "seconds": s}`: how many games or decisions were played in how much time of this process. Nothing
of Parley is imported. Each peer is called as leanly as it allows: its own list of moves, its own step, no drawing, no
copies for looking ahead.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout


def ludo_king_engine() -> Iterator[int]:
    """Games of four: roll, list, move, hand over; without the context that its strategies are given."""
    from ludo_engine.core.game import LudoGame
    from ludo_engine.core.player import PlayerColor

    colours = [PlayerColor.RED, PlayerColor.GREEN, PlayerColor.YELLOW, PlayerColor.BLUE]
    while True:
        game = LudoGame(colours)
        while not game.game_over:
            player = game.players[game.current_player_index]
            die = game.roll_dice()
            again = die == 6 and game.consecutive_sixes < 3
            if moves := game.get_valid_moves(player, die):
                again = game.execute_move(player, random.choice(moves).token_id, die).extra_turn
            if not again:
                game.next_turn()
        yield 1


def ludopy() -> Iterator[int]:
    """Games of four, up to the first winner."""
    import ludopy as peer
    import numpy

    numpy.random.seed(random.randrange(2**32))
    while True:
        game = peer.Game()
        while game.get_winner_of_game() < 0:
            (_, movable, *_), _ = game.get_observation()
            game.answer_observation(random.choice(movable) if len(movable) else -1)
        yield 1


def textarena() -> Iterator[int]:
    """Decisions of its negotiation: an offer of one thing for another, and an answer to each."""
    from textarena.envs.SimpleNegotiation.env import SimpleNegotiationEnv

    goods = ["Wheat", "Wood", "Sheep", "Brick", "Ore"]
    while True:
        env = SimpleNegotiationEnv()
        env.reset(num_players=2, seed=random.randrange(2**32))
        done, steps = False, 0
        while not done:
            state = env.state.game_state
            player, _ = env.get_observation()
            own = state["player_resources"][player]
            offer = f"[Offer: 1 {random.choice([each for each in goods if own[each]])} -> 1 {random.choice(goods)}]"
            pending = state["current_offer"]
            if pending:
                able = all(own[good] >= number for good, number in pending["requested_resources"].items())
                offer = random.choice(["[Accept]", "[Deny]"] if able else ["[Deny]"])
            done, _ = env.step(offer)
            steps += 1
        yield steps


def open_spiel() -> Iterator[int]:
    """Decisions of its Python tic-tac-toe."""
    import pyspiel
    from open_spiel.python.games import tic_tac_toe  # noqa: F401 - registers the game

    game = pyspiel.load_game("python_tic_tac_toe")
    while True:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        yield steps


def catanatron() -> Iterator[int]:
    """Decisions of four of its random players."""
    from catanatron import Color, Game, RandomPlayer

    while True:
        game = Game([RandomPlayer(colour) for colour in Color], seed=random.randrange(1, 2**32))
        steps = 0
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            steps += 1
        yield steps


PEERS: dict[str, Callable[[], Iterator[int]]] = {
    "ludo-king-engine": ludo_king_engine,
    "ludopy": ludopy,
    "textarena": textarena,
    "open_spiel": open_spiel,
    "catanatron": catanatron,
}
"""By the name of the package that is played."""


def main(name: str, seconds: float, seed: int) -> None:
    """Play one game to warm up, then games for so long."""
    random.seed(seed)
    games = PEERS[name]()
    with redirect_stdout(sys.stderr):
        next(games)
        units = 0
        began = time.process_time()
        while (spent := time.process_time() - began) < seconds:
            units += next(games)
    print(json.dumps({"units": units, "seconds": spent}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
