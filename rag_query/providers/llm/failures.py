"""One failing answer of a service -> one stable code. No message ever holds the key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.http import is_transient, retry_after

#: Of the one request: a picture that cannot be decoded, a text that is too long or is filtered.
_OF_THE_REQUEST = frozenset({400, 413, 422})
#: Some services answer 400 as well where the account or the name of the model is wrong.
_OF_THE_ACCOUNT = re.compile(r"api[ _-]?key|credit balance|billing|valid model", re.IGNORECASE)
_LONGEST_MESSAGE = 300


@contextmanager
def translated(sdk: ModuleType, service: str, key: str, form: ExcerptaError) -> Iterator[None]:
    """Turn what a vendor's SDK raises into errors with codes.

    Args:
        sdk: ``openai`` or ``anthropic``; both name their exceptions alike.
        form: for an answer that is not of the API's shape.
    """
    import httpx2

    try:
        yield
    except sdk.APITimeoutError as exc:
        raise timed_out(service) from exc
    except sdk.APIStatusError as exc:
        said = said_in(exc.body) or exc.message
        # An `error` event inside a stream comes with the stream's own status, 200.
        status = exc.status_code if exc.status_code >= 300 else 500
        raise from_status(service, status, said, exc.response.headers, key) from exc
    except sdk.APIError as exc:
        raise unreachable(service, str(exc.__cause__ or exc), key) from exc
    except httpx2.TimeoutException as exc:
        raise timed_out(service) from exc
    except (httpx2.HTTPError, httpx2.StreamError) as exc:
        raise cut_off(service) from exc
    except ValueError as exc:
        # Not JSON, or not of the API's shape; pydantic's and json's errors are ValueErrors.
        raise form from exc


def unknown_form(service: str, wanted: str) -> ExcerptaError:
    """An answer that is not what the API promises, for example ``a message``."""
    return ExcerptaError(
        ErrorCode.LLM_BAD_OUTPUT,
        f"{service} answered in a form that is no {wanted}.",
        hint="Check the strategy's `base_url`.",
        transient=True,
    )


def from_status(
    service: str, status: int, said: str, headers: Mapping[str, str], key: str
) -> ExcerptaError:
    """The error of an HTTP status that is no success."""
    details: dict[str, Any] = {"status": status}
    said = without_key(said, key)
    if status == 429 or (status in (503, 529) and retry_after(headers) is not None):
        if (wait := retry_after(headers)) is not None:
            details["retry_after_s"] = wait
        return ExcerptaError(
            ErrorCode.LLM_RATE_LIMITED,
            f"{service} takes no more requests now: {said}",
            hint="Ask again later, or raise the limit with the service.",
            details=details,
            transient=True,
        )
    if is_transient(status):
        return ExcerptaError(
            ErrorCode.LLM_UNAVAILABLE,
            f"{service} failed with status {status}: {said}",
            details=details,
            transient=True,
        )
    if status in _OF_THE_REQUEST and not _OF_THE_ACCOUNT.search(said):
        return ExcerptaError(
            ErrorCode.LLM_REFUSED,
            f"{service} refused this request with status {status}: {said}",
            hint="If it refuses every request so, check the strategy's `model` and its parameters.",
            details=details,
        )
    return ExcerptaError(
        ErrorCode.LLM_MISCONFIGURED,
        f"{service} refused the request with status {status}: {said}",
        hint="Check the strategy's `base_url`, `model` and `api_key_env`.",
        details=details,
    )


def unreachable(service: str, said: str, key: str) -> ExcerptaError:
    """Nothing, or no whole answer, came back."""
    return ExcerptaError(
        ErrorCode.LLM_UNAVAILABLE,
        f"{service} could not be reached: {without_key(said, key)}",
        hint="Check that the service runs at the strategy's `base_url`.",
        transient=True,
    )


def timed_out(service: str) -> ExcerptaError:
    """The deadline passed before the answer was there; another attempt may do better."""
    return ExcerptaError(
        ErrorCode.LLM_TIMEOUT, f"{service} did not answer within the deadline.", transient=True
    )


def refused(service: str) -> ExcerptaError:
    """The model, or a filter before it, declined; asking again gives the same."""
    return ExcerptaError(ErrorCode.LLM_REFUSED, f"{service} declined to answer.")


def cut_off(service: str) -> ExcerptaError:
    """The stream ended without saying why; what came of the answer may not be all of it."""
    return ExcerptaError(
        ErrorCode.LLM_UNAVAILABLE,
        f"{service} ended its stream before the answer was whole.",
        transient=True,
    )


def said_in(body: object) -> str:
    """The message in an error's body, where both vendors put it; empty when it is not there."""
    if isinstance(body, dict):
        body = body.get("error", body)
    if isinstance(body, dict):
        body = body.get("message", "")
    return body if isinstance(body, str) else ""


def without_key(said: str, key: str) -> str:
    """Text fit for a message: one short line, the key struck out."""
    if key:
        said = said.replace(key, "***")
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST_MESSAGE else said[: _LONGEST_MESSAGE - 1] + "…"
