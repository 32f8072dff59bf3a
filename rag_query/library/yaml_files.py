"""YAML files that people write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.yaml_faults import yaml_fault


def read_yaml(path: Path, code: ErrorCode) -> Any:
    """What a file holds; a key that stands twice in one mapping is a fault.

    Raises:
        ExcerptaError: ``code``, when it cannot be read or is no YAML.
    """
    try:
        # A subclass of the safe loader: it makes nothing but plain values.
        return yaml.load(path.read_text(encoding="utf-8"), _OneOfEachKey)
    except UnicodeDecodeError as exc:
        problem, hint = "is not text in UTF-8", "Save it as UTF-8."
        cause: Exception = exc
    except OSError as exc:
        problem, hint, cause = f"cannot be read: {exc.strerror}", "", exc
    # A date that is none, and brackets without end.
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        problem, hint, cause = f"is not valid YAML: {yaml_fault(exc)}", "", exc
    raise ExcerptaError(code, f"{path.name} {problem}.", hint=hint) from cause


#: ``<<`` takes in other mappings, one after the other.
_MERGE = "tag:yaml.org,2002:merge"


class _OneOfEachKey(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping; YAML's own loader lets the last one win."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} stands here twice", key.start_mark
                    )
                seen.add(key.value)
        return node
