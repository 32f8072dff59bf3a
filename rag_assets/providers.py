"""Imports every module that registers a provider of ingestion, and the library's own."""

import rag_assets.captioning.none
import rag_assets.captioning.vision
import rag_assets.chunks.rcts
import rag_assets.chunks.semantic_split
import rag_assets.chunks.sentence_window
import rag_assets.chunks.token_split
import rag_assets.chunks.whole_section
import rag_assets.enrichment.provider
import rag_assets.enrichment.summarizer
import rag_assets.indexes.providers
import rag_assets.links.markdown
import rag_assets.loading.html.loader
import rag_assets.loading.markdown
import rag_assets.loading.pdf.layout
import rag_assets.loading.pdf.loader
import rag_assets.loading.record
import rag_assets.loading.text
import rag_assets.media.normalizer
import rag_assets.normalizing.provider
import rag_assets.ocr.none
import rag_assets.ocr.rapidocr
import rag_assets.sections.ast_markdown
import rag_assets.sections.markdown_headings
import rag_assets.sections.rule_based
import rag_assets.sections.whole_doc  # noqa: F401
import rag_query.builtin  # noqa: F401
from rag_query.providers.registry import REGISTRY

REGISTRY.load_entry_points()
