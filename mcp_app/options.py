"""What a server's user may choose, from the environment its client starts it with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag_query.contracts.errors import ErrorCode, ExcerptaError

DEFAULT_ANSWER_TOKENS = 20_000
LEAST_ANSWER_TOKENS = 2_000
DEFAULT_DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Settings of one server.

    Attributes:
        tool_names: how tools are listed; each can be called by both names.
            ``EXCERPTA_TOOL_NAMES``: underscore (default) | dotted, the specification's.
        research_tools: also list ``search`` and ``fetch``, the names research clients want.
            ``EXCERPTA_RESEARCH_TOOLS``: 0 (default) | 1.
        answer_tokens: most estimated tokens of one answer. ``EXCERPTA_ANSWER_TOKENS``.
        deadline_s: seconds after which a call is given up; waiting for a job does not count.
            ``EXCERPTA_CALL_DEADLINE_S``.
    """

    tool_names: Literal["underscore", "dotted"] = "underscore"
    research_tools: bool = False
    answer_tokens: int = DEFAULT_ANSWER_TOKENS
    deadline_s: float = DEFAULT_DEADLINE_S

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ServerOptions:
        """Raises ExcerptaError ``INVALID_ARGUMENT`` for a value that is none."""
        names = environment.get("EXCERPTA_TOOL_NAMES") or "underscore"
        if names not in ("underscore", "dotted"):
            raise _refused("EXCERPTA_TOOL_NAMES", "underscore or dotted")
        research = environment.get("EXCERPTA_RESEARCH_TOOLS") or "0"
        if research not in ("0", "1"):
            raise _refused("EXCERPTA_RESEARCH_TOOLS", "0 or 1")
        return cls(
            tool_names="dotted" if names == "dotted" else "underscore",
            research_tools=research == "1",
            answer_tokens=int(
                _number(
                    environment,
                    "EXCERPTA_ANSWER_TOKENS",
                    DEFAULT_ANSWER_TOKENS,
                    LEAST_ANSWER_TOKENS,
                )
            ),
            deadline_s=_number(environment, "EXCERPTA_CALL_DEADLINE_S", DEFAULT_DEADLINE_S, 1),
        )


def _number(environment: Mapping[str, str], name: str, default: float, least: float) -> float:
    named = environment.get(name)
    if not named:
        return default
    try:
        number = float(named)
    except ValueError:
        number = float("nan")
    if not least <= number < float("inf"):
        raise _refused(name, f"a number from {least:g} on")
    return number


def _refused(name: str, wanted: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"{name} must be {wanted}.",
        hint="Correct it in the environment that starts the server.",
    )
