"""From JSON to a RetrievalPlan, with errors a caller can act on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.filters import Filters
from rag_query.contracts.plan import PLAN_VERSION, RetrievalPlan

_MAJOR = PLAN_VERSION.split(".", maxsplit=1)[0]
_VERSION = re.compile(r"\d+(\.\d+)*")
_MAX_PROBLEMS = 20
_SHOWN_CHARS = 80
_WHAT_TO_DO = "Correct what is named and ask again; docs/plans has a plan for each mode."
#: How filters are written that are no word or list of words.
_FORMS = {
    "page_range": '{"from": 3, "to": 5}',
    "time_range": '{"from": "2025-01-01", "to": "2025-12-31"}',
    "has_image": "true or false",
}


def parse_plan(value: RetrievalPlan | Mapping[str, Any]) -> RetrievalPlan:
    """Validate a plan.

    Args:
        value: decoded JSON, or a plan (returned as it is).

    Raises:
        ExcerptaError: ``UNSUPPORTED_VERSION`` for another major version; ``INVALID_FILTER`` when
            only conditions of a filter are wrong; otherwise ``INVALID_PLAN``. The message names
            the field and the allowed values; ``details.problems`` lists all of them.
    """
    if isinstance(value, RetrievalPlan):
        return value
    if not isinstance(value, Mapping):
        raise ExcerptaError(
            ErrorCode.INVALID_PLAN,
            "A plan is a JSON object.",
            hint=f'The least is {{"version": "{PLAN_VERSION}", "queries": [{{"text": "…"}}]}}.',
        )
    _check_version(value.get("version"))
    try:
        return RetrievalPlan.model_validate(dict(value))
    except ValidationError as exc:
        raise _explained(exc) from exc


def parse_filters(value: Filters | Mapping[str, Any] | None) -> Filters:
    """Validate filters alone. Raises ExcerptaError ``INVALID_FILTER``."""
    if isinstance(value, Filters):
        return value
    try:
        return Filters.model_validate({} if value is None else value)
    except ValidationError as exc:
        raise _explained(exc, ("global_filters",)) from exc


def _check_version(version: Any) -> None:
    if version is None:
        raise ExcerptaError(
            ErrorCode.INVALID_PLAN,
            "`version`: this field is required.",
            hint=f'Use "version": "{PLAN_VERSION}".',
            details={"problems": ["`version`: this field is required"]},
        )
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise ExcerptaError(
            ErrorCode.INVALID_PLAN,
            f"`version`: {_shown(version)} is not a version.",
            hint=f'Use "version": "{PLAN_VERSION}".',
        )
    if version.split(".")[0] != _MAJOR:
        raise ExcerptaError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"Plans of version {version} are not known here.",
            hint=f"This library executes RetrievalPlan {_MAJOR}.x (now {PLAN_VERSION}).",
            details={"supported": PLAN_VERSION},
        )


def _explained(exc: ValidationError, prefix: tuple[str, ...] = ()) -> ExcerptaError:
    problems: list[str] = []
    wrong: list[str] = []
    filters_only = True
    for error in exc.errors(include_url=False):
        place = prefix + tuple(error["loc"])
        in_filters = "filters" in place or "global_filters" in place
        filters_only = filters_only and in_filters
        wrong += [str(part) for part in place if part in _FORMS]
        problem = f"`{_dotted(place)}`: {_said(error, place)}"
        if problem not in problems:
            problems.append(problem)
    code = ErrorCode.INVALID_FILTER if filters_only else ErrorCode.INVALID_PLAN
    message = "; ".join(problems[:3])
    if len(problems) > 3:
        message += f"; and {len(problems) - 3} more"
    return ExcerptaError(
        code,
        f"{message}.",
        hint=_advice(wrong) if filters_only else _WHAT_TO_DO,
        details={"problems": problems[:_MAX_PROBLEMS]},
    )


def _advice(filters: list[str]) -> str:
    forms = "".join(f"`{name}` is written as {_FORMS[name]}. " for name in dict.fromkeys(filters))
    return f"{forms}Correct the filter, or leave it out; docs/plans says how each is executed."


def _said(error: Any, place: tuple[Any, ...]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        return f"{_shown(error['input'])} is not allowed; use one of {context['expected']}"
    if kind == "extra_forbidden":
        known = [field.alias or name for name, field in Filters.model_fields.items()]
        near = difflib.get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
        meant = f"did you mean `{near[0]}`? " if near else ""
        return (
            f"there is no such filter, so it cannot be executed; {meant}known: {', '.join(known)}"
        )
    if kind == "value_error":
        return str(context.get("error", error["msg"]))
    if kind == "missing":
        return "this field is required"
    shown = _shown(error["input"])
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{shown} is no JSON object"
    said = error["msg"][0].lower() + error["msg"][1:]
    return f"{said} (it is {shown})" if len(shown) <= _SHOWN_CHARS else said


def _dotted(place: tuple[Any, ...]) -> str:
    dotted = ""
    for part in place:
        if isinstance(part, int):
            dotted += f"[{part}]"
        # pydantic adds the tried members of a union to the place; they are no fields.
        elif not re.search(r"[\[(-]", part) and part not in ("constrained-str", "list"):
            dotted += f".{part}" if dotted else part
    return dotted or "plan"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
