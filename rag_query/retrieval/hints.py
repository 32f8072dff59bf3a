"""``queries[i].hints``: what this executor acts on, and what it says of the rest.

| hint | value | what it does |
|---|---|---|
| ``plain`` | true | nothing is read out of the text: no filters, preferences, synonyms or rewrite |
| ``entities`` | names | titles or headings a relational query also sets out from |
| ``prefer_recent`` / ``prefer_official`` / ``prefer_has_image`` | true | as in ``ranking`` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag_query.contracts.evidence import Preference

PREFERENCE_HINTS: Mapping[str, Preference] = {
    "prefer_recent": "recent",
    "prefer_official": "official",
    "prefer_has_image": "has_image",
}
MAX_ENTITY_CHARS = 200
MAX_ENTITIES = 16


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints that act; ``ignored`` says why others do not."""

    plain: bool = False
    entities: tuple[str, ...] = ()
    preferences: tuple[Preference, ...] = ()
    ignored: tuple[str, ...] = ()


def read_hints(hints: Mapping[str, Any]) -> Hints:
    """Never fails: a hint of a wrong form is ignored, as is what is too long or too much, and
    said."""
    ignored: list[str] = []
    preferences: list[Preference] = []
    plain, entities = False, ()
    for name, value in hints.items():
        if name == "plain" or name in PREFERENCE_HINTS:
            if not isinstance(value, bool):
                ignored.append(f"{name} is not true or false")
            elif name == "plain":
                plain = value
            elif value:
                preferences.append(PREFERENCE_HINTS[name])
        elif name == "entities":
            named = [value] if isinstance(value, str) else value
            if isinstance(named, list) and all(isinstance(each, str) for each in named):
                entities = tuple(each[:MAX_ENTITY_CHARS] for each in named[:MAX_ENTITIES])
                if len(named) > MAX_ENTITIES:
                    ignored.append(f"entities after the first {MAX_ENTITIES} are not looked for")
                if any(len(each) > MAX_ENTITY_CHARS for each in named[:MAX_ENTITIES]):
                    ignored.append(
                        f"entities are looked for by their first {MAX_ENTITY_CHARS} characters"
                    )
            else:
                ignored.append("entities is no list of names")
        else:
            ignored.append(f"{name} is not executed")
    return Hints(plain, entities, tuple(preferences), tuple(ignored))
