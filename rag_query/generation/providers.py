"""Imports every module of this package that registers providers; nothing heavy."""

import rag_query.generation.extractive
import rag_query.generation.kinds
import rag_query.generation.llm
import rag_query.generation.lock
import rag_query.generation.sufficiency
import rag_query.generation.verification  # noqa: F401
