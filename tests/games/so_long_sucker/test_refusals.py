from __future__ import annotations

import pytest

from games.api import IllegalAction, UnreadableAction
from tests.games.so_long_sucker.build import GAME, play, position

HANDS = {"red": "rry", "blue": "bb", "green": "gg", "yellow": "yy"}
PLAY = position(HANDS, ["b", "g"])
KILL = position(HANDS, ["b"], phase="kill", captured="grr")
KILL_BY_BLUE = position(HANDS, ["y"], phase="kill", to_act="blue", captured="gbb", options={"captor": "owner"})
NEXT = position(HANDS, ["br"], phase="next", last_pile=1)
NEXT_OF_PILE = position(HANDS, ["br", "g"], phase="next", last_pile=1, options={"choice": "pile"})
NEXT_OF_THREE = position({**HANDS, "blue": ""}, ["br"], phase="next", last_pile=1, out=["blue"])
ASK = position({"blue": "b", "green": "g"}, ["rgb"], phase="ask", asked=["green"])
ASK_OF_THREE = position({"green": "g", "yellow": "y"}, ["rgb"], phase="ask", out=["blue"])
ANSWER = position({"blue": "bg", "green": "g", "yellow": "y"}, ["rgb"], phase="answer", to_act="blue", asked=["blue"])
ANSWER_PRISONERS = {**ANSWER, "options": {**ANSWER["options"], "donors": "prisoners"}}
OVER = {
    **position({"red": "r"}, ["b"], out=["yellow", "green", "blue"]), "phase": "over", "mover": None, "to_act": None,
}  # fmt: skip


def refusal(where, action):
    state = GAME.load(where)
    with pytest.raises(IllegalAction) as refused:
        GAME.apply(state, action)
    assert GAME.dump(state) == GAME.dump(GAME.load(where))
    return refused.value


@pytest.mark.parametrize(
    ("where", "action", "reason"),
    [
        (PLAY, "play green new", "red holds no green chip"),
        (PLAY, "play purple new", 'there is no colour "purple"'),
        (PLAY, "play red on 3", "there is no pile 3"),
        (PLAY, "play red on 0", "there is no pile 0"),
        (PLAY, "play red on 01", "there is no pile 01"),
        (PLAY, "play red on -1", 'there is no pile "-1"'),
        (PLAY, "play red on \u0661", 'there is no pile "\\u0661"'),
        (PLAY, "play red on new", 'there is no pile "new"'),
        (PLAY, "kill red", "it is red's turn to play a chip"),
        (PLAY, "next red", "it is red's turn to play a chip"),
        (PLAY, "refuse", "it is red's turn to play a chip"),
        (KILL, "kill blue", "the captured pile holds no blue chip"),
        (KILL, "kill pink", 'there is no colour "pink"'),
        (KILL, "play red new", "it is red's turn to kill a chip of the captured pile"),
        (KILL_BY_BLUE, "kill red", "the captured pile holds no red chip"),
        (KILL_BY_BLUE, "play red new", "it is blue's turn to kill a chip of the captured pile"),
        (NEXT, "next table", 'there is no colour "table"'),
        (NEXT, "play red new", "it is red's turn to choose who goes next"),
        (NEXT_OF_PILE, "next blue", "blue's colour is not missing from pile 1"),
        (NEXT_OF_THREE, "next blue", "blue is out of the game"),
        (ASK, "ask red", "red must ask another player"),
        (ASK, "ask green", "green was asked already and refused"),
        (ASK, "ask yellow", "yellow has nothing to donate"),
        (ASK, "play red new", "it is red's turn to ask for a donation"),
        (ASK_OF_THREE, "ask blue", "blue is out of the game"),
        (ANSWER, "donate red", "blue holds no red chip"),
        (ANSWER, "ask green", "it is blue's turn to answer red: donate a chip or refuse"),
        (ANSWER_PRISONERS, "donate blue", "only prisoners may be donated"),
        (ANSWER_PRISONERS, "donate yellow", "blue holds no yellow chip"),
        (OVER, "play red new", "the match is over"),
        (OVER, "refuse", "the match is over"),
    ],
)
def test_the_reason_is_given_in_the_games_words(where, action, reason):
    refused = refusal(where, action)
    assert not isinstance(refused, UnreadableAction)
    quote, _, rest = str(refused).partition(" cannot be played: ")
    assert rest.startswith(reason)
    assert action.split(" ")[0] in quote


@pytest.mark.parametrize(
    "text",
    [
        "", "play", "play red", "play red 2", "play red on", "play red on 1 now", "play red  o n 1", "kill",
        "kill red blue", "next", "ask", "ask blue please", "donate", "refuse blue", "pass", "play red new\n",
        "play\nred new", "play red on\u00a01", "\u200bplay red new", "\uff50lay red new", "play red new.",
        '"play red new"', "1",
    ],
)  # fmt: skip
def test_a_text_without_the_form_of_an_action_is_unreadable(text):
    refused = refusal(PLAY, text)
    assert isinstance(refused, UnreadableAction)
    assert "play COLOUR on N" in str(refused)
    assert str(refused).isprintable()


@pytest.mark.parametrize("text", ["PLAY RED NEW", "  play\tred \t new ", "pLaY rEd nEw"])
def test_case_and_blanks_are_forgiven(text):
    assert play(PLAY, text) == play(PLAY, "play red new")


def test_a_letter_that_only_looks_like_ascii_is_not_forgiven():
    assert isinstance(refusal(ANSWER, "REFU\u017fE"), UnreadableAction)
    assert isinstance(refusal(PLAY, "play red on 1\u212a"), IllegalAction)


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "play " + "\u202e" * 500_000 + " new", "play red on " + "9" * 500_000]
)
def test_a_huge_text_is_quoted_short(text):
    refused = str(refusal(PLAY, text))
    assert len(refused) < 1000
    assert refused.isprintable()
    assert "..." in refused
