"""How long a text is, in the unit a chunker counts in.

The addresses of pictures (``asset://…``) count for nothing: nobody reads them, and no model is
given them.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from rag_query.text.pictures import ASSET_ADDRESS, ASSET_SCHEME, address_chars

LengthFunction = Literal["chars", "estimated_tokens"]

#: Costs are counted in twelfths of a token, so that sums are exact.
_PARTS = 12
#: A subword model has about four letters of an alphabet in a token,
_LETTER = _PARTS // 4
#: and about one and a half Chinese, Japanese or Korean characters.
_CJK = _PARTS * 2 // 3
_FIRST_CJK = 0x2E80


def exceeds(text: str, limit: float, function: LengthFunction) -> bool:
    """Whether ``text`` is longer than ``limit``; quicker than a :class:`Ruler` of all of it."""
    # Most texts are so short that nothing in them matters.
    if len(text) * (_PARTS if function == "chars" else _CJK) <= limit * _PARTS:
        return False
    length = len(text) - address_chars(text)
    if function == "chars" or text.isascii():
        return length * (_PARTS if function == "chars" else _LETTER) > limit * _PARTS
    wide = int(np.count_nonzero(_codes(text) >= _FIRST_CJK))
    return length * _LETTER + wide * (_CJK - _LETTER) > limit * _PARTS


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


class Measure(Protocol):
    """Measures ranges of one text. A range never costs less than a shorter one inside it."""

    def size(self, start: int, end: int) -> float:
        """Length of ``text[start:end]``."""
        ...

    def reach(self, start: int, limit: float) -> int:
        """The furthest ``end`` with ``size(start, end) <= limit``."""
        ...

    def reach_back(self, end: int, limit: float) -> int:
        """The earliest ``start`` with ``size(start, end) <= limit``."""
        ...


class Ruler:
    """Counts characters, or estimates tokens from them."""

    def __init__(self, text: str, function: LengthFunction) -> None:
        self._length = len(text)
        self._uniform = _PARTS if function == "chars" else _LETTER
        self._prefix: npt.NDArray[np.int64] | None = None
        has_addresses = ASSET_SCHEME in text
        if has_addresses or (function == "estimated_tokens" and not text.isascii()):
            costs = np.full(len(text), self._uniform, dtype=np.int64)
            if function == "estimated_tokens":
                costs[_codes(text) >= _FIRST_CJK] = _CJK
            for address in ASSET_ADDRESS.finditer(text) if has_addresses else ():
                costs[address.start() : address.end()] = 0
            self._prefix = np.zeros(len(text) + 1, dtype=np.int64)
            np.cumsum(costs, out=self._prefix[1:])

    def size(self, start: int, end: int) -> float:
        """Length of ``text[start:end]``."""
        if self._prefix is None:
            return (end - start) * self._uniform / _PARTS
        return int(self._prefix[end] - self._prefix[start]) / _PARTS

    def reach(self, start: int, limit: float) -> int:
        """The furthest ``end`` with ``size(start, end) <= limit``."""
        room = int(limit * _PARTS)
        if self._prefix is None:
            return min(start + room // self._uniform, self._length)
        return int(self._prefix.searchsorted(self._prefix[start] + room, side="right")) - 1

    def reach_back(self, end: int, limit: float) -> int:
        """The earliest ``start`` with ``size(start, end) <= limit``."""
        room = int(limit * _PARTS)
        if self._prefix is None:
            return max(end - room // self._uniform, 0)
        return int(self._prefix.searchsorted(self._prefix[end] - room, side="left"))


class TokenRuler:
    """Counts the tokens that begin in a range.

    Args:
        starts: where each token of ``text`` begins, in order.
    """

    def __init__(self, text: str, starts: npt.NDArray[np.int64]) -> None:
        self._length = len(text)
        self._starts = np.maximum.accumulate(starts) if len(starts) else starts

    def size(self, start: int, end: int) -> float:
        """Tokens that begin in ``text[start:end]``."""
        low, high = np.searchsorted(self._starts, (start, end))
        return float(high - low)

    def reach(self, start: int, limit: float) -> int:
        """The furthest ``end`` with ``size(start, end) <= limit``."""
        last = int(np.searchsorted(self._starts, start)) + int(limit)
        return int(self._starts[last]) if last < len(self._starts) else self._length

    def reach_back(self, end: int, limit: float) -> int:
        """The earliest ``start`` with ``size(start, end) <= limit``."""
        before = int(np.searchsorted(self._starts, end)) - int(limit) - 1
        return int(self._starts[before]) + 1 if before >= 0 else 0
