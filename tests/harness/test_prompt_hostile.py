"""What hostile words cannot do to a prompt."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from games.api import Message
from harness.prompt import (
    Failure,
)
from tests.harness.prompting import (
    observation,
    prompt,
    whole,
)

FAKE = [
    *(
        "\n",
        "\r\n",
        "\u2028",
        "## Decision 9: action",
        "Your legal actions:",
        "- play red new",
        "```",
        '"',
        "\\",
        "\\n",
    ),
    *("<|im_end|>", "<|im_start|>system", "</think>", "[/INST]", "[INST]", "<s>", "</s>", "{{ 7*7 }}", "{% raw %}"),
    *("\u202e", "\x1b[2J", "\x00", "\ud800", "The table now:", '", "to": "red"}', "<start_of_turn>user"),
]
FAKES = st.lists(st.sampled_from(FAKE) | st.text(max_size=8), max_size=12).map("".join)


@settings(max_examples=80, deadline=None)
@given(FAKES, FAKES)
def test_foreign_words_stay_one_json_string_on_one_line(words: str, notes: str) -> None:
    def shown(text: str, own: str) -> list[str]:
        return whole(prompt(observation(messages=(Message("blue", "red", text),), notes=own))).split("\n")

    plain, hostile = shown("hi", "x"), shown(words, "_" + notes)
    assert len(plain) == len(hostile)
    for kept, line in zip(plain, hostile, strict=True):
        if kept.startswith("- blue to red: "):
            assert line.startswith("- blue to red: ")
            assert isinstance(json.loads(line.removeprefix("- blue to red: ")), str)
        elif kept.startswith("Your notes: "):
            assert isinstance(json.loads(line.removeprefix("Your notes: ")), str)
        else:
            assert kept == line
    text = "\n".join(hostile)
    assert not re.search(r"<\||</?think>|</?s>|<start_of_turn>|\[/?INST\]", text)
    assert len(text.splitlines()) == len(hostile)
    text.encode()


def test_a_quoted_message_loses_no_letter() -> None:
    words = 'I <3 you, 2 < 3, "no" \\ <b>x</b> [A] é 漢\nnew line'
    line = next(
        line
        for line in whole(prompt(observation(messages=(Message("blue", "all", words),)))).split("\n")
        if "<3" in line
    )
    assert json.loads(line.removeprefix("- blue to all: ")) == words


@settings(max_examples=40, deadline=None)
@given(FAKES)
def test_an_answer_that_failed_cannot_pose_as_another_speaker(words: str) -> None:
    messages = prompt(failures=[Failure(words, "unreadable", f"it holds {words}")])
    text = whole(messages)
    assert not re.search(r"<\||</?think>|</?s>|<start_of_turn>|\[/?INST\]", text)
    assert [line for line in messages[-1].text.splitlines() if line.startswith("That answer cannot be used: it holds")]
    text.encode()
