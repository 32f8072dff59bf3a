"""Web addresses that stand in running text without any markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_assets.markdown_tree import Spans

#: It ends before blanks, quotation marks, brackets and Chinese marks.
_CHARACTER = r"[^\s<>\[\]{}()\"'`|\\^\u3000-\u303f\uff00-\uffef\u2018-\u201d]"
#: Parentheses that are closed again are part of it, as in addresses of Wikipedia.
_ADDRESS = re.compile(
    rf"(?<![\w/])https?://(?:{_CHARACTER}|\((?:{_CHARACTER}|\({_CHARACTER}*\))*\))+"
)
_ENDS_SENTENCE = ".,;:!?*_~"
_NO_TEXT = frozenset(
    {"Link", "Image", "Code", "CodeBlock", "Html", "InlineHtml", "HtmlBlock", "MetadataBlock"}
)


def bare_addresses(md: str) -> Iterator[tuple[int, str]]:
    """(start, address) in order; what stands in links, images, code and HTML is none of its own."""
    written = list(_ADDRESS.finditer(md)) if "://" in md else []
    if not written:
        return
    other = Spans(md, _NO_TEXT)
    for match in written:
        if not other.hold(match.start()):
            yield match.start(), match[0].rstrip(_ENDS_SENTENCE)
