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

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY, ProviderRegistry
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

    def profile_id(self, stage: str, registry: ProviderRegistry = REGISTRY) -> str:
        """The ``*_profile_id`` of a stage: provider, its version, effective parameters."""
        config = self.stage(stage)
        return registry.profile_id(config.provider, config.params)

    def build(self, stage: str, registry: ProviderRegistry = REGISTRY, **dependencies: Any) -> Any:
        """An instance of the provider the stage names."""
        config = self.stage(stage)
        return registry.create(config.provider, config.params, **dependencies)


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
        if path.suffix not in (".yaml", ".yml") or not path.exists():
            near = difflib.get_close_matches(name_or_path, available(), n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                f"There is no strategy {name_or_path!r}.",
                hint=f"{hint}Shipped: {', '.join(available())}; or give the path of a YAML file.",
            )
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
        return parse_strategy(loaded)
    except yaml.YAMLError as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_STRATEGY, f"{path.name} is not valid YAML: {exc}"
        ) from exc


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
    try:
        return Strategy.model_validate(value)
    except ValidationError as exc:
        first = exc.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        near = difflib.get_close_matches(
            str(first["loc"][-1]), Stages.model_fields, n=1, cutoff=0.4
        )
        hint = f"Did you mean {near[0]!r}?" if near and first["type"] == "extra_forbidden" else ""
        raise ExcerptaError(
            ErrorCode.INVALID_STRATEGY, f"Strategy field {field!r}: {first['msg']}.", hint=hint
        ) from exc


def check_strategy(strategy: Strategy, registry: ProviderRegistry = REGISTRY) -> None:
    """Check provider and parameters of every stage. Raises what the registry raises."""
    for stage in Stages.model_fields:
        strategy.profile_id(stage, registry)
