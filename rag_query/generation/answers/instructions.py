"""Text of a document that reads like an order to whoever answers. It is text and no more than that.

It may be quoted whole, but nothing can be derived from it: a sentence that stands only there is
not borne out.
"""

from __future__ import annotations

import re

from rag_query.generation.passages.sentences import SourceChunk, readable, sentences_of

_ORDER = re.compile(
    r"ignore (?:all |any )?(?:the )?(?:previous|above|prior|other) "
    r"(?:instructions|rules|prompts?|passages)"
    r"|disregard (?:all|the|your|any) |you are now |\bsystem prompt\b"
    r"|(?:忽略|无视)(?:之前|以上|上述|所有|其他).{0,6}(?:指令|指示|规则|要求|内容)|你现在是|系统提示词",
    re.IGNORECASE,
)


def reads_like_order(text: str) -> bool:
    """Whether a text holds such an order."""
    return _ORDER.search(text) is not None


def without_orders(chunk: SourceChunk) -> str:
    """What a reader sees of a chunk, sentences that read like orders left out."""
    if not reads_like_order(chunk.text):
        return readable(chunk.text, chunk.format)
    return " ".join(s.text for s in sentences_of([chunk]) if not reads_like_order(s.text))
