"""Hints of a query: what acts, and what is said of the rest."""

from __future__ import annotations

from rag_query.retrieval.hints import MAX_ENTITIES, MAX_ENTITY_CHARS, read_hints


def test_entities_that_are_not_looked_for_are_said() -> None:
    few = read_hints({"entities": ["Green tea", "x" * MAX_ENTITY_CHARS]})
    assert len(few.entities) == 2 and not few.ignored
    many = read_hints({"entities": [f"e{n}" for n in range(MAX_ENTITIES + 1)]})
    assert len(many.entities) == MAX_ENTITIES
    assert many.ignored == ("entities after the first 16 are not looked for",)
    long = read_hints({"entities": "x" * 201})
    assert long.entities == ("x" * 200,)
    assert long.ignored == ("entities are looked for by their first 200 characters",)
