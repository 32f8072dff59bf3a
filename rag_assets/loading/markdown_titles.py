"""Which heading of a Markdown text is the document's title."""

from __future__ import annotations

import re
from collections import Counter

from rag_assets.html_headings import heading_alone, outermost_title
from rag_assets.version_headings import release

#: Sections that a document of any project may begin with.
_SECTION = re.compile(
    r"[\W_]*(?:about|background|contents|description|features|highlights|install(?:ation|ing)?"
    r"|introduction|key features|license|motivation|overview|prerequisites|requirements|setup"
    r"|summary|table of contents|usage|what is (?:it|this)|why"
    r"|介绍|简介|概述|概览|说明|前言|背景|目录|特性|特点|功能|功能特性|主要特性|安装|用法|使用(?:说明)?"
    r")[\W_]*",
    re.IGNORECASE,
)


class TitleSearch:
    """Takes the headings and texts of a document in order.

    The title is that of the outermost heading, Markdown's or HTML's, that stands below no text of
    another one, else of the first heading when nothing but pictures and HTML stand above it and no
    other is of its level, which would make it a section like them, else empty. Of several releases
    none is it, nor is a title that recurs below them, nor of several outermost headings one that
    any document has.
    """

    def __init__(self) -> None:
        self._titles: Counter[str] = Counter()
        self._outermost: list[str] = []
        self._first = ""
        self._first_level = 0
        self._peers = 0  # Further headings of its level.
        self._tops = 0  # Outermost headings of Markdown.
        self._banner = False
        self._begun = False  # Anything but pictures and HTML was seen.
        self._told = False  # Text below a heading was seen.

    @property
    def listens(self) -> bool:
        """Whether it matters that words follow."""
        return not self._begun or bool(self._titles and not self._told)

    @property
    def _only_section(self) -> bool:
        """Whether what was seen is a section that any document may begin with."""
        return not self._outermost and _SECTION.fullmatch(self._first) is not None

    def heading(self, level: int, title: str) -> None:
        """One of Markdown; its title may be empty."""
        banner, self._banner = self._banner, False
        if not title:
            return
        if banner and not _SECTION.fullmatch(title):
            self._outermost[-1] = title
        elif level == 1 and (not self._told or self._only_section):
            self._outermost.append(title)
        self._tops += level == 1
        if not self._begun:
            self._first, self._first_level = title, level
        elif level == self._first_level:
            self._peers += 1
        self._titles[title] += 1
        self._begun = True

    def html(self, block: str) -> None:
        """A block of HTML. A heading in it with a heading of Markdown right below is the project's
        name, which stands on every page, unless that is what any project has a section for."""
        self._banner = False
        if not self._outermost and not self._told and (title := outermost_title(block)):
            self._outermost.append(title)
            self._titles[title] += 1
            self._banner = heading_alone(block) is not None

    def paragraph(self, words: str) -> None:
        """Text or code; one of pictures has no words, as the badges have none that stand below a
        project's name in its own README."""
        self._banner = False
        if words.strip():
            self._told = bool(self._titles)
            self._begun = True

    def found(self) -> str:
        """The title, or nothing."""
        releases = sum(count for title, count in self._titles.items() if release(title))
        for title in [*self._outermost, "" if self._peers else self._first]:
            if self._tops > 1 and _SECTION.fullmatch(title):
                continue
            if title and not (releases > 1 and (release(title) or self._titles[title] > 1)):
                return title
        return ""
