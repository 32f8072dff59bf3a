"""Providers by id (DEV_SPEC 3.4.3): ``chunker.rcts_within_section`` -> how to build one.

A provider is registered in code with :func:`register`, or by another package through the
entry-point group ``excerpta.providers`` whose entries name a function that takes the registry.
No stage chooses an implementation with an ``if``; it asks the registry for what the strategy names.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.ids import profile_id

ENTRY_POINT_GROUP = "excerpta.providers"


class Params(BaseModel):
    """Base of every provider's parameters: unknown keys are refused, values are bounded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def needs_tokens(self) -> bool:
        """Whether the strategy's embedder must have its tokenizer at hand."""
        return False


@dataclass(frozen=True, slots=True)
class Registration:
    """One provider.

    Attributes:
        provider_id: ``<type>.<name>``.
        version: raised when the same parameters give other results; part of the profile id.
        params: the pydantic model of its parameters.
        build: called as ``build(params, **dependencies)``; heavy imports belong inside.
        needs: names of the dependencies it is built with, where a stage offers several; ``llm``
            where it asks the language model, which a strategy must then name.
        has_tokens: false for an embedder whose tokenizer is not at hand.
    """

    provider_id: str
    version: str
    params: type[Params]
    build: Callable[..., Any]
    needs: tuple[str, ...] = ()
    has_tokens: bool = True

    @property
    def provider_type(self) -> str:
        return self.provider_id.split(".", 1)[0]


class ProviderRegistry:
    """provider_id -> :class:`Registration`.

    Attributes:
        built_in: modules that register providers when they are imported, which they are once a
            provider is asked for that is not known yet.
    """

    def __init__(self, *built_in: str) -> None:
        self.built_in = [*built_in]
        self._entries: dict[str, Registration] = {}
        self._plugins: list[EntryPoint] | None = None
        self._fault: ExcerptaError | None = None

    def register(self, entry: Registration) -> None:
        """Add a provider; registering the same id twice is a programming error."""
        if entry.provider_id in self._entries:
            raise ValueError(f"provider {entry.provider_id} is registered twice")
        self._entries[entry.provider_id] = entry

    def ids(self, provider_type: str | None = None) -> list[str]:
        """Known ids, sorted."""
        self._load_built_in()
        return sorted(
            i for i, e in self._entries.items() if provider_type in (None, e.provider_type)
        )

    def get(self, provider_id: str) -> Registration:
        """A provider, of this package or of an installed one.

        Raises ExcerptaError ``UNKNOWN_PROVIDER`` that names the nearest known id.
        """
        if provider_id not in self._entries:
            self._load_built_in()
        if provider_id not in self._entries:
            self.load_entry_points()
        if provider_id in self._entries:
            return self._entries[provider_id]
        raise ExcerptaError(
            ErrorCode.UNKNOWN_PROVIDER,
            f"No provider is called {provider_id!r}.",
            hint=self._hint(provider_id),
        )

    def _hint(self, provider_id: str) -> str:
        """The nearest id of the same family, since providers of other families do other work. The
        family itself is guessed only where it is nearly right."""
        family, _, name = provider_id.partition(".")
        known = {i.partition(".")[2]: i for i in self.ids(family)}
        if near := difflib.get_close_matches(name, known, n=1, cutoff=0.4):
            return f"Did you mean {known[near[0]]!r}?"
        if known:
            return f"Known: {', '.join(known.values())}."
        if near := difflib.get_close_matches(provider_id, self.ids(), n=1, cutoff=0.75):
            return f"Did you mean {near[0]!r}?"
        families = ", ".join(sorted({entry.provider_type for entry in self._entries.values()}))
        return f"An id is a family and a name, as in 'reranker.noop'; families: {families}."

    def params(self, provider_id: str, given: dict[str, Any]) -> Params:
        """Validated parameters. Raises ExcerptaError ``INVALID_STRATEGY`` naming the field."""
        entry = self.get(provider_id)
        try:
            return entry.params.model_validate(given)
        except ValidationError as exc:
            field, said, hint = first_fault(entry.params, exc)
            about = f"parameter {field!r}" if field else "its parameters"
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY, f"{provider_id}: {about}: {said}.", hint=hint
            ) from exc

    def profile_id(self, provider_id: str, given: dict[str, Any]) -> str:
        """sha256 over id, version and effective parameters (defaults included)."""
        entry = self.get(provider_id)
        params = self.params(provider_id, given).model_dump(mode="json")
        return profile_id({"provider": provider_id, "version": entry.version, "params": params})

    def create(self, provider_id: str, given: dict[str, Any], **dependencies: Any) -> Any:
        """Build an instance with validated parameters."""
        return self.get(provider_id).build(self.params(provider_id, given), **dependencies)

    def _load_built_in(self) -> None:
        for module in self.built_in:
            importlib.import_module(module)

    def load_entry_points(self) -> None:
        """Let installed packages add theirs; once, however often it is called.

        Raises ExcerptaError ``INVALID_STRATEGY`` that names the package which fails to; whenever
        it is called from then on.
        """
        if self._fault is not None:
            raise self._fault
        if self._plugins is None:
            self._plugins = list(entry_points(group=ENTRY_POINT_GROUP))
        # What a plug-in imports may come here too.
        plugins, self._plugins = self._plugins, []
        for point in plugins:
            try:
                point.load()(self)
            except Exception as exc:
                owner = f" of the package {point.dist.name!r}" if point.dist else ""
                self._fault = ExcerptaError(
                    ErrorCode.INVALID_STRATEGY,
                    f"The plug-in {point.name!r}{owner} cannot be loaded: "
                    f"{type(exc).__name__}: {exc}.",
                    hint="Mend or uninstall that package.",
                )
                raise self._fault from exc


def first_fault(model: type[BaseModel], exc: ValidationError) -> tuple[str, str, str]:
    """The field, what is wrong with it, and a hint.

    An unknown field is reported before a missing one, because a misspelt field is both. The hint
    is the nearest of the fields that are allowed where the unknown one stands.
    """
    errors = exc.errors()
    found = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
    field = ".".join(str(part) for part in found["loc"])
    said = found["msg"].removeprefix("Value error, ").rstrip(".")
    return field, said, _hint(model, found) if found["type"] == "extra_forbidden" else ""


def _hint(model: type[BaseModel], error: ErrorDetails) -> str:
    *path, name = error["loc"]
    for part in path:
        if isinstance(part, str) and (field := model.model_fields.get(part)):
            model = _model_in(field.annotation) or model
    near = difflib.get_close_matches(str(name), model.model_fields, n=1, cutoff=0.6)
    known = ", ".join(sorted(model.model_fields)) or "none"
    return f"Did you mean {near[0]!r}?" if near else f"Known here: {known}."


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model a field holds, by itself or in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


#: The process-wide registry. Packages fill it on import; see ``rag_query/builtin.py``.
REGISTRY = ProviderRegistry("rag_query.builtin")


def register(
    provider_id: str,
    *,
    version: str,
    params: type[Params] = Params,
    build: Callable[..., Any],
    needs: tuple[str, ...] = (),
    has_tokens: bool = True,
) -> None:
    """Register a built-in provider in :data:`REGISTRY`."""
    REGISTRY.register(Registration(provider_id, version, params, build, needs, has_tokens))
