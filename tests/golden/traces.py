"""Golden traces: what a few questions on a small library leave, without what differs each time.

``python -m tests.golden.traces`` writes them anew and says what changed; look at that before
committing it.
"""

from __future__ import annotations

import difflib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

FOLDER = Path(__file__).with_name("traces")
DOCUMENTS = [
    SmallDoc(
        "tea.md",
        "# Tea\n\n## Green\n\nGreen tea is steamed right after picking.\n\n"
        "## Black\n\nBlack tea is fully oxidised before it is dried.",
        tags=("drink",),
    ),
    SmallDoc("绿茶.md", "# 绿茶\n\n绿茶是不发酵的茶，采摘后立即蒸青。", language="zh"),
]
QUESTIONS: dict[str, dict[str, Any]] = {
    "hybrid": {"queries": [{"text": "steamed green tea", "mode": "hybrid"}]},
    "exact_zh": {"queries": [{"text": "绿茶 蒸青", "mode": "exact"}]},
    "filtered": {
        "queries": [{"text": "oxidised", "mode": "semantic"}],
        "global_filters": {"tag_ids": ["drink"]},
        "budget": {"top_k": 1},
    },
}


class _Kept:
    def __init__(self) -> None:
        self.envelopes: list[TraceEnvelope] = []

    def write(self, envelope: TraceEnvelope) -> None:
        self.envelopes.append(envelope)


def record(folder: Path) -> dict[str, TraceEnvelope]:
    """The traces of the questions, on a library made in ``folder``."""
    home: Home = build_library(folder / "lib", DOCUMENTS, shards=1)
    kept = _Kept()
    with open_retriever(home, sinks=[kept]) as retriever:
        for plan in QUESTIONS.values():
            retriever.run({"version": "0.1", "request_id": "golden", **plan})
    return dict(zip(QUESTIONS, kept.envelopes, strict=True))


def stable(envelope: TraceEnvelope) -> dict[str, Any]:
    """The trace without times, ids of its own, and where and by which build it was made.

    Spans and events stand in the order of the topology: the legs run side by side.
    """
    made = envelope.model_dump(mode="json")
    for name in ("trace_id", "started_at", "ended_at", "build", "runtime"):
        del made[name]
    names = {span["span_id"]: span["name"] for span in made["spans"]}
    for span in made["spans"]:
        span["parent"] = names.get(span.pop("parent_span_id"))
        for name in ("span_id", "start_ms", "end_ms"):
            del span[name]
        span["attrs"] = {k: v for k, v in span["attrs"].items() if not k.endswith("_ms")}
    for event in made["events"]:
        event["span"] = names.get(event.pop("span_id"))
        del event["event_id"], event["ts_ms"]
    made["spans"].sort(key=lambda span: json.dumps(span, sort_keys=True))
    made["events"].sort(key=lambda event: json.dumps(event, sort_keys=True))
    del made["aggregates"]["latency_ms"]
    made["aggregates"]["stage_latency_ms"] = sorted(made["aggregates"]["stage_latency_ms"])
    return _rounded(made)  # type: ignore[no-any-return]


def golden(name: str) -> dict[str, Any]:
    """What is kept of a question."""
    kept: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return kept


def text_of(value: dict[str, Any]) -> str:
    """As it stands in the file."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        traces = record(Path(folder))
    FOLDER.mkdir(exist_ok=True)
    for name, envelope in traces.items():
        path = FOLDER / f"{name}.json"
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = text_of(stable(envelope))
        path.write_text(after, encoding="utf-8")
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
        changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        sys.stdout.write(f"{name}: {len(changed)} lines changed\n")
        for line in changed[:40]:
            sys.stdout.write(f"  {line}\n")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return {k: _rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
