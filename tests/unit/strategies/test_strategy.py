"""Strategies and the registry: what is wrong is named, with the nearest right name."""

from pathlib import Path
from typing import Any

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
    with pytest.raises(ExcerptaError, match="not valid YAML: line 1, column 10: "):
        load_strategy(str(broken))


_REMOTE = {"provider": "embedder.openai_compatible", "params": {"model": "m", "dimensions": 3}}


def _with(**stages: Any) -> dict[str, Any]:
    """The default strategy with other stages."""
    raw: dict[str, Any] = yaml.safe_load((FOLDER / "default.yaml").read_text(encoding="utf-8"))
    raw["stages"].update(stages)
    return raw


def _template(template: str) -> dict[str, Any]:
    return {"provider": "transformer.enrich_post", "params": {"template": template}}


def _kind(**fields: Any) -> dict[str, Any]:
    kinds = [{"name": "one", **fields}, {"name": "rest"}]
    return {"provider": "evidence_set.by_kind", "params": {"kinds": kinds}}


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ({"ocr": {"provider": "captioner.none"}}, r"stages\.ocr\.provider.* ocr\.rapidocr"),
        (
            {"chunker": {"provider": "sectioner.whole_doc"}},
            r"stages\.chunker\.provider.* chunker\.whole_section",
        ),
        (
            {"transform_pre": {"provider": "transformer.enrich_post"}},
            r"stages\.transform_pre.*Known: transformer\.normalize_pre\.",
        ),
        (
            {"retrieve_dense": {"provider": "retriever.sparse"}},
            r"stages\.retrieve_dense.*Known: retriever\.dense\.",
        ),
        ({"transform_post": _template("{chunk_text:d}")}, "template.*name alone"),
        ({"transform_post": _template("{chunk_text!x}")}, "template.*name alone"),
        ({"summarizer": {"provider": "summarizer.llm"}}, r"stages\.summarizer.*stage `llm`"),
        ({"generate": {"provider": "generator.llm"}}, r"stages\.generate.*stage `llm`"),
        (
            {"chunker": {"provider": "chunker.token_split"}, "embedder": _REMOTE},
            r"stages\.chunker.*'embedder\.openai_compatible' has no tokenizer.*`estimated`",
        ),
        ({"evidence_set": _kind(patterns=["(open"])}, r"kinds\.0\.patterns.*'\(open'"),
        ({"evidence_set": _kind(patern=["a"])}, "kinds.*Did you mean 'patterns'"),
    ],
)
def test_a_strategy_that_cannot_work_is_refused_by_its_field(
    stages: dict[str, Any], said: str
) -> None:
    with pytest.raises(ExcerptaError, match=said) as refused:
        check_strategy(parse_strategy(_with(**stages)))
    assert refused.value.code == ErrorCode.INVALID_STRATEGY


def test_a_model_that_is_named_is_enough_for_what_asks_it() -> None:
    llm = {"provider": "llm.openai_compatible", "params": {"model": "m"}}
    summarizer, generate = {"provider": "summarizer.llm"}, {"provider": "generator.llm"}
    check_strategy(parse_strategy(_with(llm=llm, summarizer=summarizer, generate=generate)))


def test_tokens_that_are_estimated_need_no_tokenizer() -> None:
    tokens: dict[str, Any] = {"provider": "chunker.token_split"}
    check_strategy(parse_strategy(_with(chunker=tokens)))
    estimated = tokens | {"params": {"tokens": "estimated"}}
    check_strategy(parse_strategy(_with(chunker=estimated, embedder=_REMOTE)))


def test_hints_come_from_where_the_wrong_name_stands() -> None:
    raw = _with(ocr={"provider": "ocr.none", "parms": {}})
    with pytest.raises(ExcerptaError, match=r"stages\.ocr\.parms.*Did you mean 'params'"):
        parse_strategy(raw)
    raw = _with()
    raw["stagse"] = raw.pop("stages")
    with pytest.raises(ExcerptaError, match=r"'stagse'.*Did you mean 'stages'"):
        parse_strategy(raw)
    raw = _with(xyz={"provider": "ocr.none"})
    with pytest.raises(ExcerptaError, match="Known here: asset_normalize, "):
        parse_strategy(raw)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is a mapping"),
        (b"- one\n- two\n", "is a mapping"),
        (b"words", "is a mapping"),
        ("name: 中文\n".encode("gbk"), "not text in UTF-8"),
        (b"\x00\x01\x02", "not valid YAML"),
        (b"[" * 100_000, "not valid YAML"),
        (b"name: 2024-99-99\n", "not valid YAML"),
        (b"name: a\nstages: {}\nname: b\n", "'name' stands here twice"),
        (b"name: a\nstages: {ocr: {provider: a, provider: b}}\n", "'provider' stands here twice"),
    ],
)
def test_a_file_that_holds_no_strategy_says_why(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(ExcerptaError, match=said) as refused:
        load_strategy(str(path))
    assert refused.value.code == ErrorCode.INVALID_STRATEGY
    assert str(tmp_path) not in str(refused.value)


def test_what_is_no_file_is_named_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").mkdir()
    for name in ("x.yaml", "nowhere.yaml"):
        with pytest.raises(ExcerptaError, match=f"no strategy '{name}'") as refused:
            load_strategy(str(tmp_path / name))
        assert refused.value.code == ErrorCode.INVALID_STRATEGY
        assert str(tmp_path) not in str(refused.value)


def test_a_merged_mapping_may_say_otherwise(tmp_path: Path) -> None:
    raw = (FOLDER / "default.yaml").read_text(encoding="utf-8")
    same = "ocr: &none {provider: ocr.none}\n  captioner: {<<: *none, provider: captioner.none}"
    path = tmp_path / "x.yaml"
    path.write_text(raw.replace("stages:\n", f"stages:\n  {same}\n"), encoding="utf-8")
    assert load_strategy(str(path)).config_id == load_strategy("default").config_id


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
