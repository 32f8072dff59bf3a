"""What a section is about, told by its title: the domain types of a document of a known kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from rag_assets.sections.base import TITLE_JOINT
from rag_query.text.section_paths import SEPARATOR

#: The type of what stands above the first section of a domain type.
INTRO = "intro"

#: Titles only recipes have, the specification's own example of domain types.
RECIPE_TITLES = {
    "ingredients": r"必备原料和工具|食材(?:清单|准备)?|(?i:(?:main )?ingredients(?: \(.*\))?)",
    INTRO: ".{1,60}的做法",
}
#: Words that head a section of a recipe, and of many another text.
RECIPE_COMPANIONS = {
    "ingredients": "计算|原料|用料",
    "operation": "操作|做法|(?:制作|操作|烹饪)?步骤|制作方法"
    "|(?i:methods?|directions|instructions|steps|preparation|procedure)",
    "tips": "附加内容|小?贴士|提示|注意事项"
    "|(?i:(?:chef's |cook's )?(?:tips?|notes?)(?: (?:and|&) (?:tips|variations))?"
    "|variations|serving suggestions?)",
}


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
        self._kinds = patterns.keys() - {INTRO}
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

    def of_label(self, label: str) -> str | None:
        """The domain type that a line of text tells of those below it; no label introduces."""
        kind = self._any.single(label)
        return None if kind == INTRO else kind

    def are_told(self, kinds: Collection[str]) -> bool:
        """Whether the types of labels say that their text is of the kind the types are for: two and
        more, and one of ``patterns``."""
        return len(kinds) > 1 and not self._kinds.isdisjoint(kinds)

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
            kinds = {self.single(part.strip()) for part in title.split(TITLE_JOINT)}
            self._known[title] = kinds.pop() if len(kinds) == 1 else None
        return self._known[title]

    def single(self, title: str) -> str | None:
        """The type of one title, which was not joined with another."""
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
