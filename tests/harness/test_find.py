"""Finding moments: by words, by who said it, by kind, by source, by what could not be taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.find import BadQuery, Hit, Query, find
from harness.records import RunRecord
from harness.store import Store
from tests.harness.forking import bots, forked, go, models, steady
from tests.harness.store.samples import call_of, match_of, message_of, run_of, turn_of
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "parley.db")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def house_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")


def record(store: Store, name: str) -> RunRecord:
    found = store.run(name)
    assert found is not None
    return found


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


@pytest.fixture
def told(store: Store) -> RunRecord:
    """A run of two matches in which a few things are said and done, made by hand."""
    run_id = store.create_run(run_of("told"), [match_of(0), match_of(1)]).result()
    first, second = (match.id or 0 for match in store.matches(run_id))
    captured = ({"kind": "capture", "audience": "all", "seat": "red", "pile": 2, "chips": ["red", "blue"]},)
    store.add_turns(
        first,
        [
            turn_of(1, "red", action="play red new", events=captured),
            turn_of(2, "blue", action="play blue on 1", source="fallback"),
            turn_of(3, "red", action="pass", source="forced"),
        ],
        [
            message_of(0, "red", ply=1, addressee="all", text="I will SPARE you, blue"),
            message_of(1, "blue", ply=2, addressee="red", text="100% sure_thing \\ ÄRGER \u202e"),
        ],
    ).result()
    store.add_turns(
        second, [turn_of(1, "red", action="play red new")], [message_of(0, "red", ply=1, text="spare me")]
    ).result()
    for kind, error in (("illegal", "'fly' is not legal here"), ("timeout", "'fly' took too long")):
        store.add_call(call_of(match_id=first, ply=2, seat="blue", kind="act", error_kind=kind, error=error)).result()
    return record(store, "told")


def test_words_are_found_wherever_they_stand_in_the_order_of_play(store: Store, told: RunRecord) -> None:
    hits = find(store, told, Query(("spare",)))
    assert [(hit.number, hit.ply, hit.what, hit.seat, hit.label, hit.to) for hit in hits] == [
        (0, 1, "message", "red", "p0", "all"),
        (1, 1, "message", "red", "p0", "all"),
    ]
    assert texts(find(store, told, Query(("blue", "SPARE")))) == ["I will SPARE you, blue"]
    found = find(store, told, Query(("play", "new")))
    assert [(hit.what, hit.number) for hit in found] == [("action", 0), ("action", 1)]
    assert [hit.what for hit in find(store, told, Query(("fly",)))] == ["illegal"]
    assert [(hit.what, hit.kind, hit.ply) for hit in find(store, told, Query(("capture",)))] == [
        ("event", "capture", 1)
    ]
    assert find(store, told, Query(("audience",))) == find(store, told, Query(("nothing like it",))) == []


@pytest.mark.parametrize("word", ["100%", "sure_thing", "\\", "ärger", "Ärger", "ÄRGER"])
def test_every_character_is_itself(store: Store, told: RunRecord, word: str) -> None:
    assert len(find(store, told, Query((word,)))) == 1
    assert find(store, told, Query((f"{word}x",))) == []


@pytest.mark.parametrize("word", ["1_0%", "sure%thing", "sure-thing"])
def test_no_character_stands_for_another(store: Store, told: RunRecord, word: str) -> None:
    assert find(store, told, Query((word,))) == []


def test_options_narrow_the_search_down(store: Store, told: RunRecord) -> None:
    assert texts(find(store, told, Query(said_by="blue"))) == ["100% sure_thing \\ ÄRGER \u202e"]
    assert len(find(store, told, Query(said_by="p0"))) == 2
    assert len(find(store, told, Query(to="all"))) == 2
    assert [hit.seat for hit in find(store, told, Query(to="p0"))] == ["blue"]
    assert texts(find(store, told, Query(source="fallback"))) == ["play blue on 1"]
    assert texts(find(store, told, Query(action="RED NEW"))) == ["play red new"] * 2
    assert texts(find(store, told, Query(illegal=True))) == ["'fly' is not legal here"]
    assert [(hit.kind, hit.ply) for hit in find(store, told, Query(kind="capture"))] == [("capture", 1)]
    assert find(store, told, Query(kind="capture", source="fallback")) == []
    assert find(store, told, Query(kind="captur")) == []
    assert len(find(store, told, Query(("red",), limit=2))) == 2


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (Query(), r"^words: there are none; "),
        (Query(("a", " ")), r"^words: one of them is empty"),
        (Query(said_by="red", action="play"), r"^action: nothing has that and said-by too"),
        (Query(to="red", illegal=True), r"^illegal: "),
        (Query(kind="capture", illegal=True), r"^illegal: "),
        (Query(source="luck"), r"^source: 'luck' is none of player, forced, fallback, human$"),  # type: ignore[arg-type]
        (Query(said_by="pink"), r"^said-by: 'pink' is no seat and no player of this run; there are blue, "),
        (Query(to="pink"), r"^to: 'pink' .* there are all, blue, "),
        (Query(("a",), limit=0), r"^limit: 0 "),
    ],
)
def test_a_query_that_has_no_answer_is_refused(store: Store, told: RunRecord, query: Query, wanted: str) -> None:
    with pytest.raises(BadQuery, match=wanted):
        find(store, told, query)


@pytest.mark.parametrize("game", ["so_long_sucker", "twenty_one", "trap_race", "star_ludo"])
async def test_every_event_of_every_game_is_found_by_its_kind(game: str, store: Store) -> None:
    await go(bots(game), store)
    run = record(store, "bots")
    happened = [(turn.ply, event["kind"]) for turn in store.turns(1) for event in turn.events]
    kinds = sorted({kind for _, kind in happened})
    pledged = {pledge.kind for message in store.messages(1) for pledge in message.pledges}
    assert store.kinds(1) == sorted({*kinds, *pledged})
    for kind in kinds:
        hits = [hit for hit in find(store, run, Query(kind=kind, limit=10_000)) if hit.what == "event"]
        assert [(hit.ply, hit.kind) for hit in hits] == [(ply, one) for ply, one in happened if one == kind]
        word = hits[0].text.split()[0]
        again = find(store, run, Query((word,), kind=kind, limit=10_000))
        assert hits[0] in again, "its sentence is looked through too"


async def test_pledges_are_found_by_kind_and_addressee(store: Store) -> None:
    await go(bots("so_long_sucker"), store)
    run = record(store, "bots")
    made = [
        (message.ply, message.sender, pledge.kind, pledge.addressee)
        for message in store.messages(1)
        for pledge in message.pledges
    ]
    assert made
    for kind in {pledge[2] for pledge in made}:
        hits = [hit for hit in find(store, run, Query(kind=kind, limit=10_000)) if hit.what == "pledge"]
        assert [(hit.ply, hit.seat, hit.kind, hit.to) for hit in hits] == [one for one in made if one[2] == kind]
    of_one = find(store, run, Query(kind=made[0][2], said_by=made[0][1], limit=10_000))
    assert {(hit.what, hit.seat) for hit in of_one} == {("pledge", made[0][1])}


async def test_illegal_answers_of_models_are_found(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("twenty_one", loopback), store)
    calls = [call for call in store.calls(1) if call.error_kind == "illegal"]
    hits = find(store, record(store, "models"), Query(illegal=True, limit=10_000))
    assert sorted((hit.ply, hit.seat, hit.text) for hit in hits) == sorted(
        (one.ply, one.seat, one.error) for one in calls
    )
    assert calls


async def test_what_a_fork_was_given_is_found_in_its_parent_alone(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    fork = await forked(store, 1, 12)
    own = store.run(fork.run_id or 0)
    assert own is not None
    for query in (Query(("said",), limit=1000), Query(action="play", limit=1000), Query(illegal=True, limit=1000)):
        hits = find(store, own, query)
        assert hits
        assert all(hit.ply > 12 for hit in hits)
        assert any(hit.ply <= 12 for hit in find(store, record(store, "models"), query))


def test_nothing_is_read_beyond_the_hits_that_are_wanted(
    store: Store, told: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = store.find_messages

    def counted(run_id: int, **wanted: object) -> Iterator[object]:
        for hit in whole(run_id, **wanted):  # type: ignore[arg-type]
            read.append(hit.ply)
            yield hit

    monkeypatch.setattr(store, "find_messages", counted)
    assert len(find(store, told, Query(to="all", limit=1))) == 1
    assert len(read) == 1


def test_a_hit_is_plain_values(store: Store, told: RunRecord) -> None:
    (hit,) = find(store, told, Query(said_by="blue"))
    assert json.loads(json.dumps(hit._asdict()))["text"] == hit.text
