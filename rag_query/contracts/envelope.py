"""The response envelope of every call (DEV_SPEC 3.3.4)."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rag_query.contracts.errors import ExcerptaError

T = TypeVar("T")


class EnvelopeError(BaseModel):
    """Why a call failed: a stable code for programs, a sentence for people."""

    model_config = ConfigDict(extra="forbid")

    code: str
    message: str
    details: dict[str, Any] = Field(default_factory=dict)


class ResponseEnvelope(BaseModel, Generic[T]):
    """``{ok, trace_id, data?, warnings?, error?}``.

    ``trace_id`` is there whether or not the call worked; ``error`` exactly when it did not.
    """

    model_config = ConfigDict(extra="forbid")

    ok: bool
    trace_id: str = Field(min_length=1)
    data: T | None = None
    warnings: list[str] = Field(default_factory=list)
    error: EnvelopeError | None = None

    @model_validator(mode="after")
    def _error_iff_not_ok(self) -> ResponseEnvelope[T]:
        if self.ok == (self.error is not None):
            raise ValueError("`error` must be there exactly when `ok` is false")
        return self

    @classmethod
    def success(
        cls, trace_id: str, data: T, warnings: list[str] | None = None
    ) -> ResponseEnvelope[T]:
        """A call that worked."""
        return cls(ok=True, trace_id=trace_id, data=data, warnings=warnings or [])

    @classmethod
    def failure(cls, trace_id: str, error: ExcerptaError) -> ResponseEnvelope[T]:
        """A call that failed."""
        details = EnvelopeError.model_validate(error.to_dict())
        return cls(ok=False, trace_id=trace_id, error=details)

    def to_json(self) -> dict[str, Any]:
        """As JSON: ``data``, ``error`` and ``warnings`` only where there are any."""
        dumped = self.model_dump(mode="json", exclude_none=True)
        if not self.warnings:
            del dumped["warnings"]
        return dumped
