"""What answering reads of the library: found parents, a parent's text, the words of a question."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.answer import Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.pack import EvidencePack
from rag_query.contracts.plan import Mode
from rag_query.generation.conversation.turn import Turn
from rag_query.generation.parents.bearers import Bound, bound_elsewhere
from rag_query.generation.parents.candidates import Found, found_parents
from rag_query.generation.passages.parent import ParentReader, ParentText
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.generation.questions.follow_up import continued
from rag_query.generation.questions.question import Question, read_question
from rag_query.generation.scoring.meaning import Embed
from rag_query.library.bm25_schema import BODY
from rag_query.library.snapshot import Snapshot
from rag_query.library.titles import Titles
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.pipeline import Retriever
from rag_query.text.analysis import analyzer
from rag_query.text.ids import VERSION_PREFIX

#: Passages of a look into the library or into one parent.
_TOP_K = 30


class Reading:
    """Reads for turns. Safe to use from several threads."""

    def __init__(self, retriever: Retriever, *, wait_for_embedder: bool | None = None) -> None:
        self._retriever = retriever
        self._wait = wait_for_embedder
        self._parents = ParentReader()

    def find(self, turn: Turn, question: str) -> list[Found]:
        """Parents of the whole library with passages on a question, best first."""
        pack = self._run(turn, question, None)
        return found_parents(pack, turn.snapshot)

    def find_in(self, turn: Turn, question: str, parent: Parent) -> Found | None:
        """The passages of one parent on a question, best first."""
        filters = {"document_ids": [parent.doc_id], "version": [parent.parent_id]}
        pack = self._run(turn, question, filters)
        return next(iter(found_parents(pack, turn.snapshot, parent.parent_id)), None)

    def pool(
        self, turn: Turn, question: str, parent: Parent, found: Found | None
    ) -> tuple[SourceChunk, ...]:
        """Of a parent too long to read whole: what was found, and what the words alone find.

        Among thousands of lines that are alike but for a number, meaning tells none from another
        and outweighs the words.
        """
        filters = {"document_ids": [parent.doc_id], "version": [parent.parent_id]}
        by_words: list[Found] = []
        with suppress(ExcerptaError):
            # The look before this one has said that the index of words is damaged.
            pack = self._run(turn, question, filters, mode="exact")
            by_words = found_parents(pack, turn.snapshot, parent.parent_id)
        both = [*by_words, *([found] if found is not None else [])]
        return tuple({chunk.chunk_id: chunk for f in both for chunk in f.chunks}.values())

    def question(self, snapshot: Snapshot, text: str, before: Sequence[str] = ()) -> Question:
        """A question with its words weighed by how rare they are in the library.

        Args:
            before: those of the conversation before it, the last one last; a short question may
                go on from them.
        """
        own = self._question(snapshot, text)
        if not before:
            return own
        return continued(own, self.question(snapshot, before[-1], before[:-1]), analyzer())

    def _question(self, snapshot: Snapshot, text: str) -> Question:
        searcher = None
        with suppress(ExcerptaError):
            # Retrieval says that the index of words is damaged; without it all words weigh alike.
            searcher = snapshot.searcher
        if searcher is None:
            return read_question(text, analyzer(), lambda _: 0, 1)
        return read_question(
            text, analyzer(), lambda token: searcher.doc_freq(BODY, token), searcher.num_docs
        )

    def bound_elsewhere(
        self, snapshot: Snapshot, question: Question, parent: Parent, before: Sequence[str] = ()
    ) -> Bound:
        """See :func:`rag_query.generation.parents.bearers.bound_elsewhere`. What goes on from
        another question is bound as that one, where it names nothing itself.

        Args:
            before: as for :meth:`question`.
        """
        searcher = None
        with suppress(ExcerptaError):
            # Retrieval says that the index of words is damaged.
            searcher = snapshot.searcher
        if searcher is None:
            return {}
        titles = Titles(snapshot, searcher)
        found = bound_elsewhere(
            question, parent, titles, analyzer(), lambda: self.parent(snapshot, parent).words
        )
        names_it = not question.own.isdisjoint(analyzer().tokens(parent.title))
        if found or names_it or not (question.before and before):
            return found
        last = self.question(snapshot, before[-1], before[:-1])
        return self.bound_elsewhere(snapshot, last, parent, before[:-1])

    def parent(self, snapshot: Snapshot, parent: Parent) -> ParentText:
        """A parent's text. Raises ``DOCUMENT_NOT_FOUND`` or ``NO_TEXT``."""
        return self._parents.read(snapshot, parent.doc_id, parent.parent_id)

    def named(self, snapshot: Snapshot, name: str) -> ParentText:
        """The parent a person names: a version id, or whatever names a document.

        Raises:
            ExcerptaError: ``DOCUMENT_NOT_FOUND`` also for a removed document, ``NO_TEXT``,
                ``INVALID_ARGUMENT`` when the name fits several.
        """
        if name.startswith(VERSION_PREFIX):
            doc_id = snapshot.catalog.document_of(name)
            return self._parents.read(snapshot, doc_id, name)
        doc_id = snapshot.catalog.resolve_document(name)
        detail = snapshot.catalog.get_document(doc_id)
        if detail.status == "removed" or detail.version_id is None:
            raise ExcerptaError(
                ErrorCode.DOCUMENT_NOT_FOUND,
                f"“{detail.title}” was removed from the library.",
                hint="Name another document.",
                details={"doc_id": doc_id},
            )
        return self._parents.read(snapshot, doc_id, detail.version_id)

    def other_versions(self, snapshot: Snapshot, parent: Parent) -> list[str]:
        """Ids of the document's other versions that can be read."""
        return [
            version.version_id
            for version in snapshot.catalog.versions_of(parent.doc_id)
            if version.version_id != parent.parent_id and version.parse_status == "ready"
        ]

    def embed_for(self, snapshot: Snapshot, question: Question, parent: Parent) -> Embed | None:
        """Meaning is looked at where the languages differ, so that words cannot meet."""
        if not question.is_across(snapshot.catalog.language_of(parent.parent_id)):
            return None

        def embed(texts: Sequence[str]) -> NDArray[np.float32]:
            return self._retriever.embed(texts, snapshot)

        return embed

    def _run(
        self,
        turn: Turn,
        question: str,
        filters: dict[str, list[str]] | None,
        mode: Mode = "hybrid",
    ) -> EvidencePack:
        plan = plan_for_question(question, mode, _TOP_K, filters, include_snippets=False)
        began = time.perf_counter()
        pack = self._retriever.run(plan, snapshot=turn.snapshot, wait_for_embedder=self._wait)
        turn.retrieval_ms += (time.perf_counter() - began) * 1000
        if filters is None:
            turn.warnings += [w for w in pack.warnings if w not in turn.warnings]
        return pack
