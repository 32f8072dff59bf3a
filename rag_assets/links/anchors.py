"""``anchors``: what links can name inside a document, and the chunks it stands for.

They are kept with the document they lead into, made from its own chunks, so that a link is right
whatever has become of its target since the link was stored.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_assets.links.holders import Holders
from rag_assets.markdown_tree import Spans
from rag_assets.sections.blocks import Block
from rag_assets.sections.heading_lines import headings_of
from rag_query.library.link_graph import MAX_TARGETS
from rag_query.text.heading_attributes import id_of, without_attributes
from rag_query.text.slugs import fragment_slug, heading_slug, unique_slugs

#: Raised when other rows come of the same chunks.
VERSION = "4"
_ID = re.compile(
    r"""<(?:a\s(?:[^<>]*?\s)?(?:id|name)|[a-z][a-z0-9]*\s(?:[^<>]*?\s)?id)\s*=\s*"""
    r"""(?:"([^"]+)"|'([^']+)'|([^\s"'=<>`]+))""",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")
#: ``^id`` of Obsidian at the end of a block, or below it.
_BLOCK_ID = re.compile(r"(?<![^\s])\^([A-Za-z0-9-]++)[ \t]*+$", re.MULTILINE)
_CODE = frozenset({"Code", "CodeBlock"})
#: An element with an id this close above a heading names it, if only elements stand between.
_ABOVE = 400


class Target(NamedTuple):
    """``md[start:end]`` is what an anchor names: a heading and what stands below it."""

    anchor: str
    start: int
    end: int


def targets(
    md: str,
    ids: Mapping[str, str] | None = None,
    terms: Mapping[str, str] | None = None,
    places: Mapping[str, int] | None = None,
) -> list[Target]:
    """What links into ``md`` can name: explicit ids first, then the slugs of all headings, then
    the ids of blocks.

    Args:
        ids: id -> text of the heading that has it, of a format whose text does not show ids. Of
            several headings of one text, the first is meant by the first id, and so on.
        terms: id -> line of the term of a definition that has it, alike.
        places: id -> where in ``md`` the words begin that it stands before or among.
    """
    headings = headings_of(md)
    ends = _ends(headings, len(md))
    spans = [(heading.start, end) for heading, end in zip(headings, ends, strict=True)]
    titles = [heading.title for heading in headings]
    bare = [without_attributes(title) for title in titles]
    found: dict[str, tuple[int, int]] = {}
    for name, index in _by_title(ids or {}, titles):
        found.setdefault(heading_slug(name), spans[index])
    for name, span in _by_line(terms or {}, md, headings):
        found.setdefault(heading_slug(name), span)
    for title, span in zip(titles, spans, strict=True):
        if own := id_of(title):
            found.setdefault(heading_slug(own), span)
    for name, start in _elements(md):
        found.setdefault(heading_slug(name), _named(md, start, headings, spans))
    for name, start in (places or {}).items():
        found.setdefault(heading_slug(name), _named(md, start, headings, spans))
    # Where braces are no attribute they are part of the slug.
    for slugs in (unique_slugs(bare), unique_slugs(titles) if bare != titles else []):
        for slug, span in zip(slugs, spans, strict=False):
            found.setdefault(slug, span)
    for name, span in _blocks(md):
        found.setdefault(fragment_slug(name), span)
    return [Target(anchor, *span) for anchor, span in found.items() if anchor]


def anchor_rows(
    found: Sequence[Target], chunks: Sequence[dict[str, Any]], version: str, doc: str
) -> list[dict[str, Any]]:
    """Rows of ``anchors`` of one version.

    Args:
        chunks: of the version in order.
    """
    holders = Holders(chunks)
    index_of = {chunk["chunk_id"]: index for index, chunk in enumerate(chunks)}
    rows = []
    for target in found:
        chunk = holders.below(target.start)
        if chunk is not None:
            rows.append(
                {
                    "doc_id": doc,
                    "version_id": version,
                    "anchor": target.anchor,
                    "chunk_id": chunk["chunk_id"],
                    "chunk_count": _count(chunks, index_of[chunk["chunk_id"]], target.end),
                }
            )
    return rows


def _count(chunks: Sequence[dict[str, Any]], first: int, end: int) -> int:
    """Chunks of one section from ``first`` on that begin before ``end``, as many as are used."""
    section = chunks[first]["section_id"]
    last = first + 1
    for chunk in chunks[first + 1 : first + MAX_TARGETS]:
        if chunk["section_id"] != section or chunk["char_start"] >= end:
            break
        last += 1
    return last - first


def _ends(headings: Sequence[Block], size: int) -> list[int]:
    """Where what stands below each heading ends: at the next one that is not deeper."""
    ends = [size] * len(headings)
    above: list[int] = []
    for index, heading in enumerate(headings):
        while above and headings[above[-1]].level >= heading.level:
            ends[above.pop()] = heading.start
        above.append(index)
    return ends


def _by_title(ids: Mapping[str, str], titles: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each id with the index of the heading it belongs to."""
    if not ids:
        return
    places: dict[str, list[int]] = {}
    for index in range(len(titles) - 1, -1, -1):
        places.setdefault(heading_slug(titles[index]), []).append(index)
    for name, title in ids.items():
        if left := places.get(heading_slug(title)):
            yield name, left.pop() if len(left) > 1 else left[0]


def _by_line(
    terms: Mapping[str, str], md: str, headings: Sequence[Block]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each id with what it names: its term and what follows up to the next or a heading."""
    if not terms:
        return
    places: dict[str, list[int]] = {line: [] for line in terms.values()}
    at = 0
    for line in md.split("\n"):
        if (found := places.get(line.strip().removeprefix("- "))) is not None:
            found.append(at)
        at += len(line) + 1
    ends = sorted(
        {start for starts in places.values() for start in starts}
        | {heading.start for heading in headings}
        | {len(md)}
    )
    for starts in places.values():
        starts.reverse()
    for name, line in terms.items():
        if left := places[line]:
            start = left.pop() if len(left) > 1 else left[0]
            yield name, (start, ends[bisect_right(ends, start)])


def _elements(md: str) -> Iterator[tuple[str, int]]:
    """(id, start) of the HTML elements of ``md`` that have one, in order."""
    written = list(_ID.finditer(md)) if "<" in md else []
    if not written:
        return
    code = Spans(md, _CODE)
    for match in written:
        if not code.hold(match.start()):
            yield match[1] or match[2] or match[3], match.start()


def _blocks(md: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """(``^id``, place) of the lines of ``md`` that Obsidian's block ids end or stand below."""
    written = list(_BLOCK_ID.finditer(md)) if "^" in md else []
    if not written:
        return
    code = Spans(md, _CODE)
    for match in written:
        if not code.hold(match.start()):
            start = match.start()
            while start and md[start - 1].isspace():
                start -= 1
            yield f"^{match[1]}", (md.rfind("\n", 0, start) + 1, match.end())


def _named(
    md: str, start: int, headings: Sequence[Block], spans: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """What the id of an element at ``start`` names: the heading it stands in or just above, else
    the text from there to the next heading."""
    index = bisect_left(headings, start, key=lambda heading: heading.start)
    if index and start < headings[index - 1].end:
        return spans[index - 1]
    following = headings[index].start if index < len(headings) else len(md)
    near = index < len(headings) and following - start <= _ABOVE
    if near and not _TAG.sub("", md[start:following]).strip():
        return spans[index]
    return start, following
