"""Pages without text, and pages whose text is no text: their fonts name no characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.loading.pdf.extraction.blocks import ImageBlock, TableBlock
from rag_assets.loading.pdf.file.faults import listed
from rag_assets.loading.pdf.order.rows import PageRows
from rag_query.contracts.errors import ErrorCode

#: What MuPDF writes for a glyph that nobody can name.
_LOST = "\ufffd"
#: Glyphs without a character (a font with no ToUnicode map), and bare control characters.
_NAMELESS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
#: Characters that mean something to their font alone; single ones are list marks and signs.
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
#: So many beside each other may be a word.
_WORD = 2 * _LOST
#: A page with so many nameless glyphs in words, and this share of them, has lost words.
_FEW_NAMELESS = 10
_NAMELESS_SHARE = 0.03
#: Above this share of characters without a meaning, the text of a page is no text.
_UNDECODABLE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Legible:
    """How much of a document can be read as text.

    Attributes:
        pages: how many it has.
        without_text: numbers (1-based) of those that have no text at all.
        undecodable: numbers of those that have lost words to characters without a meaning.
    """

    pages: int
    without_text: list[int]
    undecodable: list[int]

    @classmethod
    def of(cls, pages: list[PageRows], md: str) -> Legible:
        """Look at the ``pages``, whose text together is ``md``."""
        legible = _is_legible(md)
        empty: list[int] = []
        undecodable: list[int] = []
        for page in pages:
            if not page.rows and all(isinstance(item, ImageBlock) for item in page.items):
                empty.append(page.number)
            elif not legible and _is_undecodable(_texts(page)):
                undecodable.append(page.number)
        return cls(len(pages), empty, undecodable)

    def warnings(self) -> list[str]:
        """``NO_TEXT``, ``PAGES_WITHOUT_TEXT`` and ``UNDECODABLE_TEXT``, as far as they hold."""
        found = []
        if len(self.without_text) == self.pages:
            found.append(f"{ErrorCode.NO_TEXT}: no page has text; it may be a scan.")
        elif self.without_text:
            found.append(f"PAGES_WITHOUT_TEXT: {listed(self.without_text)}")
        if self.undecodable:
            found.append(f"UNDECODABLE_TEXT: {listed(self.undecodable)}")
        return found


def mark_nameless(pages: Sequence[PageRows]) -> None:
    """Mark rows as no text in which no character has a name, or blanks and marks alone: they
    say nothing, and music or formulas may have thousands of them."""
    for page in pages:
        for row in page.rows:
            if _LOST in row.text and not (row.furniture or row.level) and not _says(row.text):
                row.furniture = "nameless"


def _says(text: str) -> bool:
    """Whether there is a letter or a digit in a text."""
    return any(map(str.isalnum, text))


def _texts(page: PageRows) -> list[str]:
    """All text of a page: its rows, the cells of its tables, its footnotes."""
    texts = [row.text for row in page.rows]
    tables = len(page.items) > len(page.rows)
    for table in page.items if tables else ():
        if isinstance(table, TableBlock):
            texts += [line.text for row in table.rows for cell in row for line in cell]
    for note in page.footnotes:
        texts += [row.text for row in note.rows]
    return texts


def _is_legible(text: str) -> bool:
    """Whether all of a text has a meaning, as is known quickly; False where it may have none."""
    # A character for a character, which takes half the time of leaving them out.
    text = text.replace("\n", " ").replace("\u00a0", " ")
    return text.isprintable() and _LOST not in text


def _is_undecodable(texts: Sequence[str]) -> bool:
    text = "".join(texts)
    if _is_legible(text):
        return False
    nameless = len(_NAMELESS.findall(text))
    # The notes of music, and braces as high as a formula, are many and no words.
    signs = sum(each.count(_LOST) for each in texts if _are_signs(each))
    if nameless - signs >= max(_FEW_NAMELESS, _NAMELESS_SHARE * len(text)):
        return True
    return len(_PRIVATE.findall(text)) + nameless > _UNDECODABLE_SHARE * len(text)


def _are_signs(text: str) -> bool:
    """Whether a row holds nothing but nameless glyphs and marks, and no word that may be lost."""
    return _LOST in text and _WORD not in text and not _says(text)
