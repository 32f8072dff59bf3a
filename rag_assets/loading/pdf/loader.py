"""``loader.pdf``: PDF text, headings, tables and image references with MuPDF.

Facts are rebuilt from the page: reading order, headings as ``#``, paragraphs joined from their
lines, lists, code, tables. Every original line of text keeps its page and box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from rag_assets.loading.base import Loaded, LoadRequest, OutlineItem
from rag_assets.loading.pdf.characters.linked import linked_in, links_to_notes
from rag_assets.loading.pdf.characters.raised import raised_in
from rag_assets.loading.pdf.extraction.blocks import PageContent, Raised
from rag_assets.loading.pdf.file.document import (
    OutlineEntry,
    content_elsewhere,
    information_of,
    open_pdf,
    outline_of,
    page_labels,
    usable_title,
)
from rag_assets.loading.pdf.file.links import without_turned_points
from rag_assets.loading.pdf.headings.headings import body_size, mark_headings
from rag_assets.loading.pdf.headings.slides import are_slides, mark_slide_titles
from rag_assets.loading.pdf.headings.titles import first_title, largest_text
from rag_assets.loading.pdf.margins.boxedheaders import mark_boxed_headers
from rag_assets.loading.pdf.margins.browserprints import add_browser_print, take_browser_print
from rag_assets.loading.pdf.margins.footnotes import set_footnotes_apart
from rag_assets.loading.pdf.margins.furniture import mark_furniture
from rag_assets.loading.pdf.margins.legible import Legible, mark_nameless
from rag_assets.loading.pdf.margins.linenumbers import add_line_numbers, take_line_numbers
from rag_assets.loading.pdf.margins.sectionheads import mark_section_heads
from rag_assets.loading.pdf.margins.sidebars import mark_sidebars
from rag_assets.loading.pdf.margins.stamped import set_stamped
from rag_assets.loading.pdf.order.brokentables import mend_broken_tables
from rag_assets.loading.pdf.order.order import reading_orders
from rag_assets.loading.pdf.order.rows import PageRows, Row, rows_of
from rag_assets.loading.pdf.pages.backgrounds import hunted_text_page
from rag_assets.loading.pdf.pages.document_pages import DocumentPages, read_pages
from rag_assets.loading.pdf.paragraphs.answers import mark_answers
from rag_assets.loading.pdf.paragraphs.clauses import mark_captions
from rag_assets.loading.pdf.paragraphs.dropcaps import join_drop_caps
from rag_assets.loading.pdf.paragraphs.edges import set_edges
from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens
from rag_assets.loading.pdf.paragraphs.indents import mark_indents
from rag_assets.loading.pdf.paragraphs.pairs import mark_pairs
from rag_assets.loading.pdf.paragraphs.typewriter import mark_proportional
from rag_assets.loading.pdf.writing.mediarefs import media_refs
from rag_assets.loading.pdf.writing.pitch import usual_pitch
from rag_assets.loading.pdf.writing.writer import Writer
from rag_query.providers.registry import Params, register
from rag_query.text.language import markdown_language

VERSION = "19"


class PdfParams(Params):
    """Parameters of ``loader.pdf``.

    Attributes:
        tables: look for tables, ruled, tagged or aligned.
        annotations: take the comments of notes, highlights and other marks in, as quotations at
            the end of their page.
        min_image_points: images thinner than this are rules and other decoration.
    """

    tables: bool = True
    annotations: bool = True
    min_image_points: float = Field(4.0, ge=0)


class PdfLoader:
    """Reads one PDF at a time; safe to use again after an error."""

    name = "loader.pdf"
    version = VERSION

    def __init__(self, params: PdfParams) -> None:
        self._params = params

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError with one of the ``PDF_*`` codes or ``EMPTY_FILE``."""
        document = open_pdf(data, request.max_pages)
        try:
            return self._load(document)
        finally:
            document.close()

    def _load(self, document: Any) -> Loaded:
        entries = outline_of(document)
        read = read_pages(
            document,
            tables=self._params.tables,
            annotations=self._params.annotations,
            min_image_points=self._params.min_image_points,
        )
        prints = [take_browser_print(content) for content in read.contents]
        numbers = take_line_numbers(read.contents)
        pages: list[PageRows] = []
        across = {content.number: content.across for content in read.contents if content.across}
        for page in self.arrange(document, read.contents):
            number = page.number
            set_stamped(page, read.stamps.get(number, []), across.get(number, frozenset()))
            pages.append(page)
        labels = page_labels(document)
        found = self._mark(pages, document, read.contents, entries, labels)
        for page, around, lines in zip(pages, prints, numbers, strict=True):
            add_browser_print(page, around)
            add_line_numbers(page, lines)
        writer = _written(pages, read)
        return self._loaded(
            document, read, pages, writer, labels=labels, outline=_outline(entries, found, writer)
        )

    def _mark(
        self,
        pages: list[PageRows],
        document: Any,
        contents: Sequence[PageContent],
        entries: list[OutlineEntry],
        labels: list[str] | None,
    ) -> dict[int, Row]:
        """Say of every row what it is: furniture, heading, footnote, part of a list or table.

        Returns:
            Index in ``entries`` -> the row that is its heading, where one was found.
        """
        mark_proportional(pages)
        body = body_size(pages)
        join_drop_caps(pages, body)
        mark_boxed_headers(pages)
        mark_furniture(pages, body, labels)
        if are_slides(pages):
            # They may have more text at their feet than in their middle.
            body = body_size(pages)
        found = mark_headings(pages, entries, body)
        mark_sidebars(pages)
        mark_slide_titles(pages, body)
        mark_section_heads(pages, entries, found, body)
        self.judge(pages, has_outline=len(found) >= 2)
        by_number = {content.number: content for content in contents}
        set_footnotes_apart(pages, body, lambda number: _raised_on(document, by_number[number]))
        # Page by page, while its rows are at hand: a processor has not room for all at once.
        for page in pages:
            mark_indents(page)
            set_edges(page)
            mark_pairs(page)
            mark_captions(page)
        mark_answers(pages)
        mend_broken_tables(pages)
        mark_nameless(pages)
        return found

    def _loaded(
        self,
        document: Any,
        read: DocumentPages,
        pages: list[PageRows],
        writer: Writer,
        *,
        labels: list[str] | None,
        outline: list[OutlineItem],
    ) -> Loaded:
        """What was written, and what else the document says of itself."""
        md = writer.facts.text
        legible = Legible.of(pages, md)
        warnings = [*read.warnings, *legible.warnings(), *content_elsewhere(document)]
        information = information_of(document)
        return Loaded(
            loader_name=self.name,
            loader_version=self.version,
            parser_engine="pymupdf",
            engine_version=_engine_version(),
            md=md,
            title=_title(information, pages, writer),
            language=markdown_language(md),
            pages=document.page_count,
            page_labels=labels,
            anchors=writer.facts.anchors,
            outline=outline,
            metadata=information,
            media_refs=media_refs(writer, read.images),
            furniture=writer.furniture,
            links=without_turned_points(
                (link for content in read.contents for link in content.links),
                {content.number for content in read.contents if content.flat},
            ),
            summary={
                "paragraphs": writer.paragraphs,
                "tables": writer.tables,
                "notes": writer.notes,
                "footnotes": writer.footnotes,
                "pages_without_text": legible.without_text,
                "pages_undecodable": legible.undecodable,
                "furniture": dict(Counter(item.kind for item in writer.furniture)),
            },
            warnings=warnings,
        )

    def arrange(self, document: Any, contents: Sequence[PageContent]) -> Iterable[PageRows]:
        """The pages as rows in reading order."""
        del document
        return map(rows_of, contents, reading_orders(contents))

    def judge(self, pages: Sequence[PageRows], *, has_outline: bool) -> None:
        """Correct what was marked as furniture and headings; nothing here."""


def _written(pages: Sequence[PageRows], read: DocumentPages) -> Writer:
    hyphens = Hyphens(
        [row.text for page in pages for row in page.rows],
        (link.uri for content in read.contents for link in content.links if link.uri),
    )
    writer = Writer(read.images, usual_pitch(pages), hyphens)
    for page in pages:
        writer.write(page, read.notes.get(page.number, ()))
    writer.finish()
    return writer


def _raised_on(document: Any, page: PageContent) -> list[Raised]:
    """The raised characters of a page, looked for unless they were when it was read, and the marks
    that lead to notes by a link."""
    raised, text_page = page.raised, None
    if raised is None:
        text_page = _text_page(document, page)
        raised = raised_in(text_page, page.extracted, images=bool(page.images))
    if not (links := links_to_notes(page, raised)):
        return raised
    return [*raised, *linked_in(text_page or _text_page(document, page), links)]


def _text_page(document: Any, page: PageContent) -> Any:
    return hunted_text_page(document[page.number - 1], page.reading, plain=page.plain)


def _title(information: dict[str, Any], pages: list[PageRows], writer: Writer) -> str:
    named = usable_title(information.get("title"))
    if named:
        return named
    if pages and (largest := usable_title(largest_text(pages, writer.hyphens))):
        return largest
    return first_title([title for level, title, _, _ in writer.headings if level == 1])


def _outline(
    entries: list[OutlineEntry], found: dict[int, Row], writer: Writer
) -> list[OutlineItem]:
    """The PDF's own outline, with offsets where its headings were found; else the headings."""
    if not entries:
        return [OutlineItem(*heading) for heading in writer.headings]
    return [
        OutlineItem(
            entry.level,
            entry.title,
            entry.page,
            writer.heading_starts.get(id(found[index])) if index in found else None,
        )
        for index, entry in enumerate(entries)
    ]


def _engine_version() -> str:
    import pymupdf

    return f"{pymupdf.pymupdf_version}/{pymupdf.mupdf_version}"


register("loader.pdf", version=VERSION, params=PdfParams, build=PdfLoader)
