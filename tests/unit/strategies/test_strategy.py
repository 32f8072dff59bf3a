"""Strategies and the registry: what is wrong is named, with the nearest right name."""

from pathlib import Path

import pytest
import yaml

import rag_assets.providers  # noqa: F401
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, ProviderRegistry, Registration
from rag_query.strategies.strategy import (
    FOLDER,
    available,
    check_strategy,
    load_strategy,
    parse_strategy,
)


@pytest.mark.parametrize("name", ["default", "minilm", "scans"])
def test_shipped_strategies_name_known_providers_and_valid_parameters(name: str) -> None:
    assert name in available()
    check_strategy(load_strategy(name))


def test_what_acts_decides_the_id_and_the_name_does_not() -> None:
    raw = yaml.safe_load((FOLDER / "default.yaml").read_text())
    same = parse_strategy(raw | {"name": "other"})
    assert same.config_id == load_strategy("default").config_id
    raw["stages"]["chunker"]["params"]["chunk_size"] = 123
    assert parse_strategy(raw).config_id != same.config_id


def test_a_misspelt_strategy_provider_or_parameter_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ExcerptaError, match="minilm") as unknown:
        load_strategy("minilmm")
    assert unknown.value.code == ErrorCode.INVALID_STRATEGY

    raw = yaml.safe_load((FOLDER / "default.yaml").read_text())
    raw["stages"]["chunker"]["provider"] = "chunker.rcts_within_sections"
    with pytest.raises(ExcerptaError, match=r"chunker\.rcts_within_section") as provider:
        check_strategy(parse_strategy(raw))
    assert provider.value.code == ErrorCode.UNKNOWN_PROVIDER

    raw = yaml.safe_load((FOLDER / "default.yaml").read_text())
    raw["stages"]["chunker"]["params"] = {"chunk_sise": 100}
    with pytest.raises(ExcerptaError, match="chunk_size") as parameter:
        check_strategy(parse_strategy(raw))
    assert parameter.value.code == ErrorCode.INVALID_STRATEGY

    raw["stages"]["chunkr"] = raw["stages"].pop("chunker")
    with pytest.raises(ExcerptaError, match="chunk"):
        parse_strategy(raw)

    broken = tmp_path / "broken.yaml"
    broken.write_text("stages: [")
    with pytest.raises(ExcerptaError, match="not valid YAML"):
        load_strategy(str(broken))


class _Sized(Params):
    size: int = 3


def test_a_package_adds_a_provider_and_its_version_is_part_of_the_profile() -> None:
    first, second = ProviderRegistry(), ProviderRegistry()
    first.register(Registration("chunker.mine", "1", _Sized, lambda params: params.size))
    second.register(Registration("chunker.mine", "2", _Sized, lambda params: params.size))
    assert first.create("chunker.mine", {"size": 5}) == 5
    assert first.profile_id("chunker.mine", {}) == first.profile_id("chunker.mine", {"size": 3})
    assert first.profile_id("chunker.mine", {}) != second.profile_id("chunker.mine", {})
    with pytest.raises(ValueError, match="twice"):
        first.register(Registration("chunker.mine", "1", _Sized, lambda params: params))
