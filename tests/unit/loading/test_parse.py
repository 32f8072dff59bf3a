"""What a parsing process loads for a document."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rag_assets.loading.parse import _BUILT_IN
from rag_query.providers.registry import REGISTRY


@pytest.mark.parametrize("provider_id", _BUILT_IN)
def test_a_loader_is_found_where_it_is_registered(provider_id: str) -> None:
    import rag_assets.providers  # noqa: F401

    build = REGISTRY.get(provider_id).build
    assert build.__module__ == f"rag_assets.loading.{_BUILT_IN[provider_id]}"


def test_a_record_loads_no_reader_of_other_formats(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps({"title": "Tides", "text": "They rise."}))
    program = f"""
import sys
from rag_assets.loading.base import LoadRequest
from rag_assets.loading.parse import RawBytes, parse_document
raw = RawBytes({str(file)!r}, 0, {file.stat().st_size})
parsed = parse_document("loader.record", "{{}}", raw, LoadRequest("corpus.jsonl", 10))
assert parsed.cells["title"] == "Tides"
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.split()
    assert "rag_assets.loading.record" in loaded
    assert not [name for name in loaded if name.startswith(("rag_assets.loading.pdf", "pymupdf"))]
    assert "rag_assets.loading.html" not in loaded
