"""What is wrong with a YAML text, in one line for whoever wrote it."""

from __future__ import annotations

import yaml


def yaml_fault(error: Exception, first_line: int = 1) -> str:
    """``line 2, column 5: …`` (columns from 1) where the error names a place.

    YAML's own message runs over several lines and names the text as ``<unicode string>``.

    Args:
        error: of ``yaml.load``, or what a value's constructor raised.
        first_line: number of the text's first line in its file.
    """
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        # Of several lines the first says what it is, the others where in the parser.
        return str(error).partition("\n")[0]
    said = ", ".join(part for part in (error.context, error.problem) if part)
    return f"line {mark.line + first_line}, column {mark.column + 1}: {said}"
