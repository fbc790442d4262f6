"""How many tokens a text has, counted without asking anybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

REMEMBERED = 100_000
"""Texts whose count is kept: prompts share most of their parts."""


def counter() -> Callable[[str], int]:
    """A function that counts the tokens of a text by the tokenizer that litellm brings along, OpenAI's.

    Other models' tokenizers differ from it by some 20 % in English, more elsewhere. Imports litellm.
    """
    from harness.gateway.library import library

    encoding = library().encoding

    @lru_cache(REMEMBERED)
    def count(text: str) -> int:
        return len(encoding.encode(text, disallowed_special=()))

    return count
