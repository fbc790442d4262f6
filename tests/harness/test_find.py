"""Finding moments: by words, by who said it, by kind, by source, by what could not be taken."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from harness.find import START, BadQuery, Hit, Mark, Query, find
from harness.pledges import VERDICTS, judge
from harness.records import PledgeRecord, RunRecord
from harness.store import Store
from tests.harness.forking import bots, forked, go, models, steady
from tests.harness.store.samples import call_of, match_of, message_of, run_of, turn_of
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback

pytestmark = pytest.mark.usefixtures("house_key")


def record(store: Store, name: str) -> RunRecord:
    found = store.run(name)
    assert found is not None
    return found


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


def both(to: str) -> tuple[PledgeRecord, ...]:
    """Two promises of which one is broken when the other is kept."""
    return tuple(PledgeRecord(kind=kind, addressee=to, turns=40) for kind in ("donate", "refuse"))


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
    for name in ("chips", "hi", "seat"):
        assert find(store, told, Query((name,), what="event")) == [], "what a field is called is nothing that happened"
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
        (Query(("x" * 150, "y" * 51)), r"^words: 201 letters; at most 200 can"),
        (Query(action="x" * 100_000), r"^action: 100,000 letters; "),
        (Query(kind="x" * 100_000), r"^kind: 100,000 letters; "),
        (Query(("a", " ")), r"^words: one of them is empty"),
        (Query(said_by="red", action="play"), r"^action: nothing has that and said-by too"),
        (Query(to="red", illegal=True), r"^illegal: "),
        (Query(verdict="kept", source="player"), r"^verdict: nothing has that and source too"),
        (Query(what="message", kind="capture"), r"^kind: nothing has that and what message too"),
        (Query(verdict="lost"), r"^verdict: 'lost' is none of kept, broken, untested, void$"),
        (Query(what="word"), r"^what: 'word' is none of message, "),
        (Query(by="pink"), r"^by: 'pink' is no seat and no player"),
        (Query(by="red", said_by="red"), r"^by: said-by tells whose"),
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


async def test_pledges_are_found_by_what_became_of_them(store: Store) -> None:
    await go(bots("so_long_sucker", more="matches: 4\ntalk: off\n"), store)
    run = record(store, "bots")
    for match in store.matches(run.id or 0):
        seats = [seat.seat for seat in match.seats]
        pairs = [(maker, to) for maker in seats for to in seats if maker != to]
        said = [
            message_of(seq, maker, ply=1, pledges=both(to), text=f"promise {seq}")
            for seq, (maker, to) in enumerate(pairs)
        ]
        store.add_messages(match.id or 0, said).result()
    fates = []
    for match in store.matches(run.id or 0):
        whole = store.match(match.id or 0)
        assert whole is not None
        judged = judge(whole, store.turns(match.id or 0), store.messages(match.id or 0))
        fates += [
            (match.number, one.verdict_ply or one.ply, one.maker, one.kind, one.addressee, one.verdict)
            for one in judged
        ]
    assert {"kept", "broken"} <= {fate[-1] for fate in fates}
    for verdict in VERDICTS:
        wanted = sorted(fate for fate in fates if fate[-1] == verdict)
        hits = find(store, run, Query(verdict=verdict, limit=10_000))
        found = [(hit.number, hit.ply, hit.seat, hit.kind, hit.to, hit.verdict) for hit in hits]
        assert sorted(found) == wanted, "each at the ply of its verdict"
        assert [one[:2] for one in found] == [one[:2] for one in wanted], "in the order of play"
        for maker, to, kind in {(fate[2], fate[4], fate[3]) for fate in wanted}:
            few = find(store, run, Query(verdict=verdict, by=maker, to=to, kind=kind, limit=10_000))
            assert few == [hit for hit in hits if (hit.seat, hit.to, hit.kind) == (maker, to, kind)]
        for words in (("DONATE",), (verdict, "pledge"), ("within", "40"), ("promise", "3:"), ("donate", "blue")):
            some = find(store, run, Query(words, verdict=verdict, limit=10_000))
            shown = [(hit, f"pledge {verdict}: {hit.text}".casefold()) for hit in hits]
            assert some == [hit for hit, text in shown if all(word.casefold() in text for word in words)]
            assert some or not wanted or words[0] == "promise" or verdict == "void"
    every = find(store, run, Query(what="pledge", limit=10_000))
    donated = find(store, run, Query(("donate",), what="pledge", limit=10_000))
    assert donated == [hit for hit in every if hit.kind == "donate"] != []
    assert find(store, run, Query(("broken",), what="pledge")) == [], "no verdict is shown where none was asked for"
    assert len(every) == len(fates)
    assert {hit.what for hit in every} == {"pledge"}


async def test_judging_goes_no_further_than_the_hits_that_are_wanted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await go(bots("so_long_sucker", more="matches: 4\n"), store)
    run = record(store, "bots")
    played: list[int] = []
    acts = store.acts

    def counted(match_id: int) -> list[object]:
        played.append(match_id)
        return acts(match_id)  # type: ignore[return-value]

    monkeypatch.setattr(store, "acts", counted)
    (first,) = find(store, run, Query(verdict="kept", limit=1))
    assert played == list(range(played[0], first.match + 1))
    assert len(played) < len(store.matches(run.id or 0))


@pytest.mark.parametrize(
    "query",
    [Query(by="banker"), Query(what="event"), Query(verdict="kept"), Query(verdict="untested"), Query(("a",))],
    ids=["by", "events", "kept", "untested", "words"],
)
async def test_a_search_goes_on_where_it_stopped(store: Store, query: Query) -> None:
    await go(bots("so_long_sucker", more="matches: 4\n"), store)
    run = record(store, "bots")
    whole = find(store, run, query._replace(limit=10_000))
    assert len({hit.number for hit in whole}) > 1
    for size in (1, 7) if len(whole) < 200 else (7,):
        mark, found = START, []
        while hits := find(store, run, query._replace(limit=size), since=mark):
            found += hits
            mark = mark.after(hits)
        assert found == whole
    parts = [find(store, run, query._replace(limit=10_000), since=Mark(n), before=n + 1) for n in range(4)]
    assert [hit for part in parts for hit in part] == whole


async def test_moments_of_one_player_and_of_one_sort(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    run = record(store, "models")
    every = {
        what: find(store, run, Query(what=what, limit=10_000)) for what in ("message", "action", "event", "illegal")
    }
    for what, hits in every.items():
        assert hits
        assert {hit.what for hit in hits} == {what}
        for label in {hit.label for hit in hits}:
            seat = next(hit.seat for hit in hits if hit.label == label)
            mine = [hit for hit in hits if hit.label == label]
            for name in (label, seat):
                assert find(store, run, Query(by=name, what=what, limit=10_000)) == mine
    turns = store.turns(1)
    assert [hit.text for hit in every["action"]] == [turn.action for turn in turns]
    assert len(every["event"]) == sum(len(turn.events) for turn in turns)
    # A moment is found once: the action stands for its events.
    assert {hit.what for hit in find(store, run, Query(by="red", limit=10_000))} == {"message", "action", "illegal"}


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
