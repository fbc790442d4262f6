"""Forks that are refused, named or left out, and what is said of them."""

from __future__ import annotations

import sqlite3

import pytest

from harness.fork import ForkError, plan, point, points
from harness.records import RunRecord
from harness.replay import frames
from harness.runs import record_id
from harness.spec import PlayerSpec, SpecError, guests
from harness.store import Store, StoreError
from harness.verify import verify
from tests.harness.forking import bots, go, planned
from tests.providers.fixtures import loopback as loopback

pytestmark = pytest.mark.usefixtures("house_key")


async def test_in_a_batch_what_cannot_be_forked_is_told_and_left_out(store: Store) -> None:
    await go(bots("so_long_sucker", "matches: 4\nparallel: 1\n"), store, after=80)
    statuses = [match.status for match in store.matches(1)]
    assert "queued" in statuses
    lengths = [match.plies for match in store.matches(1)]
    found, left_out = points(store, [1, 2, 3, 4], ply=30)
    assert [one.match.id for one in found] == [number + 1 for number, plies in enumerate(lengths) if plies > 30]
    assert len(found) + len(left_out) == 4
    assert any("has not begun" in why for why in left_out)


async def test_a_position_that_nobody_can_play_on_from_is_refused(store: Store) -> None:
    await go(bots("so_long_sucker", "matches: 2\nparallel: 1\n"), store, after=3)
    with pytest.raises(ForkError, match=r"^match 2: it has not begun$"):
        point(store, 2, 0)
    assert point(store, 1, 3).ply == 3
    await go(bots("so_long_sucker", "matches: 2\n"), store)
    last = store.matches(1)[0].plies
    with pytest.raises(ForkError, match=rf"^ply: match 1 has plies 0 to {last}, not {last + 1}$"):
        point(store, 1, last + 1)
    with pytest.raises(ForkError, match=rf"^ply: match 1 is over at ply {last}; .* ply 0 to {last - 1}$"):
        point(store, 1, last)
    with pytest.raises(ForkError, match=r"^match 9: there is none"):
        point(store, 9, 0)


async def test_a_match_that_is_played_or_was_played_by_other_rules_is_refused(store: Store) -> None:
    await go(bots("so_long_sucker"), store, after=3)
    store.claim_run(1, "elsewhere:1:1:x").result()
    with pytest.raises(ForkError, match=r"^match 1: process 1 on elsewhere is playing it; pause its run first$"):
        point(store, 1, 2)
    store.release_run(1, "elsewhere:1:1:x").result()
    assert point(store, 1, 2)
    match = store.match(1)
    assert match is not None
    old = match.model_copy(update={"versions": {**match.versions, "rules": "0"}, "status": "paused", "number": 0})
    other = store.create_run(run_of(store), [old]).result()
    with pytest.raises(ForkError, match=r"version 0 of the rules of so_long_sucker; here is"):
        point(store, record_id(store.matches(other)[0]), 0)


def run_of(store: Store) -> RunRecord:
    found = store.run(1)
    assert found is not None
    return found.model_copy(update={"id": None, "name": "old"})


async def test_who_is_to_play_on_has_to_be_known(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    start = point(store, 1, 4)
    run = store.run(1)
    assert run is not None
    for wanted, seats, more in (
        (r"^seat: match 1 \(so_long_sucker\) has no seat 'pink'; it has red, blue, green, yellow$", {"pink": "x"}, {}),
        (r"^seat red: no player has the label 'nobody'; there are banker, .*bot:greedy", {"red": "nobody"}, {}),
        (r"^seat red: so_long_sucker has no bot 'alpha'; it has random, ", {"red": "bot:alpha"}, {}),
        (
            r"^players: 'greedy' is another player in the run 'bots'",
            {},
            {"players": [PlayerSpec(label="greedy", human=True)]},
        ),
        (r"^name: there is a run 'bots' already; `parley resume` goes on with it$", {}, {"name": "bots"}),
        (r"^times: 200,000 forks; a run has from 1 to 100,000 matches$", {}, {"times": 200_000}),
    ):
        with pytest.raises(ForkError, match=wanted):
            plan(store, run, [start], seats=seats, **more)
    with pytest.raises(SpecError, match="all digits"):
        plan(store, run, [start], name="12")
    stranger = PlayerSpec(label="bot:greedy", human=True)
    made = plan(store, run, [start], seats={"red": "bot:greedy"}, players=[stranger])
    assert made.matches[0].seats[0].kind == "human", "a label goes before a bot's name"


async def test_a_copy_that_does_not_come_out_again_pauses_its_match_alone(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    made = planned(store, [(1, 9), (1, 9)])
    with sqlite3.connect(store.where) as connection:
        connection.execute("UPDATE turn SET decision = 77 WHERE match_id = 2 AND ply = 7")
    connection.close()
    result = await go(made.spec, store)
    assert result.counts == {"paused": 1, "finished": 1}
    broken = store.match(2)
    assert broken is not None
    assert broken.why is not None
    assert broken.why.startswith("ply 7 is no decision ")


async def test_a_run_of_forks_is_no_run_of_a_file(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    made = planned(store, [(1, 4)], name="again")
    with pytest.raises(SpecError, match="run of forks"):
        await go(bots("so_long_sucker").with_overrides(name="again", seed=3), store)
    assert (await go(made.spec, store)).counts == {"finished": 1}
    assert (await go(made.spec, store)).status == "nothing"


async def test_a_name_is_found_for_each_run_of_forks(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    names = [planned(store, [(1, 4)], about="1-ply-4").run.name for _ in range(2)]
    assert names == ["bots-fork-1-ply-4", "bots-fork-1-ply-4-2"]
    long = planned(store, [(1, 4)], name="n" * 100)
    again = store.run(long.run.name)
    assert again is not None
    child = plan(store, again, [point(store, 4, 4)], about="4-ply-4")
    assert len(child.run.name) <= 100


async def test_forks_are_stored_whole_or_not_at_all(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    made = planned(store, [(1, 4)])
    with pytest.raises(StoreError, match="already"):
        store.create_forks(made.run, made.matches).result()
    assert len(store.runs()) == 2
    (fork,) = store.matches(2, with_start=True)
    assert (fork.status, fork.plies, len(store.turns(2))) == ("queued", 4, 4)
    assert verify(fork, store.turns(2)) is None
    assert len(list(frames(fork, store.turns(2)))) == 5


def test_a_file_of_players_is_read_strictly() -> None:
    text = "players:\n  - {label: a, bot: greedy}\n  - {label: b, human: true}\n"
    assert [player.label for player in guests(text, "more.yaml")] == ["a", "b"]
    assert guests(text + "games: [{game: nothing}]\n", "more.yaml")
    for wrong, wanted in (
        ("players: []\n", r"^more.yaml: players"),
        ("seed: 1\n", r"^more.yaml: players: missing"),
        ("[]", r"^more.yaml: .* is not a mapping"),
        ("players:\n  - {label: a, bot: x}\n  - {label: a, bot: y}\n", r"^more.yaml: players\[1\].label: .*already"),
        ("players:\n  - {label: a}\n", r"^more.yaml: players\[0\]: exactly one of"),
        ("players:\n  - {label: a, model: x/y, persona: nobody}\n", r"^more.yaml: players\[0\].persona: "),
    ):
        with pytest.raises(SpecError, match=wanted):
            guests(wrong, "more.yaml")
