"""What patterns find whatever its case is found again by its small letters."""

from __future__ import annotations

import re
import string
import sys

from rag_query.text.letter_case import lowered


def test_whatever_a_pattern_takes_for_a_letter_becomes_it() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    for letter in string.ascii_lowercase:
        found = re.findall(letter, every, re.IGNORECASE)
        assert {lowered(each) for each in found} == {letter}
    assert lowered("MİN \u212ag ſec") == "min kg sec"
