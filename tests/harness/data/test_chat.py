"""Chats: exactly what was sent and answered, chosen by how it ended, with nothing of another seat's."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from harness.records import CallRecord
from harness.store import Store
from tests.harness.cli.calling import invoke

Chat = dict[str, Any]
ROLES = ["system", "user", "assistant"]


def chats(db: str, *more: str, run: str = "models") -> list[Chat]:
    call = invoke("export", run, "--chat", "chats.jsonl", "--force", "--db", db, *more)
    assert (call.status, call.err) == (0, "")
    return [json.loads(line) for line in Path("chats.jsonl").read_text("utf-8").splitlines()]


def calls_of(db: str, run: str = "models") -> list[CallRecord]:
    with Store.open_readonly(db) as store:
        record = store.run(run)
        assert record is not None
        ids = [match.id or 0 for match in store.matches(record.id or 0)]
        return [call for match_id in ids for call in store.calls(match_id, prompts=True)]


def sent(call: CallRecord) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text} for message in call.prompt]


def test_a_line_is_an_accepted_answer_behind_what_was_sent(either: str) -> None:
    calls = {(call.match_id, call.seat, call.decision, call.attempt): call for call in calls_of(either)}
    accepted = [call for call in calls.values() if call.error_kind is None]
    found = chats(either)
    assert len(found) == len(accepted) > 20
    for chat in found:
        *asked, answer = chat["messages"]
        of = [call for call in accepted if (call.match_id, call.seat, call.decision) == (
            chat["match"], chat["seat"], chat["decision"])]  # fmt: skip
        assert answer == {"role": "assistant", "content": of[0].content}
        first = calls[chat["match"], chat["seat"], chat["decision"], 1]
        assert asked == sent(first)
        assert asked[0]["role"] == "system"
        assert (chat["ply"], chat["accepted"], chat["error_kind"]) == (of[0].ply, True, None)
        assert chat["rejected"] == of[0].attempt - 1
    assert any(chat["rejected"] for chat in found)


def test_rejected_answers_come_with_the_words_that_sent_them_back(either: str) -> None:
    answered = [call for call in calls_of(either) if call.content]
    found = chats(either, "--rejected")
    assert {chat["error_kind"] for chat in found} == {None, "illegal"}
    told = [(call.error_kind, [*sent(call), {"role": "assistant", "content": call.content}]) for call in answered]
    assert sorted(map(repr, told)) == sorted(repr((chat["error_kind"], chat["messages"])) for chat in found)
    assert all(chat["accepted"] == (chat["error_kind"] is None) for chat in found)
    again = next(chat for chat in found if chat["accepted"] and chat["rejected"])
    assert [message["role"] for message in again["messages"][-4:]] == ["user", "assistant", "user", "assistant"]


def test_a_whole_match_is_one_conversation(either: str) -> None:
    decisions: dict[tuple[int, str], list[Chat]] = defaultdict(list)
    for chat in chats(either):
        decisions[chat["match"], chat["seat"]].append(chat)
    whole = chats(either, "--per", "match")
    assert len(whole) == len(decisions)
    for chat in whole:
        of = decisions[chat["match"], chat["seat"]]
        assert chat["decisions"] == len(of)
        roles = [message["role"] for message in chat["messages"]]
        assert roles == ["system", *(["user", "assistant"] * len(of))]
        assert chat["messages"][1::2] == [one["messages"][-2] for one in of]
        assert chat["messages"][2::2] == [one["messages"][-1] for one in of]
    longer = chats(either, "--per", "match", "--rejected")
    assert sum(len(chat["messages"]) for chat in longer) > sum(len(chat["messages"]) for chat in whole)


def test_every_line_has_one_shape_and_one_type_a_key(either: str) -> None:
    for more in ((), ("--per", "match"), ("--rejected",), ("--reasoning",)):
        kinds: dict[str, set[type]] = defaultdict(set)
        for chat in chats(either, *more):
            assert all(set(message) >= {"role", "content"} for message in chat["messages"])
            assert all(message["role"] in ROLES for message in chat["messages"])
            assert all(isinstance(message["content"], str) for message in chat["messages"])
            for key, value in chat.items():
                if value is not None:
                    kinds[key].add(type(value))
        assert all(len(found) == 1 for found in kinds.values()), kinds


def test_reasoning_is_there_when_it_is_asked_for(sucker: str) -> None:
    assert "I weigh it." not in json.dumps(chats(sucker))
    said = [chat["messages"][-1]["reasoning_content"] for chat in chats(sucker, "--reasoning")]
    assert set(said) == {None, "I weigh it."}


def test_how_it_ended_is_that_of_the_seat(either: str) -> None:
    with Store.open_readonly(either) as store:
        for chat in chats(either):
            match = store.match(chat["match"])
            assert match is not None
            assert match.outcome is not None
            seat = next(seat for seat in match.seats if seat.seat == chat["seat"])
            place = match.outcome["places"][chat["seat"]]
            share = 1 / len(match.outcome["winners"]) if place == 1 else 0
            assert (chat["label"], chat["model"], chat["place"], chat["win_share"]) == (
                *(seat.label, seat.model, place, share),
            )
            assert json.loads(chat["options"]) == match.options
            assert chat["forfeited"] is False
    assert any(chat["forfeited"] for chat in chats(either, "--rejected", run="forfeits"))


def test_chats_are_chosen_by_place_player_and_game(either: str) -> None:
    every = chats(either)
    finished = [chat for chat in every if chat["status"] == "finished"]
    assert {chat["status"] for chat in every} == {"finished", "void"}
    assert chats(either, "--winners-only") == [chat for chat in finished if chat["place"] == 1]
    assert chats(either, "--min-place", "2") == [chat for chat in finished if chat["place"] <= 2]
    assert chats(either, "--label", "m1") == [chat for chat in every if chat["label"] == "m1"]
    game = every[0]["game"]
    assert chats(either, "--game", game) == every
    call = invoke("export", "models", "--chat", "none.jsonl", "--db", either, "--game", "star_ludo")
    assert (call.status, call.err) == (
        2,
        f"parley: export: --game: no match here is one of star_ludo; there are {game}\n",
    )


def test_what_a_fork_took_over_is_its_parents(either: str) -> None:
    own = [call for call in calls_of(either, "again") if call.kind != "copied" and call.error_kind is None]
    assert len(chats(either, run="again")) == len(own)


def test_nothing_of_another_seat_is_in_a_chat(sucker: str) -> None:
    """Private words and thoughts of one seat reach no chat of a seat that they were not meant for."""
    with Store.open_readonly(sucker) as store:
        secrets = {
            (match.id, message.text): {message.sender, message.addressee}
            for match in store.matches(1)
            for message in store.messages(match.id or 0)
            if message.addressee != "all"
        }
    assert len(secrets) > 5
    heard = 0
    for chat in [*chats(sucker), *chats(sucker, "--per", "match", "--rejected", "--reasoning")]:
        text = json.dumps(chat, ensure_ascii=False)
        for (match_id, secret), seats in secrets.items():
            if match_id == chat["match"] and secret in text:
                own = [message["content"] for message in chat["messages"] if message["role"] == "assistant"]
                assert chat["seat"] in seats or secret in " ".join(own)
                heard += 1
    assert heard > 5


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--game", "chess"), "--game: there is no game 'chess'; there are so_long_sucker"),
        (("--label", "nobody"), "--label: nobody is called 'nobody'; there are m0, m1"),
        (("--winners-only", "--min-place", "2"), "--winners-only is --min-place 1; give one of them"),
        (("--public",), "--public goes with --html or --jsonl or --parquet, not with --chat"),
        (("--table", "turns"), "--table goes with --jsonl or --parquet, not with --chat"),
        (("--jsonl", "x"), "--jsonl or --parquet and --chat are written one at a time"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(sucker: str, args: tuple[str, ...], line: str) -> None:
    call = invoke("export", "models", "--chat", "chats.jsonl", "--db", sucker, *args)
    assert (call.status, call.err.count("\n")) == (2, 1)
    assert call.err.startswith(f"parley: export: {line}")
    assert not list(Path().iterdir())


def test_bots_leave_no_chats(tmp_path: Path) -> None:
    Path("bots.yaml").write_text(
        "name: bots\nmatches: 2\ngames: [{game: twenty_one}]\n"
        "players: [{label: a, bot: greedy}, {label: b, bot: random}]\n"
    )
    assert invoke("run", "bots.yaml", "--db", "own.db").status == 0
    call = invoke("export", "bots", "--chat", "chats.jsonl", "--db", "own.db")
    assert (call.status, Path("chats.jsonl").read_text()) == (0, "")
    assert "Only models leave chats" in call.out
