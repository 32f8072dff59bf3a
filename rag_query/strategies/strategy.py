"""A strategy: one YAML file that names a provider and its parameters for every stage.

The sha256 of its canonical JSON is ``strategy_config_id`` (DEV_SPEC 3.4.3). The set of stages
is fixed; a stage that is to do nothing names a no-op provider.
"""

from __future__ import annotations

import difflib
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import ProviderRef
from rag_query.library.yaml_files import read_yaml
from rag_query.providers.registry import REGISTRY, first_fault
from rag_query.text.ids import profile_id

FOLDER = Path(__file__).parent
DEFAULT_STRATEGY = "default"


class StageConfig(BaseModel):
    """``provider: <id>`` and ``params: {…}`` of one stage."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str
    params: dict[str, Any] = {}


class Stages(BaseModel):
    """Every stage, in the order data takes. The names are those of the trace's spans."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # ingestion
    loader_markdown: StageConfig
    loader_pdf: StageConfig
    # Later than the first published manifests, which must stay readable.
    loader_html: StageConfig = StageConfig(provider="loader.html")
    loader_text: StageConfig
    loader_record: StageConfig
    asset_normalize: StageConfig
    transform_pre: StageConfig
    sectioner: StageConfig
    chunker: StageConfig
    linker: StageConfig
    ocr: StageConfig = StageConfig(provider="ocr.none")
    captioner: StageConfig = StageConfig(provider="captioner.none")
    summarizer: StageConfig = StageConfig(provider="summarizer.none")
    transform_post: StageConfig
    embedder: StageConfig
    vector_index: StageConfig
    bm25_index: StageConfig
    # query
    query_norm: StageConfig
    retrieve_dense: StageConfig
    retrieve_sparse: StageConfig
    fusion: StageConfig
    rerank: StageConfig
    context_build: StageConfig
    # Answers; later than the first published manifests too.
    parent_lock: StageConfig = StageConfig(provider="parent_lock.by_evidence")
    evidence_set: StageConfig = StageConfig(provider="evidence_set.by_kind")
    sufficiency: StageConfig = StageConfig(provider="sufficiency.features")
    generate: StageConfig = StageConfig(provider="generator.extractive")
    verify: StageConfig = StageConfig(provider="verifier.rules")
    llm: StageConfig = StageConfig(provider="llm.none")


class Strategy(BaseModel):
    """A validated strategy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str = ""
    stages: Stages

    @cached_property
    def config_id(self) -> str:
        """``strategy_config_id``: name and description do not enter, only what acts."""
        return profile_id(self.stages.model_dump(mode="json"))

    def stage(self, name: str) -> StageConfig:
        """The configuration of a stage of :class:`Stages`."""
        config: StageConfig = getattr(self.stages, name)
        return config

    def profile_id(self, stage: str) -> str:
        """The ``*_profile_id`` of a stage: provider, its version, effective parameters."""
        config = self.stage(stage)
        return REGISTRY.profile_id(config.provider, config.params)

    def ref(self, stage: str) -> ProviderRef:
        """Who does the work of a stage, for spans."""
        provider = self.stage(stage).provider
        return ProviderRef(
            provider_type=provider.partition(".")[0],
            provider_id=provider,
            profile_id=self.profile_id(stage),
        )

    def build(self, stage: str, **dependencies: Any) -> Any:
        """An instance of the provider the stage names."""
        config = self.stage(stage)
        return REGISTRY.create(config.provider, config.params, **dependencies)


def available() -> list[str]:
    """Names of the shipped strategies."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_strategy(name_or_path: str = DEFAULT_STRATEGY) -> Strategy:
    """Load a shipped strategy by name, or a YAML file by path.

    Parameters of each stage are checked when its provider is built, or all at once with
    :func:`check_strategy`.

    Raises:
        ExcerptaError: ``INVALID_STRATEGY`` with the field, and the nearest name for a typo.
    """
    path = FOLDER / f"{name_or_path}.yaml"
    if not path.exists():
        path = Path(name_or_path)
        if path.suffix not in (".yaml", ".yml") or not path.is_file():
            near = difflib.get_close_matches(name_or_path, available(), n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                f"There is no strategy {path.name!r}.",
                hint=f"{hint}Shipped: {', '.join(available())}; or give the path of a YAML file.",
            )
    return parse_strategy(read_yaml(path, ErrorCode.INVALID_STRATEGY))


def load_shipped(name: str) -> Strategy:
    """Load a shipped strategy, for a caller that may name no path.

    Raises ExcerptaError ``INVALID_ARGUMENT`` for another name.
    """
    if name not in available():
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no shipped strategy {name[:80]!r}.",
            hint=f"Shipped: {', '.join(available())}. A file is named on the command line.",
        )
    return load_strategy(name)


def lasting_name(name_or_path: str) -> str:
    """What a library keeps of the strategy it was given: a shipped one's name, or the absolute
    path of a YAML file, because runs start in other folders.

    Raises what :func:`load_strategy` raises.
    """
    load_strategy(name_or_path)
    if (FOLDER / f"{name_or_path}.yaml").exists():
        return name_or_path
    return os.path.abspath(name_or_path)


def parse_strategy(value: Any) -> Strategy:
    """Validate a mapping as a strategy. Raises ExcerptaError ``INVALID_STRATEGY``."""
    if not isinstance(value, dict):
        raise ExcerptaError(
            ErrorCode.INVALID_STRATEGY,
            "A strategy is a mapping of `name` and `stages`, and this is none.",
            hint=f"Begin with a copy of the shipped strategy {DEFAULT_STRATEGY!r}.",
        )
    try:
        return Strategy.model_validate(value)
    except ValidationError as exc:
        field, said, hint = first_fault(Strategy, exc)
        raise ExcerptaError(
            ErrorCode.INVALID_STRATEGY, f"Strategy field {field!r}: {said}.", hint=hint
        ) from exc


#: The type of provider each stage takes, where it differs from the stage's name.
_TYPES = {
    "loader_markdown": "loader",
    "loader_pdf": "loader",
    "loader_html": "loader",
    "loader_text": "loader",
    "loader_record": "loader",
    "asset_normalize": "asset_normalizer",
    "transform_pre": "transformer",
    "transform_post": "transformer",
    "retrieve_dense": "retriever",
    "retrieve_sparse": "retriever",
    "rerank": "reranker",
    "context_build": "context",
    "generate": "generator",
    "verify": "verifier",
}
#: Providers of one type that fit only one of its stages.
_FOR_ONE_STAGE = {
    "transformer.normalize_pre": "transform_pre",
    "transformer.enrich_post": "transform_post",
    "retriever.dense": "retrieve_dense",
    "retriever.sparse": "retrieve_sparse",
}


def check_strategy(strategy: Strategy) -> None:
    """Check provider and parameters of every stage, and that a stage which asks the language
    model has one, or counts the tokens of an embedder that can tell them.

    Raises:
        ExcerptaError: ``INVALID_STRATEGY`` with the stage or parameter, ``UNKNOWN_PROVIDER``.
    """
    for stage in Stages.model_fields:
        provider = strategy.stage(stage).provider
        entry = REGISTRY.get(provider)
        wanted = _TYPES.get(stage, stage)
        if entry.provider_type != wanted or _FOR_ONE_STAGE.get(provider, stage) != stage:
            fitting = [i for i in REGISTRY.ids(wanted) if _FOR_ONE_STAGE.get(i, stage) == stage]
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                f"Strategy field 'stages.{stage}.provider': {provider!r} is no provider of "
                "this stage.",
                hint=f"Known: {', '.join(fitting)}.",
            )
        params = REGISTRY.params(provider, strategy.stage(stage).params)
        if "llm" in entry.needs and strategy.stage("llm").provider == "llm.none":
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                f"Strategy field 'stages.{stage}.provider': {provider!r} asks the language "
                "model, and the strategy has none.",
                hint="Name one as the stage `llm`, such as llm.openai_compatible.",
            )
        embedder = strategy.stage("embedder").provider
        if params.needs_tokens and not REGISTRY.get(embedder).has_tokens:
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                f"Strategy field 'stages.{stage}': {provider!r} counts the tokens of the "
                f"embedder's own model, and {embedder!r} has no tokenizer here.",
                hint="Set its `tokens` to `estimated`, or use an embedder that runs here, such as "
                "embedder.openvino.",
            )
