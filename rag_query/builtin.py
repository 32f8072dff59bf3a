"""Imports every module of this package that registers providers; heavy libraries stay out."""

import rag_query.generation.providers
import rag_query.providers.embedding.openvino
import rag_query.providers.embedding.remote
import rag_query.providers.embedding.sentence_transformers
import rag_query.providers.llm.anthropic
import rag_query.providers.llm.fake
import rag_query.providers.llm.none
import rag_query.providers.llm.openai_compatible
import rag_query.providers.reranking.cross_encoder
import rag_query.providers.reranking.features
import rag_query.providers.reranking.http
import rag_query.providers.reranking.late_interaction
import rag_query.providers.reranking.llm
import rag_query.providers.reranking.noop
import rag_query.retrieval.providers  # noqa: F401
