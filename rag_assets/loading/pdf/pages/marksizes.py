"""The font sizes of list items whose marks are larger or smaller than their text.

Of a line, the extraction tells the size of its first character. Some programs set marks in a size
of their own, whatever that of the text: their items would pass for headings, and their other rows
for paragraphs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import characters_of

_MARK = re.compile(r"(?:[•◦▪‣●○■□∙⁃–—-]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+(?=\S)")
#: Sizes that differ by this share are one: TeX stretches its fonts line by line.
_ALIKE = 0.05


def set_text_sizes(lines: Sequence[Line], text_page: Any) -> None:
    """Set the size of each of a page's lines that begins with a mark, and has another size than
    most of its other text, to that of what stands behind the mark."""
    marked = [(line, mark.end()) for line in lines if (mark := _MARK.match(line.text))]
    if not marked:
        return
    sizes: Counter[int] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    for line, _ in marked:
        sizes[line.size] -= len(line.text)
    usual = max(sizes, key=sizes.__getitem__)
    for line, at in marked:
        differs = abs(line.size - usual) > _ALIKE * usual
        if differs and (characters := characters_of(text_page, line.box)):
            begin = len(line.raw) - len(line.raw.lstrip()) + at
            # The extraction cuts sizes off, and those of headings are compared.
            if begin < len(characters) and abs(characters[begin].size - line.size) > _ALIKE * usual:
                line.size = round(characters[begin].size)
