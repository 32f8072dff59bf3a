"""Imports every module of this package that registers providers; nothing heavy."""

import rag_query.generation.answers.extractive
import rag_query.generation.answers.llm
import rag_query.generation.answers.verification
import rag_query.generation.evidence.kinds
import rag_query.generation.evidence.sufficiency
import rag_query.generation.parents.lock  # noqa: F401
