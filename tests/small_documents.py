"""Small documents for tests, and what their Markdown holds: sections, paragraphs, block types."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_assets.chunks.domain_types import RECIPE_COMPANIONS, RECIPE_TITLES, TitleTypes
from rag_query.library.sources import source_uri
from rag_query.text.ids import doc_id, sha256_text, version_id

#: A paragraph with this word cannot be embedded.
UNEMBEDDABLE = "UNEMBEDDABLE"


@dataclass(frozen=True, slots=True)
class SmallDoc:
    """One document.

    Attributes:
        name: path relative to the inbox; with ``collection`` it decides source_uri and doc_id.
        text: Markdown. Lines that begin with ``#`` open sections, paragraphs are the chunks (a
            fenced block is one of type ``code``, one that begins with ``|`` is a ``table``); below
            the headings of a recipe they have a recipe's block types.
        paged: every section stands on a page of its own.
        fails: code with which parsing fails.
        days: ``created_at``, in days after 2026-01-01.
        asset_ids: media of the first chunk; None for one that could not be had.
        keywords: of every chunk.
        aliases: other URIs of the same content.
    """

    name: str
    text: str
    collection: str = "inbox"
    tags: tuple[str, ...] = ()
    front_matter_tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    language: str = "en"
    title: str | None = None
    external_id: str | None = None
    source_type: str = "file"
    paged: bool = False
    fails: str | None = None
    days: float = 0.0
    asset_ids: tuple[str | None, ...] = ()
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def source_uri(self) -> str:
        return source_uri(self.collection, self.name, self.external_id)

    @property
    def doc_id(self) -> str:
        return doc_id(self.source_uri)

    @property
    def version_id(self) -> str:
        return version_id(self.doc_id, sha256_text(self.text))


@dataclass(frozen=True)
class Piece:
    """A paragraph: offsets in the text, and its block type."""

    start: int
    end: int
    block_type: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it up to the next one: offsets in the text."""

    number: int
    path: str
    title: str | None
    level: int
    start: int
    end: int


def sections_of(text: str) -> list[Section]:
    """The sections of a text; what stands before the first heading is one."""
    heads = list(re.finditer(r"^(#{1,6}) +(.+)$", text, re.MULTILINE))
    found: list[Section] = []
    if not heads or heads[0].start() > 0:
        end = heads[0].start() if heads else len(text)
        found.append(Section(0, "__preamble__", None, 0, 0, end))
    stack: list[tuple[int, str]] = []
    for number, head in enumerate(heads):
        level, title = len(head[1]), head[2].strip()
        stack = [*(h for h in stack if h[0] < level), (level, title)]
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        path = " / ".join(t for _, t in stack)
        found.append(Section(len(found), path, title, level, head.start(), end))
    return found


def recipe_types(sections: list[Section]) -> list[str | None]:
    """The domain types that the chunkers' default titles give, section by section."""
    titles = [section.title for section in sections]
    levels = [section.level for section in sections]
    kinds = TitleTypes(RECIPE_TITLES, RECIPE_COMPANIONS)
    return kinds.of_document(titles, levels, [section.path for section in sections])


def pieces_of(text: str, domain: str | None) -> list[Piece]:
    """The paragraphs of a section's text, of its ``domain`` type where it has one."""
    found = []
    for match in re.finditer(r"```[\s\S]*?```|(?:(?!```)\S[^\n]*(?:\n(?!\s*\n)|$)?)+", text):
        piece = match[0].rstrip()
        if not piece or re.fullmatch(r"#{1,6} +.+", piece):
            continue
        kind = "code" if piece.startswith("```") else "table" if piece[0] == "|" else "paragraph"
        found.append(Piece(match.start(), match.start() + len(piece), domain or kind))
    return found
