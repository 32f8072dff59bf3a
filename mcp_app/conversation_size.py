"""What of a conversation fits into an answer.

The Markdown says everything a reader needs; of the fields beside it the largest go first. What is
left out can be read elsewhere, and a warning says where.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_app.budget import end_within, estimated_tokens, fitting, tokens_of

#: Tokens kept free for the envelope, its fields' names and the warnings of this module.
_BESIDE_TOKENS = 800

_TEXTS = "The texts of the evidence are left out; read chunk://{chunk_id} or library_get_document."
_SENTENCES = "generation_map holds the first {shown} of {all} sentences."
_FIELDS = "Fields too large for one answer are left out: {names}."
_TEXT = "The text ends early; library_get_document reads the document piece by piece."


def fitted(
    markdown: str, data: dict[str, Any], tokens: int
) -> tuple[str, dict[str, Any], list[str]]:
    """A turn's Markdown and fields within ``tokens``, and what the reader is to know about it.

    Args:
        markdown: of the turn.
        data: the fields of an :class:`~rag_query.contracts.answer.Answer`; not changed.
        tokens: estimated, for everything.
    """
    room, warnings = tokens - _BESIDE_TOKENS, list[str]()
    most = room * 9 // 10
    if estimated_tokens(markdown) > most:
        markdown = markdown[: end_within(markdown, 0, most)].rstrip() + " …"
        warnings.append(_TEXT)
    room -= estimated_tokens(markdown)
    for shorter, warning in _shorter(data, room):
        if tokens_of(data) <= room:
            break
        data = shorter
        warnings.append(warning)
    return markdown, data, warnings


def _shorter(data: dict[str, Any], room: int) -> Iterator[tuple[dict[str, Any], str]]:
    """The fields, each time with less of them."""
    if evidence := data.get("evidence_set"):
        chunks = [{k: v for k, v in chunk.items() if k != "text"} for chunk in evidence["chunks"]]
        data = data | {"evidence_set": evidence | {"chunks": chunks}}
        yield data, _TEXTS
    if written := data.get("generation_map"):
        rest = room - tokens_of(data | {"generation_map": []})
        # A comma and a space stand between two.
        shown = fitting((tokens_of(entry) + 1 for entry in written), max(0, rest))
        data = data | {"generation_map": written[:shown]}
        yield data, _SENTENCES.format(shown=shown, all=len(written))
    large = sorted(_OPTIONAL & data.keys(), key=lambda name: tokens_of(data[name]), reverse=True)
    for name in large:
        data = {key: value for key, value in data.items() if key != name}
        yield data, _FIELDS.format(names=name)


#: Fields an answer can do without.
_OPTIONAL = {"evidence_set", "generation_map", "sections", "contradictions", "generator"}
