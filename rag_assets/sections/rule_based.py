"""``sectioner.rule_based``: sections begin at lines that match a rule (DEV_SPEC 3.4.6.1).

For contracts, logs and forms, whose headings are no Markdown. Rules see lines, not a syntax tree.
"""

from __future__ import annotations

import re

from pydantic import Field

from rag_assets.sections.base import Section
from rag_assets.sections.drafts import Heading, PreambleMode, merged_drafts, sections_of
from rag_assets.sections.patterns import Pattern
from rag_query.providers.registry import Params, register

_LONGEST_TITLE = 200


class SectionRule(Params):
    """A line that begins a section.

    Attributes:
        pattern: a regular expression for the beginning of the line, indentation left out. Its
            group ``title`` is the section's title, otherwise the whole line is.
        level: of the section, 1 the outermost.
    """

    pattern: Pattern = Field(min_length=1)
    level: int = Field(1, ge=1, le=6)


_CHINESE_NUMBER = "[〇零一二三四五六七八九十百千0-9]+"
#: An article that an amendment put after another has its number, e.g. 第一百二十条之一.
_TITLE_FOLLOWS = rf"(?:之{_CHINESE_NUMBER})*(?:[\s：:]|$)"

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
        start = 0
        for line in md.split("\n"):
            text = line.strip()
            for pattern, level in self._rules if text else ():
                if match := pattern.match(text):
                    title = match.groupdict().get("title") or text
                    title = " ".join(title.split())[:_LONGEST_TITLE]
                    found.append(Heading(start, start + len(line), level, title))
                    break
            start += len(line) + 1
        return found


def _build(params: RuleBasedParams) -> RuleBased:
    return RuleBased(params)


register("sectioner.rule_based", version="2", params=RuleBasedParams, build=_build)
