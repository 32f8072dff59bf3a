"""Tables as rows that a stage decides one by one, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

import pyarrow as pa

Row = TypeVar("Row")


def from_table(table: pa.Table, row: type[Row]) -> list[Row]:
    """The rows of a stored table.

    Args:
        row: a dataclass whose fields are columns; where the table was written before a column was
            added, the field is None.
    """
    lacking = [None] * table.num_rows
    columns = [
        table[field.name].to_pylist() if field.name in table.column_names else lacking
        for field in fields(row)  # type: ignore[arg-type]
    ]
    return [row(*values) for values in zip(*columns, strict=True)]


def to_table(rows: Sequence[object], schema: pa.Schema) -> pa.Table:
    """The rows as a table of ``schema``, in their order."""
    columns = {
        field.name: pa.array([getattr(row, field.name) for row in rows], field.type)
        for field in schema
    }
    return pa.table(columns, schema=schema)
