"""Write the JSON Schema of the trace contract: ``python -m tools.trace_schema``.

Raise ``TRACE_SCHEMA_VERSION`` first when a field changes; a published version's file stays.
"""

from __future__ import annotations

import json

from rag_query.tracing.schema import make_schema, schema_file


def main() -> None:
    path = schema_file()
    path.write_text(json.dumps(make_schema(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{path.name}: written")


if __name__ == "__main__":
    main()
