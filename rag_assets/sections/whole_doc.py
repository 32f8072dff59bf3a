"""``sectioner.whole_doc``: the document is one section, so that the chunker alone decides."""

from __future__ import annotations

from rag_assets.sections.base import Section
from rag_query.providers.registry import Params, register
from rag_query.text.section_paths import PREAMBLE


class WholeDoc:
    """See the module."""

    def sections(self, md: str) -> list[Section]:
        """All of ``md``, or nothing when it is blank."""
        return [Section((PREAMBLE,), 0, None, 0, len(md))] if md.strip() else []


def _build(_params: Params) -> WholeDoc:
    return WholeDoc()


register("sectioner.whole_doc", version="1", build=_build)
