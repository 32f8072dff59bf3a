"""Structured output: the schema a service is given, and the object its answer must be."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError

Output = TypeVar("Output", bound=BaseModel)

#: Bounds no vendor's strict mode takes in full; the answer is validated against them here.
_NOT_SENT = frozenset(
    {"title", "default", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
     "exclusiveMaximum", "minItems", "maxItems", "multipleOf", "pattern", "format", "uniqueItems"}
)  # fmt: skip
_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def strict_schema(output: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of ``output`` as strict modes want it: objects closed, every field required."""
    strict: dict[str, Any] = _strict(output.model_json_schema())
    return strict


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            made[key] = {name: _strict(schema) for name, schema in value.items()}
        elif key not in _NOT_SENT:
            made[key] = _strict(value)
    if made.get("type") == "object":
        made["additionalProperties"] = False
        made["required"] = list(made.get("properties", {}))
    return made


def schema_prompt(output: type[BaseModel]) -> str:
    """The instruction for services that know no schemas."""
    schema = json.dumps(strict_schema(output), ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It must fit this JSON schema:\n{schema}"


def parse_output(text: str, output: type[Output]) -> Output:
    """The object in an answer, which may stand in a Markdown fence.

    Raises:
        ExcerptaError: ``LLM_BAD_OUTPUT``, transient: another try may fit.
    """
    fenced = _FENCE.match(text)
    try:
        return output.model_validate_json(fenced.group(1) if fenced else text)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise ExcerptaError(
            ErrorCode.LLM_BAD_OUTPUT,
            f"The model's answer does not fit {output.__name__}: {field}: {first['msg']}.",
            transient=True,
        ) from exc
