"""A YAML file that cannot be used is told with what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.yaml_files import read_yaml


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a: 1\na: 2", "is not valid YAML: line 2, column 1: 'a' stands here twice."),
        (b"a: 2025-02-30", "is not valid YAML: day is out of range for month."),
        (b"a: \xff", "is not text in UTF-8."),
        (b"[" * 5000, "is not valid YAML: "),
    ],
)
def test_a_file_that_is_no_yaml_has_the_callers_code(
    tmp_path: Path, data: bytes, told: str
) -> None:
    (tmp_path / "gates.yaml").write_bytes(data)
    with pytest.raises(ExcerptaError, match=told) as caught:
        read_yaml(tmp_path / "gates.yaml", ErrorCode.INVALID_GATES)
    assert caught.value.code == ErrorCode.INVALID_GATES
    with pytest.raises(ExcerptaError, match="cannot be read"):
        read_yaml(tmp_path, ErrorCode.INVALID_GATES)
