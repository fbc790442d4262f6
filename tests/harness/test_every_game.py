"""Every game through the whole harness: bots at many tables at once, logged, verified, within the rulebook's bound."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from games import GAMES, get_game
from games.chance import Draws
from harness.prompt import event_text, rules_text, view_text
from harness.spec import parse
from harness.store import Store
from harness.tournament import run
from harness.verify import verify
from tests.harness.watching import Watching


async def play(name: str, bots: list[str], matches: int, database: Path) -> None:
    """Play so many matches of a game between these bots, eight at once, and check every log."""
    game = get_game(name)
    seats = game.players[-1]
    labels = [f"{{label: {bot}-{copy}, bot: {bot}}}" for copy in range(seats) for bot in bots]
    text = (
        f"name: {name}-bots\nmatches: {matches}\nparallel: 8\ngames: [{{game: {name}}}]\n"
        f"players: [{', '.join(labels)}]\nretries: 0\non_illegal: forfeit\n"
    )
    with Store.open(str(database)) as store:
        result = await run(parse(text, "bots.yaml"), store, progress=Watching())
        assert result.status == "finished"
        assert result.played >= matches
        for match in store.matches(result.run_id, with_start=True):
            assert match.id is not None
            assert match.outcome is not None
            assert match.outcome["reason"] != "forfeit", "a bot answered with what is not legal"
            options = game.Options.model_validate(match.options)
            assert 0 < match.plies <= game.longest(tuple(seat.seat for seat in match.seats), options)
            assert verify(match, store.turns(match.id)) is None


@pytest.mark.parametrize("name", GAMES)
async def test_every_bot_of_a_game_plays_through_the_harness(name: str, tmp_path: Path) -> None:
    await play(name, sorted(get_game(name).bots), get_game(name).players[-1], tmp_path / "parley.db")


@pytest.mark.parametrize("name", GAMES)
def test_every_rule_view_and_event_of_a_game_has_words(name: str) -> None:
    """Rules render under all options to try; every view and event of a random match renders."""
    game = get_game(name)
    variants = import_module(f"tests.games.{name}.laws").OPTIONS
    for number in game.players:
        seats = game.seats(number)
        for given in variants:
            options = game.Options.model_validate(given)
            assert len(rules_text(name, seats, options.model_dump(mode="json"))) > 200
        state, events = game.start(seats, game.Options.model_validate(variants[0]), number)
        draws = Draws(f"words:{name}:{number}")
        while True:
            assert all(isinstance(event_text(name, event), str) for event in events)
            assert all(view_text(name, game.view(state, seat)).strip() for seat in (None, *seats))
            if game.to_act(state) is None:
                break
            state, events = game.apply(state, draws.choice(game.legal(state)))


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
async def test_five_hundred_matches_in_parallel(name: str, tmp_path: Path) -> None:
    await play(name, sorted(get_game(name).bots), 500, tmp_path / "parley.db")
