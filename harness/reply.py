"""What a model sent, read as a reply, or the reason why it cannot be.

Pure. Nothing is repaired and nothing is guessed: the answer is one standard JSON object, found by the first of four
rules that applies, whose name is kept beside the reply. The work grows in proportion to the length of the text,
whatever is in it, and nothing that a model can write makes `read` raise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from games.api import Message, Observation, Pledge, Reply, Seat, even_out
from harness.jsontext import TWICE, Found, in_fences, is_whole, objects, without_thinking
from harness.records import ErrorKind, ReadBy

NOTES_CHARS: Final = 2_000
"""Notes are kept up to this length; what is beyond is cut off."""
THOUGHTS_CHARS: Final = 8_000
"""Thoughts are kept up to this length; the stored call has them whole."""
PLEDGES_A_MESSAGE: Final = 8
"""Pledges of one message beyond these are dropped."""
PLEDGE_TURNS: Final = range(1, 41)
"""The terms that a pledge may have, in the game's turn events."""
REASONS: Final = 20
"""As many reasons are kept for what was dropped; then one line counts the rest."""
QUOTED_CHARS: Final = 80
"""Words of a reply are quoted in an error up to this length."""


class Completion(NamedTuple):
    """What the provider gave: the answer, its reasoning if told apart, a tool call's arguments, and why it ended."""

    content: str | None
    reasoning: str | None = None
    tool_arguments: str | None = None
    finish_reason: str | None = None


class Reading(NamedTuple):
    """A reply, or an error of one of the kinds in `harness.records.OWN`; never both, never neither.

    `read_by` names the rule that found the answer; it is set beside an error too, when what was found was no good.
    `dropped` and `dropped_pledges` say in one line each what was left out and why; `cut` are the places in
    `reply.messages` of those that were cut at the limit. Every text in here has been through `clean`.
    """

    reply: Reply | None = None
    read_by: ReadBy | None = None
    reasoning: str | None = None
    dropped: tuple[str, ...] = ()
    dropped_pledges: tuple[str, ...] = ()
    cut: tuple[int, ...] = ()
    error_kind: ErrorKind | None = None
    error: str | None = None


to_json: Final = json.JSONEncoder(ensure_ascii=False).encode
"""A value as JSON in which foreign letters stand as they are."""
_UNSEEN = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u070f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)
_SEPARATORS = re.compile("[\\u2028\\u2029]")
_SURROGATES = re.compile("[\\ud800-\\udfff]")


def clean(text: str) -> str:
    """Text as it may be shown and passed on.

    Control characters other than line breaks, characters that change the direction of writing and those of no width are
    taken out; the two Unicode separators become line breaks, halves of a surrogate pair the replacement character, so
    that the result can always be encoded. What it gives, it leaves alone.

    >>> clean("I promise to \\u202eyarteb\\u202c you\\x07")
    'I promise to yarteb you'
    """
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATES.sub("\ufffd", _SEPARATORS.sub("\n", _UNSEEN.sub("", text)))


def quote(text: str, limit: int = QUOTED_CHARS) -> str:
    """Foreign words on one line in quotation marks, cleaned and cut after `limit` characters.

    >>> quote("play red\\nnow")
    '"play red\\\\nnow"'
    """
    start = clean(text[: 4 * limit])
    whole = len(start) <= limit and len(text) <= 4 * limit
    return to_json(start if whole else start[:limit] + "…")


def spoken(content: str) -> str:
    """A reply's text without the thinking, as it may stand in a later prompt; empty where nothing else is there."""
    text = content.strip()
    found = objects(text)
    return text if is_whole(text, found) else without_thinking(text, found)[1].strip()


_KEYS: Final = ("actions", "action", "messages", "notes", "thoughts")


class _AnswerError(Exception):
    """Why an answer is no reply: a kind of error and one line."""

    def __init__(self, kind: ErrorKind, why: str, read_by: ReadBy | None = None) -> None:
        super().__init__(why)
        self.kind, self.why, self.read_by = kind, why, read_by


def _counts(answer: Mapping[Any, Any] | None, asked: str) -> bool:
    keys = _KEYS[:2] if asked == "act" else _KEYS
    return answer is not None and any(key in answer for key in keys)


def _substance(answer: Mapping[Any, Any]) -> list[Any]:
    """What two answers are compared by: neither key order nor unknown keys nor the form of the plan tell them apart."""
    several, single = (_evened(answer.get(key)) for key in _KEYS[:2])
    plans = [several if several is not None else single, single if single is not None else several]
    return [*plans, *(answer.get(key) or None for key in _KEYS[2:])]


def _evened(actions: Any) -> Any:
    if isinstance(actions, str):
        return [even_out(actions)]
    if isinstance(actions, list):
        return [even_out(action) if isinstance(action, str) else action for action in actions]
    return actions


def _one(items: Sequence[Found], read_by: ReadBy) -> Mapping[Any, Any]:
    answers = [item.value for item in items if item.value is not None]
    first = _substance(answers[0])
    if any(_substance(other) != first for other in answers[1:]):
        raise _AnswerError("unreadable", "the reply holds two different answers", read_by)
    return answers[0]


def _answer(text: str, found: Sequence[Found], asked: str) -> tuple[Mapping[Any, Any], ReadBy]:
    """The object that is the answer, and the rule by which it was found. Raises `_AnswerError`."""
    if is_whole(text, found) and found[0].value is not None:
        return found[0].value, "whole"
    fenced = [item for item in in_fences(text, found) if _counts(item.value, asked)]
    if fenced:
        return _one(fenced, "fenced"), "fenced"
    embedded = [item for item in found if _counts(item.value, asked)]
    if embedded:
        return _one(embedded, "embedded"), "embedded"
    if found:
        wanted = 'an "actions" list' if asked == "act" else "a message"
        raise _AnswerError("unreadable", f"the reply's JSON object has not {wanted} in it")
    raise _AnswerError("unreadable", "the reply holds no complete JSON object")


def _actions(answer: Mapping[Any, Any], legal: Sequence[str]) -> tuple[str, ...]:
    """The plan, evened out. Its first action is a legal one; the others are judged when their time comes."""
    given = answer.get("actions")
    if given is None:
        given = answer.get("action")
    elif answer.get("action") is not None and _evened(answer["action"]) != _evened(given):
        raise _AnswerError("unreadable", "the reply holds two different answers")
    if not {"actions", "action"}.isdisjoint(answer.get(TWICE, ())):
        raise _AnswerError("unreadable", "the reply holds two different answers")
    plan = [given] if isinstance(given, str) else given
    if plan is None:
        raise _AnswerError("unreadable", 'the reply\'s JSON object has no "actions"')
    if not isinstance(plan, list) or not all(isinstance(action, str) for action in plan):
        raise _AnswerError("unreadable", '"actions" has to be a list of action texts')
    if not plan:
        raise _AnswerError("unreadable", '"actions" is empty: one action is needed')
    actions = tuple(_SURROGATES.sub("\ufffd", even_out(action)) for action in plan)
    if actions[0] not in legal:
        raise _AnswerError("illegal", f"{quote(plan[0])} is not one of your legal actions")
    return actions


class _Reasons:
    """Why parts of a reply were left out: the first of them in full, the rest counted."""

    def __init__(self, plural: str) -> None:
        self._plural = plural
        self._lines: list[str] = []
        self._more = 0

    def add(self, line: str) -> None:
        if len(self._lines) < REASONS:
            self._lines.append(line)
        else:
            self._more += 1

    def lines(self) -> tuple[str, ...]:
        rest = (f"{self._more} more {self._plural} dropped",) if self._more else ()
        return (*self._lines, *rest)


def _shown(value: Any) -> str:
    """A value of any kind, named in a reason."""
    if isinstance(value, str):
        return quote(value)
    names: Mapping[type, str] = {list: "a list", dict: "an object", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def _addressee(value: Any, seen: Observation, private: bool) -> tuple[Seat, str | None]:
    """To whom a message goes, or why it cannot go there."""
    to = even_out(value) if isinstance(value, str) else ""
    if to == "all" or (to in seen.alive and to != seen.seat and private):
        return to, None
    if to == seen.seat:
        return to, "it is addressed to its own sender"
    if to in seen.alive:
        return to, "messages to one seat alone are not allowed here"
    if to in seen.seats:
        return to, f"{to} is out of the game"
    return to, f'"to" has to be "all" or one seat\'s name, not {_shown(value)}'


def _pledge(value: Any, seen: Observation) -> Pledge | str:
    """A pledge, or why it is none."""
    if not isinstance(value, dict):
        return f"a pledge has to be an object, not {_shown(value)}"
    if not seen.pledges:
        return "no pledges are taken in this game"
    kind, to, turns, condition = (value.get(key) for key in ("kind", "to", "turns", "if"))
    kind = even_out(kind) if isinstance(kind, str) else kind
    to = even_out(to) if isinstance(to, str) else to
    condition = even_out(condition) if isinstance(condition, str) else condition
    if kind not in seen.pledges:
        return f"{_shown(kind)} is no kind of pledge"
    if to not in seen.alive or to == seen.seat:
        return f"a pledge to {kind} has to name another seat still in the game, not {_shown(to)}"
    if isinstance(turns, bool) or not isinstance(turns, int | float) or turns not in PLEDGE_TURNS:
        return f"the term of a pledge to {kind} has to be a whole number of turns from 1 to {PLEDGE_TURNS[-1]}"
    if condition is not None and condition not in seen.pledges:
        return f"{_shown(condition)} is no kind of pledge to make another depend on"
    return Pledge(kind, to, int(turns), condition)


class _Talk(NamedTuple):
    messages: tuple[Message, ...]
    cut: tuple[int, ...]
    dropped: tuple[str, ...]
    dropped_pledges: tuple[str, ...]


def _pledges(given: Any, seen: Observation, reasons: _Reasons) -> tuple[Pledge, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        reasons.add(f'"pledges" has to be a list, not {_shown(given)}')
        return ()
    kept: list[Pledge] = []
    for value in given:
        pledge = _pledge(value, seen)
        if isinstance(pledge, str):
            reasons.add(pledge)
        elif len(kept) == PLEDGES_A_MESSAGE:
            reasons.add(f"a message carries at most {PLEDGES_A_MESSAGE} pledges")
        else:
            kept.append(pledge)
    return tuple(kept)


def _talk(given: Any, seen: Observation) -> _Talk:
    """The messages that may be delivered. The others are dropped, each with its reason."""
    dropped, dropped_pledges = _Reasons("messages"), _Reasons("pledges")
    kept: list[Message] = []
    cut: list[int] = []
    if given is not None and not isinstance(given, list):
        dropped.add(f'"messages" has to be a list, not {_shown(given)}')
    for value in given if isinstance(given, list) else ():
        if not isinstance(value, dict):
            dropped.add(f"a message has to be an object, not {_shown(value)}")
            continue
        if seen.talk is None or len(kept) >= seen.talk.messages:
            most = 0 if seen.talk is None else seen.talk.messages
            dropped.add(f"at most {most} messages may be sent with this reply" if most else "nothing may be said now")
            continue
        to, fault = _addressee(value.get("to"), seen, seen.talk.private)
        words = value.get("text")
        text = clean(words) if isinstance(words, str) else ""
        if fault is None and not text.strip():
            fault = "it is empty"
        if fault is not None:
            dropped.add(f"a message was not delivered: {fault}")
            continue
        if len(text) > seen.talk.chars:
            text = text[: seen.talk.chars]
            cut.append(len(kept))
        kept.append(Message(seen.seat, to, text, _pledges(value.get("pledges"), seen, dropped_pledges)))
    return _Talk(tuple(kept), tuple(cut), dropped.lines(), dropped_pledges.lines())


def _own_words(value: Any, limit: int) -> str | None:
    """A seat's private text, cleaned and cut; None where it gave no text."""
    return clean(value)[:limit] if isinstance(value, str) else None


def _trouble(finish_reason: str | None, left: str, found: _AnswerError) -> _AnswerError:
    """The error of a reply without a usable answer in it, by the reason that the provider gives for its end."""
    if finish_reason == "content_filter":
        return _AnswerError("content_filter", "the provider's content filter stopped the reply")
    if finish_reason == "refusal":
        return _AnswerError("refusal", "the model refused to answer")
    if finish_reason == "length" and found.read_by is None:
        return _AnswerError("truncated", "the reply was cut off at the token limit before its JSON object was complete")
    return found if left else _AnswerError("empty", "the reply was empty")


def read(completion: Completion, observation: Observation) -> Reading:
    """What a model sent, read as the reply of the seat that was asked.

    Gives a reply, or an error of kind `unreadable`, `illegal`, `truncated`, `empty`, `content_filter` or `refusal`.
    An action has to equal a legal one once case and blanks are evened out. A talk round needs no action, and one that
    is given there is left aside.
    """
    text = (completion.content or "").strip()
    found = objects(text)
    reasoning = [completion.reasoning or ""]
    if not is_whole(text, found):
        thinking, left = without_thinking(text, found)
        if thinking:
            reasoning += thinking
            text = left.strip()
            found = objects(text)
    thoughts_apart = "\n\n".join(piece.strip() for piece in map(clean, reasoning) if piece.strip()) or None
    from_tool = not text and bool(completion.tool_arguments)
    if from_tool:
        text = (completion.tool_arguments or "").strip()
        found = objects(text)
    read_by: ReadBy | None = None
    try:
        try:
            answer, read_by = _answer(text, found, observation.asked)
        except _AnswerError as fault:
            raise _trouble(completion.finish_reason, text, fault) from None
        if from_tool:
            read_by = "tool"
        actions = _actions(answer, observation.legal) if observation.asked == "act" else ()
    except _AnswerError as fault:
        return Reading(None, fault.read_by or read_by, thoughts_apart, error_kind=fault.kind, error=fault.why)
    talk = _talk(answer.get("messages"), observation)
    reply = Reply(
        actions=actions,
        messages=talk.messages,
        notes=_own_words(answer.get("notes"), NOTES_CHARS),
        thoughts=_own_words(answer.get("thoughts"), THOUGHTS_CHARS),
    )
    return Reading(reply, read_by, thoughts_apart, talk.dropped, talk.dropped_pledges, talk.cut)
