"""Whoever wrote a YAML file is told the place, in one line."""

from __future__ import annotations

import pytest
import yaml

from rag_query.text.yaml_faults import yaml_fault


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: c: 2", "line 2, column 5: mapping values are not allowed here"),
        ("a: 'x", "line 1, column 6: while scanning a quoted scalar, found unexpected end of"),
        ("a: \0", "unacceptable character #x0000: special characters are not allowed"),
        ("a: 2024-13-40", "month must be in 1..12"),
    ],
)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
def test_what_is_wrong_and_where(text: str, told: str, loader: type[yaml.SafeLoader]) -> None:
    with pytest.raises((yaml.YAMLError, ValueError)) as caught:
        yaml.load(text, loader)
    said = yaml_fault(caught.value)
    assert "\n" not in said and "unicode string" not in said
    if loader is yaml.SafeLoader:
        assert said.startswith(told)


def test_lines_are_those_of_the_file_it_stands_in() -> None:
    with pytest.raises(yaml.YAMLError) as caught:
        yaml.safe_load("a: b: c")
    assert yaml_fault(caught.value, first_line=2).startswith("line 2, ")
