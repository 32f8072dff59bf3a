"""What a chunk is made of: its Markdown blocks, or what its section is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from rag_assets.sections.base import TITLE_JOINT
from rag_assets.sections.blocks import Block, outline
from rag_query.text.section_paths import SEPARATOR

#: The type of what stands above the first section of a domain type.
INTRO = "intro"

#: Titles only recipes have, the specification's own example of domain types.
RECIPE_TITLES = {
    "ingredients": r"必备原料和工具|(?i:(?:main )?ingredients(?: \(.*\))?)",
    INTRO: ".{1,60}的做法",
}
#: Words that head a section of a recipe, and of many another text.
RECIPE_COMPANIONS = {
    "ingredients": "计算",
    "operation": "操作|(?i:methods?|directions|instructions|steps|preparation|procedure)",
    "tips": "附加内容|(?i:(?:chef's |cook's )?(?:tips?|notes?)(?: (?:and|&) (?:tips|variations))?"
    "|variations|serving suggestions?)",
}

#: A label with a number, and then a stop, the end, or a blank and what may begin a title; Chinese
#: needs no blank. Where a verb or a word in lower case goes on, it is prose about the figure.
_CAPTION = re.compile(
    r"""[*_]{0,3}(?:(?i:Figure|Fig\.|Table|Listing|Scheme)|(?P<zh>[图表]))\s*
    (?>\d+(?:[.\-–－]\d+)*[A-Za-z]?)(?>(?:\s*[(（][^()（）\n]{1,40}[)）])?)[*_]{0,3}
    (?!\s*(?:
        [,，、；;的]|可[见知以]|所示|表明|给出|列出|列举|是(?!否)|为(?!了|何|什么)
      | (?:显示|展示|说明|描述|反映|总结|比较|对比|汇总|介绍|概括|呈现)[了出，：]
      | 中(?:的|，|可|给|列|显|展|所|我们|各|每)|(?:和|与|及|至|到|～|~)\s*[图表]?\s*\d
    ))
    (?:\s*(?:[.:：．。|—–]|\Z)|\s+(?=[^\s(a-z])|(?(zh)(?=[\u3400-\u9fff“「《])|(?!)))""",
    re.VERBOSE,
)
_LONGEST_CAPTION = 600
_TO_BE_SEEN = frozenset({"paragraph", "html", "rule"})


class TitleTypes:
    """Domain types by section title; a pattern must match the whole title.

    Args:
        patterns: block_type -> pattern.
        companions: the same, for titles that count only in a document where one of ``patterns``
            counts.
    """

    def __init__(
        self, patterns: Mapping[str, str], companions: Mapping[str, str] | None = None
    ) -> None:
        self._alone = _Titles(patterns.items())
        self._any = _Titles([*patterns.items(), *(companions or {}).items()])

    def of_document(
        self, titles: Sequence[str | None], levels: Sequence[int], paths: Sequence[str]
    ) -> list[str | None]:
        """The domain type of each section of a document, in order.

        A section without a type of its own has that of the nearest heading above it that has
        one, and what stands before the first such heading, up to a heading of level 1, is
        :data:`INTRO`. An introduction hands nothing down. A document has types when a title of
        ``patterns`` stands in it that is no introduction's, or when its own title is one.

        Args:
            levels: of the sections' headings; 0 without one.
            paths: their ``section_path``.
        """
        if not self._typed(titles, levels, paths):
            return [None] * len(titles)
        chains = [_chain(title, path) for title, path in zip(titles, paths, strict=True)]
        found: list[str | None] = []
        typed = False
        for chain, level in zip(chains, levels, strict=True):
            own, *above = map(self._any.of, chain) if chain else (None,)
            kind = own or next((held for held in above if held not in (None, INTRO)), None)
            typed = typed or kind not in (None, INTRO)
            found.append(INTRO if kind is None and level <= 1 and not typed else kind)
        return found

    def _typed(
        self, titles: Sequence[str | None], levels: Sequence[int], paths: Sequence[str]
    ) -> bool:
        """Whether anything says that the document is of the kind the types are for."""
        named = [
            (title, level, path)
            for title, level, path in zip(titles, levels, paths, strict=True)
            if title is not None
        ]
        above = {_above(title, path) for title, _, path in named}
        names = {name for joined in above for name in joined.split(SEPARATOR)}
        names.update(title for title, _, _ in named)
        single = {part for name in names for part in name.split(TITLE_JOINT)}
        if not {None, INTRO}.issuperset(map(self._alone.of, single)):
            return True
        outermost = {path.split(SEPARATOR, 1)[0] for _, _, path in named}
        if len(outermost) != 1 or self._alone.of(outermost.pop()) != INTRO:
            return False
        _, level, path = named[0]
        return level == path.count(SEPARATOR) + 1  # So the outermost heading has level 1.

    def of(self, title: str | None) -> str | None:
        """The domain type a title tells without the document around it, None when it has none."""
        kind = None if title is None else self._alone.of(title)
        return None if kind == INTRO else kind


class _Titles:
    """Types of titles by patterns; the first that matches counts."""

    def __init__(self, patterns: Iterable[tuple[str, str]]) -> None:
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in patterns]
        self._known: dict[str, str | None] = {}

    def of(self, title: str) -> str | None:
        """The type of a title; of titles that were joined only one they share."""
        if title not in self._known:
            kinds = {self._single(part.strip()) for part in title.split(TITLE_JOINT)}
            self._known[title] = kinds.pop() if len(kinds) == 1 else None
        return self._known[title]

    def _single(self, title: str) -> str | None:
        for kind, pattern in self._patterns:
            if pattern.fullmatch(title):
                return kind
        return None


def _chain(title: str | None, path: str) -> list[str]:
    """A section's title and those of the headings above it, the nearest first."""
    if title is None:
        return []
    above = _above(title, path)
    return [title, *reversed(above.split(SEPARATOR) if above else ())]


def _above(title: str, path: str) -> str:
    """The path of the headings above a section."""
    return path.removesuffix(title).removesuffix(SEPARATOR)


def whole_type(text: str) -> str:
    """:func:`block_type` of all of ``text``, which is read until a kind has more than half."""
    weights: dict[str, int] = {}
    half = len(text) / 2
    for kind, piece in outline(text):
        size = len(piece)
        if not weights and piece[:1].isspace() and text.lstrip().startswith(piece.lstrip()):
            # Blanks at the edges of the text count for nothing.
            size = len(piece.lstrip())
        if not size:
            continue
        seen = _seen(kind, piece, 0, len(piece)) if kind in _TO_BE_SEEN else kind
        weights[seen] = weights.get(seen, 0) + size
        if weights[seen] > half and seen != "heading":
            return seen
    return _heaviest(weights)


def block_type(text: str, blocks: Sequence[Block], start: int, end: int) -> str:
    """The kind of block most characters of ``text[start:end]`` are in.

    A heading counts only when there is nothing else.
    """
    weights: dict[str, int] = {}
    first = bisect_right(blocks, start, key=_start_of) - 1 if start else 0
    for index in range(max(first, 0), len(blocks)):
        block = blocks[index]
        if block.start >= end:
            break
        overlap = min(block.end, end) - max(block.start, start)
        if overlap > 0:
            kind = block.kind
            if kind in _TO_BE_SEEN:
                kind = _seen(kind, text, block.start, block.end)
            weights[kind] = weights.get(kind, 0) + overlap
    return _heaviest(weights)


_start_of = attrgetter("start")


def _heaviest(weights: dict[str, int]) -> str:
    if len(weights) > 1:
        weights.pop("heading", None)
    return max(weights, key=lambda kind: weights[kind]) if weights else "paragraph"


def _seen(kind: str, text: str, start: int, end: int) -> str:
    """What a reader sees in the block ``text[start:end]``, which is one of _TO_BE_SEEN."""
    short = end - start <= _LONGEST_CAPTION
    return (
        "caption"
        if kind == "paragraph" and short and _CAPTION.match(text, start, end)
        else "paragraph"
    )
