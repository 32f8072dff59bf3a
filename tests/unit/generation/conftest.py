"""Chunks of a parent, and the checks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_query.generation.answers.verification import RulesVerifier, VerifierParams
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.text.analysis import Analyzer

#: ``chunk(text, block_type=…)``: the next chunk of one parent.
MakeChunk = Callable[..., SourceChunk]


@pytest.fixture(scope="session")
def analyzer() -> Analyzer:
    return Analyzer()


@pytest.fixture(scope="session")
def verifier(analyzer: Analyzer) -> RulesVerifier:
    return RulesVerifier(VerifierParams(), analyzer=analyzer)


@pytest.fixture
def chunk() -> MakeChunk:
    made: list[SourceChunk] = []

    def make(
        text: str,
        block_type: str = "paragraph",
        section: str = "A",
        title: str = "Braised pork",
    ) -> SourceChunk:
        start = sum(len(c.text) + 2 for c in made)
        made.append(
            SourceChunk(
                chunk_id=f"chk_{len(made):024x}", version_id="ver_1", doc_id="doc_1",
                title=title, section_path=section, block_type=block_type,
                chunk_index=len(made), text=text, char_start=start, char_end=start + len(text),
            )
        )  # fmt: skip
        return made[-1]

    return make
