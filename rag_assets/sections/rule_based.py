"""``sectioner.rule_based``: sections begin at lines that match a rule (DEV_SPEC 3.4.6.1).

For contracts, logs and forms, whose headings are no Markdown, or were made Markdown's by the
loader. Rules see lines, as they are written and as they are read, not a syntax tree; those in
fences are none.
"""

from __future__ import annotations

import re

from pydantic import Field

from rag_assets.markdown_tree import Spans
from rag_assets.sections.base import Section
from rag_assets.sections.drafts import Heading, PreambleMode, merged_drafts, sections_of
from rag_assets.sections.patterns import Pattern
from rag_query.providers.registry import Params, register
from rag_query.text.heading_attributes import without_attributes

_LONGEST_TITLE = 200
_HEADING_MARK = re.compile(r"#{1,6}[ \t]+(?=\S)")
_CLOSING_MARK = re.compile(r"(?<=[ \t])#++$")
#: Words in bold; the lines that a form leaves to be filled in are none.
_BOLD = re.compile(
    r"\*{2,3}(?=[^\s*])(.{1,200}?)(?<=[^\s*])\*{2,3}"
    r"|\b_{2,3}(?=[^\s_])(.{1,200}?)(?<=[^\s_])_{2,3}\b"
)
_MAY_BE_CODE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)


class SectionRule(Params):
    """A line that begins a section.

    Attributes:
        pattern: a regular expression for the beginning of the line, indentation left out. It may
            match the line as it is written or without the marks of headings and bold words. Its
            group ``title`` is the section's title, otherwise the whole line without marks is.
        level: of the section, 1 the outermost.
    """

    pattern: Pattern = Field(min_length=1)
    level: int = Field(1, ge=1, le=6)


_CHINESE_NUMBER = "[〇零一二三四五六七八九十百千0-9]+"
#: An article that an amendment put after another has its number, e.g. 第一百二十条之一.
_TITLE_FOLLOWS = rf"(?:之{_CHINESE_NUMBER})*(?:[\s：:]|$)"

_HAN = re.compile("[\u4e00-\u9fff]")
_NUMBERED = re.compile(rf"第{_CHINESE_NUMBER}[编篇部章条節节款](?:之{_CHINESE_NUMBER})*")

#: Parts, chapters and clauses of contracts and statutes in Chinese and English.
LEGAL = (
    SectionRule(pattern=rf"第{_CHINESE_NUMBER}[编篇部]{_TITLE_FOLLOWS}", level=1),
    SectionRule(pattern=rf"第{_CHINESE_NUMBER}章{_TITLE_FOLLOWS}", level=2),
    SectionRule(pattern=rf"第{_CHINESE_NUMBER}[条節节款]{_TITLE_FOLLOWS}", level=3),
    SectionRule(pattern=r"(?i:part)\s+[0-9IVXLC]+\b", level=1),
    SectionRule(pattern=r"(?i:chapter)\s+[0-9IVXLC]+\b", level=2),
    SectionRule(pattern=r"(?i:article|section|clause)\s+[0-9IVXLC]+(?:\.[0-9]+)*\b", level=3),
)


class RuleBasedParams(Params):
    """Parameters of ``sectioner.rule_based``."""

    rules: tuple[SectionRule, ...] = Field(
        LEGAL, min_length=1, max_length=50, description="the first that matches a line counts"
    )
    doc_preamble_mode: PreambleMode = "separate"
    include_heading: bool = Field(
        True,
        description="the matching line is part of the text; those of merged sections always are",
    )
    min_section_chars: int = Field(
        0, ge=0, description="see sectioner.markdown_headings; 0 merges nothing"
    )


class RuleBased:
    """See the module."""

    def __init__(self, params: RuleBasedParams) -> None:
        self._params = params
        self._rules = [(re.compile(rule.pattern), rule.level) for rule in params.rules]

    def sections(self, md: str) -> list[Section]:
        """The sections of ``md``; without a matching line all of it is the preamble."""
        given = self._params
        drafts = merged_drafts(
            md, self._headings(md), given.doc_preamble_mode, given.min_section_chars
        )
        return sections_of(drafts, include_heading=given.include_heading)

    def _headings(self, md: str) -> list[Heading]:
        found: list[Heading] = []
        code = Spans(md, {"Fenced"}) if _MAY_BE_CODE.search(md) else None
        start = 0
        for line in md.split("\n"):
            ruled = self._ruled(line.strip())
            if ruled and not (code and code.hold(start)):
                found.append(Heading(start, start + len(line), *ruled))
            start += len(line) + 1
        return found

    def _ruled(self, text: str) -> tuple[int, str] | None:
        """Level and title of the heading a line is; None of any other."""
        if not text:
            return None
        bare = _unmarked(text)
        for pattern, level in self._rules:
            if match := pattern.match(text) or pattern.match(bare):
                title = _unmarked(match.groupdict().get("title") or bare)
                return level, " ".join(title.split())[:_LONGEST_TITLE]
        return None


def _unmarked(line: str) -> str:
    """What a reader sees of a line that may be a heading or begin in bold."""
    if mark := _HEADING_MARK.match(line):
        line = without_attributes(_CLOSING_MARK.sub("", line[mark.end() :]).rstrip())
    return _BOLD.sub(_plain, line) if "**" in line or "__" in line else line


def _plain(bold: re.Match[str]) -> str:
    """Words in bold; those that begin a line are its number or title, and end as a word does.

    Chinese ends words without a blank, which a rule may ask for behind a number.
    """
    follows = bold.string[bold.end() : bold.end() + 1]
    words: str = bold[1] or bold[2]
    if bold.start() or not follows.isalnum():
        return words
    is_apart = _NUMBERED.fullmatch(words) or not _HAN.search(words[-1] + follows)
    return f"{words} " if is_apart else words


register("sectioner.rule_based", version="4", params=RuleBasedParams, build=RuleBased)
