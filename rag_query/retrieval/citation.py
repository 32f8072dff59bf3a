"""Where a passage stands, on one line: one way for evidence and for the sources of an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rag_query.text.section_paths import PREAMBLE

_MARKUP = re.compile(r"([\\`*_\[\]<>])")
Shown = Callable[[str | None], str]


def one_line(text: str | None) -> str:
    """Text without its line breaks."""
    return " ".join((text or "").split())


def plain_markdown(text: str | None) -> str:
    """Text that Markdown shows as it stands, on one line."""
    return _MARKUP.sub(r"\\\1", one_line(text))


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage as it is cited.

    Attributes:
        section: its path, as a section filter takes it.
        page: first page, 1-based; None where the format has none.
        page_label: the number printed on it.
        line_start: first line of the parsed text, 1-based; shown where there are no pages.
        images: how many it holds.
        older_version: the number of its version; None for the newest.
    """

    chunk_id: str
    source_uri: str
    section: str | None = None
    page: int | None = None
    page_end: int | None = None
    page_label: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    from_ocr: bool = False
    images: int = 0
    older_version: int | None = None

    def line(self, *, chinese: bool = False, shown: Shown = one_line) -> str:
        """Section, pages or lines, images, the source's URI, the passage's id.

        Args:
            chinese: in Chinese, not in English.
            shown: what is done to the document's own words.
        """
        parts = []
        if self.section and self.section != PREAMBLE:
            parts.append(f"§ {shown(self.section)}")
        if place := self._chinese_place(shown) if chinese else self._place(shown):
            parts.append(place)
        if self.from_ocr:
            parts.append("由 OCR 识别" if chinese else "read by OCR")
        if self.images:
            several = "1 image" if self.images == 1 else f"{self.images} images"
            parts.append(f"{self.images} 幅图" if chinese else several)
        if self.older_version is not None:
            before = "旧版本" if chinese else "older version"
            parts.append(f"{before} {self.older_version}")
        # In code spans a URI is shown as it is, whatever characters it holds.
        return " · ".join([*parts, f"`{self.source_uri}`", f"`{self.chunk_id}`"])

    def _place(self, shown: Shown) -> str:
        if self.page is not None:
            label = f" (printed {shown(self.page_label)})" if self._is_labelled else ""
            return _span("page", self.page, self.page_end) + label
        if self.line_start is not None:
            return _span("line", self.line_start, self.line_end) + of_the_text(self.source_uri)
        return ""

    def _chinese_place(self, shown: Shown) -> str:
        if self.page is not None:
            label = f"（印刷页码 {shown(self.page_label)}）" if self._is_labelled else ""
            return f"第 {_range(self.page, self.page_end)} 页{label}"
        if self.line_start is not None:
            parsed = "解析后文本" if of_the_text(self.source_uri) else ""
            return f"{parsed}第 {_range(self.line_start, self.line_end)} 行"
        return ""

    @property
    def _is_labelled(self) -> bool:
        return bool(self.page_label) and self.page_label != str(self.page)


def of_the_text(source_uri: str) -> str:
    """Says whose lines are meant where they are not the file's: those of an HTML page or a record
    are of its parsed text."""
    path, _, fragment = source_uri.partition("#")
    html = path.lower().endswith((".html", ".htm"))
    return " of the text" if fragment or html else ""


def _span(unit: str, first: int, last: int | None) -> str:
    return f"{unit} {first}" if last in (None, first) else f"{unit}s {first}-{last}"


def _range(first: int, last: int | None) -> str:
    return str(first) if last in (None, first) else f"{first}-{last}"
