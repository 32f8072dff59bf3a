"""Kinds of questions and the evidence each needs, as a strategy defines them.

``evidence_set.by_kind`` holds a list of kinds. The first whose pattern the question matches, and
whose required block types the parent has, decides; the last one, without patterns, takes the rest.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rag_query.providers.registry import Params, register

Output = Literal["structured", "sentences", "summary"]


class QuestionKind(BaseModel):
    """One kind.

    Attributes:
        patterns: regular expressions; any that is found in the question makes it this kind.
        required: block types that must be in the evidence; a parent without any of them answers
            the question as the next kind that fits.
        optional: block types that are added when the parent has them.
        output: ``structured`` keeps every block whole and in order, ``sentences`` picks the
            sentences that answer, ``summary`` takes the head of each section.
        max_sentences: of the output; 0 for no limit.
        max_items: of a list that the best sentence opens or is part of, beyond ``max_sentences``:
            half a list is a wrong answer to what must be done or brought.
        max_chunks: of the evidence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    patterns: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    output: Output = "sentences"
    max_sentences: int = Field(0, ge=0, le=1000)
    max_items: int = Field(20, ge=0, le=1000)
    max_chunks: int = Field(64, ge=1, le=1000)

    @field_validator("patterns")
    @classmethod
    def _compiles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as exc:
                raise ValueError(f"{pattern!r} is no regular expression: {exc}") from exc
        return value

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        # Each by itself: joined, they would share flags and numbers of groups.
        return tuple(re.compile(pattern, re.IGNORECASE) for pattern in self.patterns)

    def matches(self, question: str) -> bool:
        """Whether a question is of this kind."""
        return not self.patterns or any(pattern.search(question) for pattern in self._compiled)


DEFAULT_KINDS = (
    QuestionKind(
        name="summary",
        patterns=(
            "总结|概括|概述|摘要|主要内容|讲了什么|介绍一下(?:这|本|该)",
            r"\bsummar(?:y|i[sz]e)\b|\boverview\b",
            r"\bwhat is (?:this|the) (?:document|text|page) about",
        ),
        output="summary",
        max_sentences=8,
    ),
    QuestionKind(
        name="ingredients",
        patterns=(
            "(?:原料|食材|配料|材料|用料|调料|工具)(?:有哪些|是什么|清单|有什么|都有|呢|$|[？?])"
            "|(?:需要|要|用|准备)(?:哪些|什么)(?:原料|食材|配料|材料|用料|调料|工具|东西)?(?:[？?]|$)",
            r"\b(?:which|what|list)\b.*\bingredients?\b|\bwhat do i need\b|^ingredients?\b",
        ),
        required=("ingredients",),
        output="structured",
    ),
    QuestionKind(
        name="steps",
        patterns=(
            "步骤|流程|怎么操作|操作(?:是什么|方法|呢)?[？?]?$",
            r"\b(?:what are|list|show|give) .*\bsteps\b|^steps\b",
        ),
        required=("operation",),
        output="structured",
    ),
    QuestionKind(
        name="notes",
        patterns=(
            "注意(?:事项|什么|点)|小贴士|(?:有什么|有哪些|什么)(?:技巧|窍门|提示)",
            r"\b(?:tips|notes)\b[?]?$|\banything to (?:watch|note|mind)",
        ),
        required=("tips",),
        output="structured",
    ),
    QuestionKind(
        name="teaching",
        patterns=(
            "(?:怎么|如何|怎样)(?:做|制作|烹饪|烧|煮|炒)(?!法?(?:才|出来|得|好|的时候))|做法|菜谱|教我做|食谱",
            r"\bhow (?:to|do i|do you|can i) (?:make|cook|prepare|bake)\b|\brecipe\b",
        ),
        required=("ingredients", "operation"),
        optional=("tips",),
        output="structured",
    ),
    QuestionKind(name="fact", output="sentences", max_sentences=3, max_chunks=6),
)


class KindsParams(Params):
    """Parameters of ``evidence_set.by_kind``."""

    kinds: tuple[QuestionKind, ...] = Field(DEFAULT_KINDS, min_length=1)

    @field_validator("kinds")
    @classmethod
    def _last_takes_all(cls, value: tuple[QuestionKind, ...]) -> tuple[QuestionKind, ...]:
        if value[-1].patterns or value[-1].required:
            raise ValueError("the last kind must take every question: no patterns, no required")
        if len({kind.name for kind in value}) < len(value):
            raise ValueError("two kinds have one name")
        return value


class ByKind:
    """Chooses the kind of a question for a parent."""

    def __init__(self, params: KindsParams) -> None:
        self._kinds = params.kinds

    def kind_of(self, question: str, block_types: frozenset[str]) -> QuestionKind:
        """The first kind that fits the question and the parent."""
        for kind in self._kinds[:-1]:
            if kind.matches(question) and block_types.issuperset(kind.required):
                return kind
        return self._kinds[-1]

    def about_whole(self, question: str) -> bool:
        """Whether a question is about a document as a whole, whichever parent answers it."""
        return any(k.output != "sentences" and k.matches(question) for k in self._kinds[:-1])


register("evidence_set.by_kind", version="2", params=KindsParams, build=ByKind)
