"""QueryIR of every query of a plan: the text's own, then what the library knows of it.

Nothing here fails a question (DEV_SPEC 3.2.8.1): what cannot be read is left out, and said.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from rag_query.contracts.errors import ExcerptaError, classify
from rag_query.contracts.evidence import Preference
from rag_query.contracts.plan import RetrievalPlan
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval.hints import read_hints
from rag_query.retrieval.names import names_of
from rag_query.retrieval.preprocess import QueryIR, QueryNormalizer
from rag_query.retrieval.question_filters import read_conditions, read_preferences
from rag_query.retrieval.synonyms import NONE, Synonyms, load_synonyms
from rag_query.retrieval.validation import parse_filters
from rag_query.text.analysis import analyzer


@dataclass
class Understanding:
    """One plan's queries as the later stages read them.

    Attributes:
        warnings: for the caller.
        synonyms_profile_id: of the file that took part; empty without one.
    """

    snapshot: Snapshot
    normalizer: QueryNormalizer
    plan: RetrievalPlan
    warnings: list[str] = field(default_factory=list)
    synonyms_profile_id: str = ""

    def queries(self) -> list[QueryIR]:
        """One QueryIR for each query of the plan, in order."""
        synonyms = self._synonyms()
        return [self._query(index, synonyms) for index in range(len(self.plan.queries))]

    def _query(self, index: int, synonyms: Synonyms) -> QueryIR:
        asked, params = self.plan.queries[index], self.normalizer.params
        hints = read_hints(asked.hints)
        if hints.plain:
            return replace(
                self.normalizer.plain(asked.text, asked.mode), preferences=hints.preferences
            )
        query = self.normalizer.normalize(asked.text, asked.mode)
        if query.unheeded:
            named = ", ".join(f"-{words}" for words in query.unheeded)
            self.warnings.append(
                f"queries[{index}]: it excludes ({named}) and asks for nothing else, so these are "
                "searched as words; add what to look for"
            )
        if query.rewrite is not None and query.rewrite.rewrite_failed:
            self.warnings.append(
                f"rewrite_failed: queries[{index}] ran as it was written ({query.rewrite.code})"
            )
            return replace(query, preferences=hints.preferences)
        query = replace(query, preferences=self._preferences(query, hints.preferences))
        if params.question_filters:
            query = self._with_conditions(query, index)
        if uses := synonyms.used(query.sparse_query_expr):
            own = set(analyzer().tokens(query.sparse_query_expr))
            added = [word for use in uses for word in use.added]
            tokens = {t for word in added for t in analyzer().tokens(word)} - own
            query = replace(
                query,
                synonyms=(*query.synonyms, *uses),
                sparse_query_expr=" ".join((query.sparse_query_expr, *added)),
                factors={**query.factors, **dict.fromkeys(tokens, uses[0].weight)},
            )
        return query

    def _preferences(
        self, query: QueryIR, hinted: tuple[Preference, ...]
    ) -> tuple[Preference, ...]:
        stated: tuple[Preference, ...] = ()
        if self.normalizer.params.question_preferences:
            stated = read_preferences(query.original_query)
        return tuple(dict.fromkeys((*hinted, *query.preferences, *stated)))

    def _with_conditions(self, query: QueryIR, index: int) -> QueryIR:
        try:
            stated = [
                *query.conditions,
                *read_conditions(query.original_query, partial(names_of, self.snapshot)),
            ]
        except (ExcerptaError, OSError, ValueError) as exc:
            self.warnings.append(
                f"queries[{index}]: its own filters were not read ({classify(exc).code})"
            )
            return query
        given = dict(self.plan.filters_of(index).given())
        conditions = []
        for condition in {c.field: c for c in reversed(stated)}.values():
            if condition.field in given:
                update = {"applied": False, "reason": "the plan filters by this field itself"}
                conditions.append(condition.model_copy(update=update))
                continue
            try:
                parse_filters({condition.field: condition.value})
            except ExcerptaError as exc:
                update = {"applied": False, "reason": exc.message}
                conditions.append(condition.model_copy(update=update))
                continue
            conditions.append(condition)
        return replace(query, conditions=tuple(sorted(conditions, key=lambda c: c.field)))

    def _synonyms(self) -> Synonyms:
        if not self.normalizer.params.synonyms:
            return NONE
        synonyms = load_synonyms(self.snapshot.home.synonyms)
        self.synonyms_profile_id = synonyms.profile_id
        self.warnings += [f"synonyms: {problem}" for problem in synonyms.problems]
        return synonyms
