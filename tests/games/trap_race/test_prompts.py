"""How the game is told to players: rules, board, events, legal actions, and the schema of an answer."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import pytest

from games.api import Event, Json
from games.chance import Draws
from harness.answer_schema import PLAN_ITEMS, answer_schema
from harness.observation import Memory, Record, observe, shown_order
from harness.prompt import ENUM_ITEMS, Context, event_text, render, view_text
from harness.reply import Completion, read
from harness.spec import Interface, Talk
from tests.games.trap_race.build import GAME, SEATS, box, found, play, position, tokens

START = GAME.dump(GAME.start(SEATS, {}, 2).state)


def asked(where: Json, seat: str | None = None, options: Json | None = None, **interface: Any) -> tuple[Any, Any, Any]:
    """The observation of the seat to act, its prompt and its schema."""
    state = GAME.load(where)
    seat = seat or GAME.to_act(state) or "south"
    seen = observe(GAME, state, seat, SEATS, Record(), Memory(), asked="act", talk=None, pledges=False)
    order = shown_order("order", seen.legal)
    whole = GAME.Options.model_validate(options or {}).model_dump()
    context = Context(GAME.name, seat, SEATS, whole, None, Interface(**interface), Talk(messages=0), "off", {})
    return seen, render(seen, order, context, (), ()), answer_schema(seen, order, context, bounded=True)


def rules(**options: Any) -> str:
    return str(asked(position(), options=options)[1][0].text)


def shown_board(text: str) -> dict[str, str]:
    """The board of a view's text, tile by tile, checked against its labels."""
    lines = text.splitlines()
    tens, units = (line for line in lines if re.fullmatch(r" +[0-9 ]+", line))
    columns = [int(f"{one}{two}") for one, two in zip(tens[3:].rjust(30), units[3:], strict=True)]
    assert columns == list(range(30))
    rows = [re.fullmatch(r"([ 0-9][0-9]) (\S{30}) (\d+)", line) for line in lines]
    found_rows = [row for row in rows if row]
    assert [int(row[1]) for row in found_rows] == list(range(30, -1, -1))
    assert all(int(row[1]) == int(row[3]) for row in found_rows)
    return {f"{int(row[1])},{column}": row[2][column] for row in found_rows for column in range(30)}


def test_the_board_has_labels_and_shows_everything_where_it_is():
    where = position(
        {1: "20,20", 2: "12,21"}, {3: "9,9"}, terrain={"13,3": "f", "14,3": "w"},
        north_traps={"18,12": "live", "19,12": "spent", "21,13": "live"},
        south_traps={"9,3": "live", "15,4": "live"}, known={"south": ["21,13"], "north": []},
        boxes=box("sense", opened=True), marks=[{"tile": "8,8", "until": "south"}],
    )  # fmt: skip
    state = GAME.load(where)
    tiles = shown_board(view_text("trap_race", GAME.view(state, "south")))
    marks = {
        "20,20": "S", "12,21": "S", "9,9": "N", "13,3": "f", "14,3": "w", "18,12": ".", "19,12": "x", "21,13": "n",
        "9,3": "s", "15,4": "s", "8,25": "?", "22,4": "o", "8,8": "*", "12,20": ".",
    }  # fmt: skip
    assert {tile: tiles[tile] for tile in marks} == marks
    for seat, letter in (("south", "S"), ("north", "N")):
        assert {tile for tile, sign in tiles.items() if sign == letter} == set(where["pieces"][seat].values())
    other = shown_board(view_text("trap_race", GAME.view(state, "north")))
    assert (other["18,12"], other["9,3"], other["21,13"]) == ("n", ".", "n")
    spectator = shown_board(view_text("trap_race", GAME.view(state, None)))
    assert (spectator["18,12"], spectator["9,3"], spectator["12,20"]) == ("n", "s", "p")


def test_traps_of_both_on_one_tile_have_a_sign_of_their_own():
    where = position(south_traps={"15,4": "live"}, north_traps={"15,4": "live"}, known={"south": ["15,4"], "north": []})
    assert shown_board(view_text("trap_race", GAME.view(GAME.load(where), "south")))["15,4"] == "&"
    assert shown_board(view_text("trap_race", GAME.view(GAME.load(where), "north")))["15,4"] == "n"


def test_every_sign_is_in_the_legend():
    text = view_text("trap_race", GAME.view(GAME.load(position()), "south"))
    for sign in ("S and N:", "s and n:", "&:", "x:", "?:", "o:", "*:", ". plains", "f forest", "w water"):
        assert sign in text


def test_pieces_are_told_with_their_distance_and_what_they_have():
    where = position(
        {1: "20,20", 2: "12,21"}, {3: "9,9"}, pool=5, spent={"1": 2}, bonus={"2": 1}, sense=["2"],
        bridge={"south": ["2"], "north": ["3"]}, tokens=tokens(1, 0, coming=(1, 0)),
    )  # fmt: skip
    text = view_text("trap_race", GAME.view(GAME.load(where), "south"))
    assert "1 at 20,20 (10; spent 2)" in text
    assert "2 at 12,21 (18; 1 extra; bridge; senses traps)" in text
    assert "3 at 9,9 (9; bridge)" in text
    assert "south (you), goal row 30: 0 of 5 points, 0 pieces gone, tokens 1 and 1 from its next turn" in text
    assert "Turn 12 of at most 200: south (you) moves, 5 of 10 points left." in text


def test_the_pickup_and_the_power_are_told_to_who_may_know():
    where = position({1: "12,20"}, pickup=found("terraform"), power="terraform")
    state = GAME.load(where)
    own, other = (view_text("trap_race", GAME.view(state, seat)) for seat in SEATS)
    assert "Pickup: found at 12,20. In hand: terraform, for this turn only." in own
    assert "Pickup: found at 12,20." in other
    assert "In hand" not in other
    assert "Pickup: not found yet." in view_text("trap_race", GAME.view(GAME.load(position()), "south"))


def test_the_setup_tells_how_far_it_is_and_nothing_of_the_other():
    half, _ = play(START, "auto", "piece 29,3", "trap 20,0")
    state = GAME.load(half)
    assert "Placed so far: 1 of 15 pieces, 1 of 10 traps." in view_text("trap_race", GAME.view(state, "north"))
    for seat in SEATS:
        text = view_text("trap_race", GAME.view(state, seat))
        assert text.count("not to be seen yet") == 1


def test_the_end_shows_all():
    where, _ = play(position(options={"cap": 12}), "end")
    for seat in (*SEATS, None):
        text = view_text("trap_race", GAME.view(GAME.load(where), seat))
        assert "The match is over, in turn 12 of at most 12." in text
        assert "Pickup: at 12,20, not found (terraform)." in text
        assert "Box at 8,25, for north: closed, bridge." in text


def test_different_views_have_different_texts():
    seen: dict[str, str] = {}
    draws = Draws("texts")
    for name in GAME.scenarios:
        state = GAME.load(GAME.scenarios[name](SEATS, {}, 5))
        for _ in range(60):
            if GAME.to_act(state) is None:
                break
            for seat in SEATS:
                view = GAME.view(state, seat)
                # Looks only, and what every prompt tells already in its rules.
                told = json.dumps({key: value for key, value in view.items() if key not in ("biome", "options")})
                assert seen.setdefault(view_text("trap_race", view) + name, told) == told
            state = GAME.apply(state, draws.choice(GAME.legal(state))).state


def test_legal_moves_are_grouped_by_piece():
    where = position({7: "20,20"}, {3: "20,21", 12: "19,20"}, left=(1, 15), score=(4, 0), tokens=tokens(1))
    text = asked(where)[1][-1].text
    listed = text.partition("Your legal actions, in no particular order:\n")[2].splitlines()
    assert sorted(listed[0].removeprefix("- piece 7 at 20,20: ").split(", ")) == ["move 7 north", "move 7 west"]
    assert sorted(listed[1:]) == ["- end", "- nerf 12", "- nerf 3"]


def test_every_legal_action_is_told_and_fits_the_schema():
    for where in (position({1: "10,10"}), START, position({1: "12,20"}, pickup=found("trap"), power="trap")):
        seen, prompt, schema = asked(where)
        items = schema["properties"]["actions"]["items"]
        if len(seen.legal) <= ENUM_ITEMS:
            assert set(items["enum"]) == set(seen.legal)
            assert all(action in prompt[-1].text for action in seen.legal)
        else:
            pattern = re.compile(items["pattern"])
            assert all(pattern.search(action) for action in seen.legal)
            others = [
                f"{verb} {row},{column}"
                for verb, row, column in product(("trap", "piece", "terraform"), range(32), range(31))
            ]
            assert [text for text in others if pattern.search(text) and text not in seen.legal] == []
            assert "ROW,COLUMN, where ROW,COLUMN is one of: row" in prompt[-1].text
            assert len(prompt[-1].text) < 6000


def test_a_plan_is_asked_for_and_can_be_read_whole():
    seen, prompt, schema = asked(position({1: "10,10"}))
    assert 'your whole turn in order, "end" last' in prompt[0].text
    assert schema["properties"]["actions"]["maxItems"] == PLAN_ITEMS > 1
    answer = json.dumps({"actions": ["move 1 north", "move 1 north", "end"]})
    reading = read(Completion(answer, finish_reason="stop"), seen)
    assert reading.reply
    assert reading.reply.actions == ("move 1 north", "move 1 north", "end")


EVENTS = (
    Event("terrain", "all", {}),
    Event("piece", ("south",), {"seat": "south", "piece": "3", "tile": "1,2"}),
    Event("trap", ("south",), {"seat": "south", "tile": "1,2"}),
    Event("setup_done", "all", {"seat": "south"}),
    Event("begin", "all", {"seat": "south"}),
    Event("move", "all", {"seat": "south", "piece": "3", "from": "1,2", "to": "2,2", "cost": 1}),
    Event("sprung", "all", {"seat": "south", "piece": "3", "tile": "2,2"}),
    *(
        Event("box", "all", {"seat": "south", "piece": "3", "tile": "2,2", "holds": holds})
        for holds in ("steps", "bridge", "sense", "booby")
    ),
    Event("found", "all", {"seat": "south", "tile": "2,2"}),
    *(Event("power", ("south",), {"seat": "south", "holds": holds}) for holds in ("trap", "terraform")),
    Event("sensed", ("south",), {"tiles": ["2,2", "3,1"]}),
    Event("score", "all", {"seat": "south", "piece": "3", "points": 1}),
    Event("nerf", "all", {"seat": "south", "of": "north", "piece": "3", "tile": "2,2"}),
    Event("terraform", "all", {"seat": "south", "tile": "2,2"}),
    Event("trap_used", "all", {"seat": "south"}),
    Event("drowned", "all", {"seat": "south", "piece": "3", "tile": "2,2"}),
    Event("end", "all", {"seat": "south"}),
    *(Event("win", "all", {"seat": "south", "how": how}) for how in ("five", "attrition", "cap")),
    Event("draw", "all", {}),
)


def test_every_event_has_words_of_its_own_that_hold_all_its_fields():
    texts = [event_text("trap_race", event) for event in EVENTS]
    assert len(set(texts)) == len(texts)
    for event, text in zip(EVENTS, texts, strict=True):
        assert "=" not in text
        assert "\n" not in text
        for key in ("seat", "piece", "tile", "from", "to", "of", "points", "cost"):
            assert key not in event.fields or str(event.fields[key]) in text, (event, text)
        assert all(tile in text for tile in event.fields.get("tiles", ()))


def test_the_reveal_is_told_on_one_line():
    _, events = play(position(options={"cap": 12}), "end")
    record = {key: value for key, value in events[-1].items() if key not in ("kind", "audience")}
    text = event_text("trap_race", Event("reveal", "all", record))
    assert "\n" not in text
    for tile in (*record["traps"]["south"], *record["traps"]["north"], "12,20", "8,25", "22,4"):
        assert tile in text


@pytest.mark.parametrize("form", ["piece R,C", "trap R,C", "auto", "move N north", "nerf N", "terraform R,C", "end"])
def test_every_form_of_action_is_in_the_rules(form):
    assert f"`{form}`" in rules()


def test_the_rules_state_the_options_in_force():
    assert "After turn 200" in rules()
    assert "After turn 20," in rules(cap=20)
    assert "living and scored pieces together are fewer than 5" in rules()
    assert "its living pieces are fewer than 5" in rules(attrition="alive")


def test_the_rules_name_no_way_to_play():
    words = rules().lower()
    assert not [word for word in ("should", "strategy", "best to", "advice", "betray") if word in words]


def test_a_cutthroat_run_has_its_own_mood():
    neutral = asked(position())[1][0].parts
    sharp = asked(position(), framing="cutthroat")[1][0].parts
    assert set(neutral) < set(sharp)
    assert "The mood on this board" in "".join(sharp)


def test_the_whole_first_prompt_is_short():
    for where in (START, GAME.scenarios["opening"](SEATS, {}, 3)):
        assert sum(len(message.text) for message in asked(where)[1]) < 10_000
