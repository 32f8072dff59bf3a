"""The text near an image that a captioner may see (DEV_SPEC 3.6.6.2)."""

from __future__ import annotations

import re

from rag_assets.loading.pdf.file.references import PDF_SCHEME
from rag_query.text.pictures import ASSET_SCHEME, asset_uri

_PARAGRAPHS = re.compile(r"\n\s*\n")
_TARGET = re.compile(rf"\((?:{ASSET_SCHEME}[0-9a-f]+|data:,|{PDF_SCHEME}[^)]*)\)")


def local_context(md: str, asset_id: str, limit: int) -> str:
    """The paragraph that shows the image, with one before and one after, at most ``limit``
    characters around the image; empty when it is not in ``md``."""
    at = md.find(asset_uri(asset_id))
    if at < 0:
        return ""
    bounds = [0, *(found.end() for found in _PARAGRAPHS.finditer(md)), len(md)]
    index = max(number for number, start in enumerate(bounds[:-1]) if start <= at)
    start, end = bounds[max(index - 1, 0)], bounds[min(index + 2, len(bounds) - 1)]
    if end - start > limit:
        start = max(start, min(at - limit // 2, end - limit))
        end = min(end, start + limit)
    return _TARGET.sub("", md[start:end]).strip()
