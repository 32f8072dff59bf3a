"""A tool's answer as an MCP result (DEV_SPEC 3.3.4).

The text content is readable Markdown that stands alone (level L0); ``structuredContent`` is the
whole envelope, with the same Markdown in ``data.markdown``, because some clients hand the model
only one of the two. Links to resources and images stand beside the text.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent

from mcp_app.budget import end_within, tokens_of
from mcp_app.options import DEFAULT_ANSWER_TOKENS
from rag_query.contracts.envelope import ResponseEnvelope
from rag_query.contracts.errors import ExcerptaError

log = logging.getLogger(__name__)

JsonSchema = dict[str, Any]
#: What of an answer a client wants (DEV_SPEC 3.3.4.1).
Level = Literal["L0", "L1", "L2"]
#: Tokens kept free for the envelope itself and for warnings.
_ENVELOPE_TOKENS = 400
#: Longest message of an error, in characters.
_MOST_MESSAGE = 2_000


def fresh_trace_id() -> str:
    """For a call that leaves no trace of its own."""
    # The trace's models are not needed to answer `initialize`.
    from rag_query.tracing.context import new_trace_id

    return new_trace_id()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found.

    Attributes:
        markdown: for a reader; names its sources.
        data: the structured fields beside ``markdown``; JSON-serialisable, no absolute path.
        warnings: what the reader should know about how it came about.
        trace_id: of the trace that was recorded; a fresh one when nothing was.
        beside: content items after the text: images, links to resources. Never instead of it.
    """

    markdown: str
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    trace_id: str = field(default_factory=fresh_trace_id)
    beside: Sequence[ContentBlock] = ()


def success(
    answer: Answer, level: Level = "L2", tokens: int = DEFAULT_ANSWER_TOKENS
) -> CallToolResult:
    """The result of a call that worked.

    Args:
        level: L0 gives the Markdown alone, L1 the structured fields too, L2 also what stands
            beside the text (DEV_SPEC 3.3.4.1).
        tokens: budget of the envelope. A tool pages its answer so that it fits; should one not,
            the structured fields are left out, then the end of the Markdown, with a warning.
    """
    text, fields, warnings = answer.markdown, answer.data if level != "L0" else {}, answer.warnings
    if tokens_of([text, _without_bytes(fields)]) > tokens:
        log.warning("an answer of %s does not fit into %d tokens", list(fields), tokens)
        fields, warnings = {}, [*warnings, "The structured fields were too large and are left out."]
        room = tokens - _ENVELOPE_TOKENS
        if tokens_of(text) > room:
            text = text[: end_within(text, 0, int(room * 0.9))]
            warnings = [*warnings, "The answer was too large and ends early; ask for less."]
    data = {"markdown": text, **fields}
    envelope = ResponseEnvelope[dict[str, Any]].success(answer.trace_id, data, warnings)
    beside = answer.beside if level == "L2" else ()
    return CallToolResult(
        content=[TextContent(type="text", text=text), *beside],
        structured_content=envelope.to_json(),
    )


def plain_json(answer: Answer) -> CallToolResult:
    """A result without an envelope, its fields as JSON in the text too, for clients that expect
    exactly these fields."""
    text = json.dumps(answer.data, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=answer.data
    )


def resource_link(uri: str, name: str, mime_type: str | None = None) -> ResourceLink:
    """A link to a resource of this server, to stand beside a text."""
    return ResourceLink(type="resource_link", uri=uri, name=name, mime_type=mime_type)


def _without_bytes(fields: Any) -> Any:
    """``fields`` without base64, which ``max_bytes`` bounds (DEV_SPEC 3.3.4)."""
    if isinstance(fields, dict):
        return {k: _without_bytes(v) for k, v in fields.items() if k != "blob_base64"}
    if isinstance(fields, list):
        return [_without_bytes(item) for item in fields]
    return fields


def failure(error: ExcerptaError) -> CallToolResult:
    """The result of a call that did not: code, message and what to do next, ``is_error`` set."""
    if len(error.message) > _MOST_MESSAGE:
        # What a caller sent is not sent back whole.
        error = ExcerptaError(
            error.code, error.message[:_MOST_MESSAGE] + "…", hint=error.hint, details=error.details
        )
    envelope = ResponseEnvelope[dict[str, Any]].failure(fresh_trace_id(), error)
    text = f"**{error.code}**: {error.message}"
    if error.hint:
        text += f"\n\nWhat to do: {error.hint}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=envelope.to_json(),
        is_error=True,
    )


def envelope_schema(data: JsonSchema) -> JsonSchema:
    """The output schema of a tool, without ``$ref``.

    Args:
        data: JSON Schema ``properties`` of ``data``, besides ``markdown``.
    """
    return {
        "type": "object",
        "required": ["ok", "trace_id"],
        "properties": {
            "ok": {"type": "boolean"},
            "trace_id": {"type": "string", "description": "names this call in traces"},
            "data": {
                "type": "object",
                "required": ["markdown"],
                "properties": {"markdown": {"type": "string"}, **data},
            },
            "warnings": {"type": "array", "items": {"type": "string"}},
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": {"type": "string", "description": "stable, for programs"},
                    "message": {"type": "string", "description": "one sentence, for a person"},
                    "details": {"type": "object", "description": "facts; `hint`: what to do next"},
                },
            },
        },
    }
