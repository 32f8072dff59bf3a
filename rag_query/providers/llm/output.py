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
_FENCE = re.compile(
    r"^[^\S\n]*```\w*[^\S\n]*\n(.*?)\n?[^\S\n]*```[^\S\n]*$", re.DOTALL | re.MULTILINE
)
#: What reasoning models say to themselves first.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
#: Details of an error about what was said, not how it was served.
_UNFIT = {"about": "answer"}


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


def unfit_answer(message: str, *, hint: str = "", transient: bool = False) -> ExcerptaError:
    """``LLM_BAD_OUTPUT`` for what a model said, where the service itself did as it should."""
    return ExcerptaError(
        ErrorCode.LLM_BAD_OUTPUT, message, hint=hint, details=dict(_UNFIT), transient=transient
    )


def is_unfit(error: ExcerptaError) -> bool:
    """Whether a model's answer was no object of the kind wanted, so that it may say so again."""
    return error.code is ErrorCode.LLM_BAD_OUTPUT and error.details == _UNFIT


def parse_output(text: str, output: type[Output]) -> Output:
    """The object in an answer, which may stand in a Markdown fence, among words or after thoughts.

    Raises:
        ExcerptaError: ``LLM_BAD_OUTPUT``, transient: another try may fit.
    """
    try:
        return output.model_validate_json(_object(text))
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise unfit_answer(
            f"The model's answer does not fit {output.__name__}: {field}: {first['msg']}.",
            transient=True,
        ) from exc


def _object(text: str) -> str:
    """The part of an answer that is its object.

    The last fenced block, unless the answer begins with the object; without one, what stands
    from the first brace to the last.
    """
    text = _THOUGHTS.sub("", text).strip()
    if text[:1] == "[":
        return text
    if text[:1] != "{" and (fenced := _FENCE.findall(text)):
        return str(fenced[-1])
    first, last = text.find("{"), text.rfind("}")
    return text[first : last + 1] if 0 <= first < last else text
