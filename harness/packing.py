"""A replay as the page takes it: the same content, in which whatever is like its predecessor stands once.

A position differs little from the one before it, and a prompt from the prompt before it. So views are kept as
differences and prompts as what they add; records that share their keys are kept as tables. What is only read when a
decision is opened (prompts, replies, thoughts) stands apart, under `details`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.records import Json

EVERY = 40
"""A view is found by applying at most so many differences."""
FIRST = 4
"""So many positions stand in a page's head: whoever presses a key at once is answered at once."""
_DETAILS_OF_TURNS = ("thoughts", "notes", "dropped", "plan_fault")
_DETAILS_OF_CALLS = ("content", "reasoning", "error", "asked", "sent", "served", "prompt")
_SHARED = ("asked", "sent", "served")
"""Of a call: settings that hardly ever differ between the calls of a match."""


def packed(replay: Json) -> Json:
    """The replay that `harness.replay.build` made, with every view and prompt as a difference.

    `views[i]` is `[base, n]`: the view of that number with the n-th of `changes` applied, or `[null, view]`. A change
    is a list of the keys that are wholly new (with their values), those that changed inside (with changes) and those
    that are gone. `frames` hold the events and, for each of `eyes`, the number of a view.
    """
    eyes = list(replay["frames"][0]["views"]) if replay["frames"] else []
    turns, calls = replay["turns"], replay["calls"]
    pack = {
        "packed": 1,
        "match": replay["match"],
        "eyes": eyes,
        "frames": table(
            {
                **{key: frame[key] for key in ("seat", "action", "source", "to_act", "events")},
                "views": list(frame["views"].values()),
            }
            for frame in replay["frames"]
        ),
        **differences(replay["views"], [list(frame["views"].values()) for frame in replay["frames"]]),
        "messages": table(replay["messages"]),
        "turns": table(_without(turn, _DETAILS_OF_TURNS) for turn in turns),
        "calls": table(_without(call, (*_DETAILS_OF_CALLS, "id")) for call in calls),
        "details": {
            "turns": {turn["ply"]: told for turn in turns if (told := _told(turn, _DETAILS_OF_TURNS))},
            **_call_details(calls),
            "texts": replay["texts"],
        },
    }
    return {**{key: value for key, value in replay.items() if key not in (*pack, "texts", "verdicts")}, **pack}


def head(pack: Json) -> Json:
    """What a page needs of a packed replay to show the first plies, while the rest is still being unpacked."""
    frames, views = pack["frames"], pack["views"]
    rows = frames["rows"][:FIRST]
    place = frames["keys"].index("views") if "views" in frames["keys"] else None
    shown = [row[place] for row in rows] if place is not None else []
    first = {*frames["same"].get("views", ()), *(number for numbers in shown for number in numbers)}
    known = max(first, default=-1) + 1
    changes = max((view[1] for view in views[:known] if view[0] is not None), default=-1) + 1
    nothing = table([])
    return {
        **{key: pack[key] for key in ("packed", "match", "fork", "eyes") if key in pack},
        "last": max(len(frames["rows"]) - 1, 0),
        "frames": {**frames, "rows": rows},
        "views": views[:known],
        "changes": pack["changes"][:changes],
        **({"view_texts": pack["view_texts"][:known]} if "view_texts" in pack else {}),
        **dict.fromkeys(("messages", "turns", "calls"), nothing),
    }


def public(replay: Json) -> Json:
    """The replay for everybody: table, events, words and figures; by naming what is kept.

    No prompt, reply, reasoning, thought or note of any player is in it, and no provider's sentence. Messages are, the
    private ones too: a match is over before its public page is made.
    """
    match = {key: value for key, value in replay["match"].items() if key not in ("why", "versions", "seed")}
    turn_keys = ("ply", "decision", "plan_index", "shown_index", "legal_count", "talk")
    call_keys = (
        *("ply", "seat", "decision", "kind", "attempt", "label", "model", "finish_reason", "read_by", "error_kind"),
        *("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens", "cost", "priced_by", "latency_ms"),
    )
    kept: Json = {key: replay[key] for key in ("frames", "views", "messages", "view_texts", "fork") if key in replay}
    return {
        **kept,
        "match": {**match, "why": None, "public": True},
        "turns": [{key: turn[key] for key in turn_keys} for turn in replay["turns"]],
        "calls": [{key: call[key] for key in call_keys} for call in replay["calls"]],
        "texts": [],
    }


def table(records: Iterable[Mapping[str, Any]]) -> Json:
    """Records as rows of values under one list of keys; what is the same in all stands once, what one lacks is null."""
    rows = list(records)
    keys = list(dict.fromkeys(key for row in rows for key in row))
    same = {key: rows[0][key] for key in keys if all(key in row and row[key] == rows[0].get(key) for row in rows)}
    keys = [key for key in keys if key not in same]
    return {"same": same, "keys": keys, "rows": [[row.get(key) for key in keys] for row in rows]}


def _without(record: Json, keys: Sequence[str]) -> Json:
    return {key: value for key, value in record.items() if key not in keys}


def _told(record: Json, keys: Sequence[str]) -> Json:
    """Those of the keys that say something."""
    return {key: record[key] for key in keys if record.get(key)}


def _call_details(calls: Sequence[Json]) -> Json:
    values: list[Any] = []
    places: dict[str, int] = {}
    before: dict[str, tuple[int, list[Json]]] = {}
    details = []
    for number, call in enumerate(calls):
        detail = _told(call, ("content", "reasoning", "error"))
        for key in _SHARED:
            if call.get(key):
                name = json.dumps(call[key], sort_keys=True)
                if name not in places:
                    places[name] = len(values)
                    values.append(call[key])
                detail[key] = places[name]
        prompt = call.get("prompt") or []
        if prompt:
            like, known = before.get(call["seat"], (None, []))
            keep = _alike(known, prompt)
            detail["prompt"] = [like if keep else None, keep, prompt[keep:]]
            before[call["seat"]] = (number, prompt)
        details.append(detail)
    return {"calls": details, "values": values}


def _alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """With how many equal items both begin."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def differences(views: Sequence[Json], shown: Sequence[Sequence[int]]) -> Json:
    """Every view as a change of one that stands before it (`views` and `changes` as in `packed`). `shown` are the
    numbers of the views of each frame, one for each pair of eyes: what happens changes most of them alike."""
    made: dict[int, list[Any]] = {}
    steps: dict[int, int] = {}
    changes: list[Any] = []
    places: dict[str, int] = {}
    for number, frame in enumerate(shown):
        for place, index in enumerate(frame):
            if index in made:
                continue
            base = shown[number - 1][place] if number else frame[0] if place else None
            if base is not None and steps[base] >= EVERY:
                base = shown[0][place]
            if base is None or not _in_order(views[base], views[index]):
                made[index], steps[index] = [None, views[index]], 0
                continue
            change = difference(views[base], views[index])
            name = to_text(change)
            if name not in places:
                places[name] = len(changes)
                changes.append(change)
            made[index], steps[index] = [base, places[name]], steps[base] + 1
    return {"views": [made.get(index, [None, view]) for index, view in enumerate(views)], "changes": changes}


def difference(old: Json, new: Json) -> list[Any]:
    """`[set, inside, gone]`, such that applying them to `old` gives `new`, its order of keys included."""
    put: Json = {}
    inside: Json = {}
    gone = [key for key in old if key not in new]
    for key, value in new.items():
        if key not in old:
            put[key] = value
        elif value != old[key]:
            both = isinstance(value, dict) and isinstance(old[key], dict)
            if both and _in_order(old[key], value):
                inside[key] = difference(old[key], value)
            else:
                put[key] = value
    return [put, inside, gone]


def _in_order(old: Json, new: Json) -> bool:
    """Whether leaving out and adding at the end leads from one order of keys to the other."""
    kept = [key for key in old if key in new]
    return list(new)[: len(kept)] == kept


def to_text(value: Any) -> str:
    """JSON without blanks. Lone surrogates, which a reply may hold, stand as escapes."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
