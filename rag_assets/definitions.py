"""The code location: everything Dagster knows of Excerpta.

``EXCERPTA_HOME`` names the library (``./data`` by default); one code location serves one library.
"""

from __future__ import annotations

import dagster as dg

from rag_assets.checks import CHECKS
from rag_assets.chunks.asset import chunks
from rag_assets.embeddings.asset import embeddings
from rag_assets.enrichment.asset import enriched
from rag_assets.evaluation.asset import retrieval_quality
from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_assets.indexes.asset import bm25_index, vector_index
from rag_assets.jobs import JOBS
from rag_assets.links.asset import links
from rag_assets.loading.asset import parsed
from rag_assets.maintenance.asset import compacted_traces
from rag_assets.maintenance.clean_up import clean_up
from rag_assets.media.asset import media
from rag_assets.normalizing.asset import normalized
from rag_assets.publication.asset import published
from rag_assets.resources import LibraryResource
from rag_assets.schedules import SCHEDULES
from rag_assets.sections.asset import sections
from rag_assets.sensors import SENSORS
from rag_assets.sources.asset import documents, inventory
from rag_query.library.home import Home

ASSETS = [
    inventory,
    documents,
    parsed,
    media,
    normalized,
    sections,
    chunks,
    links,
    enriched,
    embeddings,
    vector_index,
    bm25_index,
    published,
    retrieval_quality,
    compacted_traces,
]

defs = dg.Definitions(
    assets=ASSETS,
    asset_checks=CHECKS,
    jobs=[*JOBS, clean_up],
    schedules=SCHEDULES,
    sensors=SENSORS,
    resources={
        "library": LibraryResource(home=str(Home.resolve().root)),
        "evaluated": EvaluatedLibrary(home=str(Home.resolve().root)),
    },
    # One process a run: the embedding model is loaded once.
    executor=dg.in_process_executor,
)
