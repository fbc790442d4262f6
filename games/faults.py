"""The words for what is wrong with what came from outside, alike in every game."""

from __future__ import annotations

import json

from pydantic import ValidationError

QUOTED = 60
"""An error text quotes at most this many characters of the input."""


def quoted(text: str) -> str:
    """The input for an error text: shortened, and with everything but plain ASCII escaped."""
    return json.dumps(text if len(text) <= QUOTED else text[:QUOTED] + "...")


def first_fault(error: ValidationError, root: str, *, whole: bool = False) -> str:
    """One line beginning with the first field at fault, e.g. `options.chips: Input should be ...`.

    `root` names what was read; with `whole` the root itself is the record, and its fields go by their own names.
    """
    fault = error.errors(include_url=False, include_input=False)[0]
    parts = [] if whole else [root]
    for step in fault["loc"]:
        if step == "[key]":
            continue  # pydantic's mark for "the key itself"; the key stands before it
        if isinstance(step, int):
            parts[-1:] = [f"{parts[-1]}[{step}]"] if parts else [f"{root}[{step}]"]
        else:
            parts.append(ascii(step)[1:-1] if len(step) <= 40 else ascii(step[:40])[1:-1] + "...")
    return f"{'.'.join(parts) or root}: {fault['msg']}"
