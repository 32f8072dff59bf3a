"""What a vendor's client needs before it is made: a key, and the vendor's package."""

from __future__ import annotations

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.keys import key_in


def read_key(variable: str) -> str:
    """The key in an environment variable; empty when the strategy names none.

    Raises:
        ExcerptaError: ``LLM_MISCONFIGURED`` when the variable is named and not set.
    """
    if not variable:
        return ""
    key = key_in(variable)
    if not key:
        raise ExcerptaError(
            ErrorCode.LLM_MISCONFIGURED,
            f"The environment variable {variable} holds no key.",
            hint=f"Set {variable}, or name another variable as the strategy's `api_key_env`.",
        )
    return key


def missing_extra(package: str) -> ExcerptaError:
    """Of a vendor's package that one of Excerpta's extras, called like it, brings."""
    return ExcerptaError(
        ErrorCode.LLM_MISCONFIGURED,
        f"The Python package {package!r} is not installed.",
        hint=f"Install it: pip install 'excerpta[{package}]'.",
    )
