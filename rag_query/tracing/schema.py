"""The JSON Schema of a trace, one file a version (DEV_SPEC 3.5.2).

``schemas/trace-<version>.json`` is made from the model by ``python -m tools.trace_schema``; a test
holds that the two agree, so that the contract changes only with its version.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rag_query.contracts.trace import TRACE_SCHEMA_VERSION, TraceEnvelope

_FOLDER = Path(__file__).with_name("schemas")


def schema_file() -> Path:
    """Where the schema of the version in use lies."""
    return _FOLDER / f"trace-{TRACE_SCHEMA_VERSION}.json"


def make_schema() -> dict[str, Any]:
    """The schema of the model as it is, without the docstrings of its parts."""
    schema = TraceEnvelope.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("description", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:excerpta:trace:{TRACE_SCHEMA_VERSION}",
        **schema,
    }
