"""Rows of the measured table: printed, and merged into ``bench.json``."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

OUTPUT = Path("bench.json")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        bench: the name that measures it again: ``python -m tests.perf BENCH``.
        name: what was measured.
        value: the figure.
        unit: of the figure; empty for a ratio or a quality measure.
        target: the figure asked for; None for a report.
        at_least: whether more is better.
        notes: what a reader must know to judge it.
    """

    bench: str
    name: str
    value: float
    unit: str = ""
    target: float | None = None
    at_least: bool = True
    notes: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def show(rows: Iterable[Row]) -> None:
    """Print the table."""
    table = Table(title="Excerpta, measured", title_justify="left")
    for heading, justify in (
        ("bench", "left"),
        ("what", "left"),
        ("measured", "right"),
        ("asked", "right"),
        ("", "left"),
        ("notes", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    marks = {None: "", True: "[green]met[/]", False: "[red]short[/]"}
    for row in rows:
        sign = ">=" if row.at_least else "<="
        asked = "" if row.target is None else f"{sign} {_number(row.target)} {row.unit}".rstrip()
        measured = f"{_number(row.value)} {row.unit}".rstrip()
        table.add_row(row.bench, row.name, measured, asked, marks[row.met], row.notes)
    Console().print(table)


def save(rows: Iterable[Row], path: Path = OUTPUT) -> None:
    """Merge into ``bench.json``: a row measured again replaces the older one."""
    kept: dict[str, Any] = {}
    if path.exists():
        kept = {f"{r['bench']}/{r['name']}": r for r in json.loads(path.read_text())["rows"]}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for row in rows:
        kept[f"{row.bench}/{row.name}"] = asdict(row) | {"met": row.met, "measured_at": now}
    machine = {"processor": platform.processor(), "python": platform.python_version()}
    document = {"machine": machine, "rows": list(kept.values())}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _number(value: float) -> str:
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"
