"""How large an answer is for a model, and what of it fits.

Models count tokens, each in its own way; an answer is measured by an estimate that none of them
needs a tokenizer for: 3.5 ASCII characters, or one of any other kind, are a token.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import ceil
from typing import Any

_ASCII_PER_TOKEN = 3.5


def estimated_tokens(text: str) -> int:
    """Tokens of a text, estimated; 0 for none."""
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / _ASCII_PER_TOKEN) + len(text) - plain


def tokens_of(value: Any) -> int:
    """Estimated tokens of a value that can be written as JSON."""
    return estimated_tokens(json.dumps(value, ensure_ascii=False, default=str))


def end_within(text: str, start: int, tokens: int) -> int:
    """The largest end, so that ``text[start:end]`` is at most ``tokens`` long."""
    low, high = start, min(len(text), start + ceil(tokens * _ASCII_PER_TOKEN))
    while low < high:
        middle = (low + high + 1) // 2
        if estimated_tokens(text[start:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return low


def fitting(costs: Iterable[int], tokens: int) -> int:
    """How many of the first items fit."""
    used = number = 0
    for cost in costs:
        used += cost
        if used > tokens:
            break
        number += 1
    return number
