"""``loader.pdf``: PDF text, headings, tables and image references with MuPDF.

Facts are rebuilt from the page: reading order, headings as ``#``, paragraphs joined from their
lines, lists, code, tables. Every original line of text keeps its page and box.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field

from rag_assets.loading.base import Loaded, LoadRequest, MediaRef, OutlineItem
from rag_assets.loading.pdf.annotations import Note, check_boxes, filled_in, notes_of
from rag_assets.loading.pdf.answers import mark_answers
from rag_assets.loading.pdf.backgrounds import hunted_text_page
from rag_assets.loading.pdf.blocks import ImageBlock, PageContent, Raised, TableBlock
from rag_assets.loading.pdf.boxedheaders import mark_boxed_headers
from rag_assets.loading.pdf.brokentables import mend_broken_tables
from rag_assets.loading.pdf.browserprints import add_browser_print, take_browser_print
from rag_assets.loading.pdf.document import (
    content_elsewhere,
    first_line,
    image_references,
    information_of,
    is_out_of_memory,
    open_pdf,
    outline_of,
    page_labels,
    usable_title,
)
from rag_assets.loading.pdf.dropcaps import join_drop_caps
from rag_assets.loading.pdf.edges import set_edges
from rag_assets.loading.pdf.fieldvalues import values_not_drawn
from rag_assets.loading.pdf.footnotes import set_footnotes_apart
from rag_assets.loading.pdf.furniture import mark_furniture
from rag_assets.loading.pdf.headings import (
    OutlineEntry,
    body_size,
    mark_headings,
)
from rag_assets.loading.pdf.hyphens import Hyphens
from rag_assets.loading.pdf.indents import mark_indents
from rag_assets.loading.pdf.linenumbers import add_line_numbers, take_line_numbers
from rag_assets.loading.pdf.links import without_turned_points
from rag_assets.loading.pdf.order import reading_orders
from rag_assets.loading.pdf.page import read_page
from rag_assets.loading.pdf.page_blocks import PagesBefore
from rag_assets.loading.pdf.pairs import mark_pairs
from rag_assets.loading.pdf.pitch import usual_pitch
from rag_assets.loading.pdf.raised import raised_in
from rag_assets.loading.pdf.references import drawing_reference
from rag_assets.loading.pdf.rows import PageRows, Row, rows_of
from rag_assets.loading.pdf.scans import level_sizes
from rag_assets.loading.pdf.sectionheads import mark_section_heads
from rag_assets.loading.pdf.sidebars import mark_sidebars
from rag_assets.loading.pdf.slides import are_slides, mark_slide_titles
from rag_assets.loading.pdf.stext import UNIT, Box
from rag_assets.loading.pdf.ticks import write_ticks
from rag_assets.loading.pdf.titles import first_title, largest_text
from rag_assets.loading.pdf.writer import Writer
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register
from rag_query.text.language import markdown_language
from rag_query.text.section_paths import SEPARATOR

VERSION = "14"
#: Glyphs without a character (a font with no ToUnicode map), and bare control characters.
_NAMELESS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
#: Characters that mean something to their font alone; single ones are list marks and signs.
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
#: A page with so many nameless glyphs, and this share of them, has lost words.
_FEW_NAMELESS = 10
_NAMELESS_SHARE = 0.03
#: Above this share of characters without a meaning, the text of a page is no text.
_UNDECODABLE_SHARE = 0.3
_LISTED_PAGES = 20


class PdfParams(Params):
    """Parameters of ``loader.pdf``.

    Attributes:
        tables: look for tables, ruled or aligned.
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
        outline = outline_of(document)
        contents, images, notes, stamps, warnings = self._read(document)
        prints = [take_browser_print(content) for content in contents]
        numbers = take_line_numbers(contents)
        pages: list[PageRows] = []
        for page in self.arrange(document, contents):
            _set_stamped(page, stamps.get(page.number, []))
            pages.append(page)
        body = body_size(pages)
        join_drop_caps(pages, body)
        labels = page_labels(document)
        mark_boxed_headers(pages)
        mark_furniture(pages, body, labels)
        if are_slides(pages):
            # They may have more text at their feet than in their middle.
            body = body_size(pages)
        found = mark_headings(pages, outline, body)
        mark_sidebars(pages)
        mark_slide_titles(pages, body)
        mark_section_heads(pages, [entry.title for entry in outline], body)
        self.judge(pages, has_outline=len(found) >= 2)
        by_number = {content.number: content for content in contents}
        set_footnotes_apart(pages, body, lambda number: _raised_on(document, by_number[number]))
        # Page by page, while its rows are at hand: a processor has not room for all at once.
        for page in pages:
            mark_indents(page)
            set_edges(page)
            mark_pairs(page)
        mark_answers(pages)
        mend_broken_tables(pages)
        for page, around, lines in zip(pages, prints, numbers, strict=True):
            add_browser_print(page, around)
            add_line_numbers(page, lines)
        hyphens = Hyphens([row.text for page in pages for row in page.rows])
        writer = Writer(images, usual_pitch(pages), hyphens)
        for page in pages:
            writer.write(page, notes.get(page.number, ()))
        writer.finish()
        md = writer.text
        legible = _Legible.of(pages, md)
        warnings += legible.warnings() + content_elsewhere(document)
        information = information_of(document)
        references = _media_refs(writer, images)
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
            anchors=writer.anchors,
            outline=_outline(outline, found, writer),
            metadata=information,
            media_refs=references,
            furniture=writer.furniture,
            links=without_turned_points(
                (link for content in contents for link in content.links),
                {content.number for content in contents if content.flat},
            ),
            counts={
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

    def _read(
        self, document: Any
    ) -> tuple[
        list[PageContent],
        dict[tuple[int, int], str],
        dict[int, list[Note]],
        dict[int, list[Box]],
        list[str],
    ]:
        """Every page that can be read, references of its images, comments and boxes of stamps and
        fields by page, warnings.

        Raises ExcerptaError ``PDF_CORRUPT`` when no page can be read.
        """
        contents: list[PageContent] = []
        images: dict[tuple[int, int], str] = {}
        notes: dict[int, list[Note]] = {}
        stamps: dict[int, list[Box]] = {}
        unread = _Faults("PAGE_UNREADABLE")
        apart = _Faults("PAGE_INCOMPLETE")
        before = PagesBefore(document.page_count)
        for number in range(1, before.pages + 1):
            with unread.on(number):
                page = document.load_page(number - 1)
                content = read_page(
                    page, number, before, apart.on(number), tables=self._params.tables
                )
                contents.append(content)
                # Nor does a fault in what is drawn or noted on a page take anything of its text.
                with apart.on(number):
                    if not content.plain:
                        if content.flat is None and (boxes := check_boxes(page)):
                            write_ticks(content.blocks, boxes)
                        notes[number] = notes_of(page) if self._params.annotations else []
                        stamps[number] = filled_in(page)
                        notes[number] += values_not_drawn(page, content.extracted)
                with apart.on(number):
                    images |= self._images(document, page, content)
        if not contents:
            raise ExcerptaError(ErrorCode.PDF_CORRUPT, f"No page can be read: {unread.reason}.")
        if before.glyphless:
            level_sizes(contents, before.glyphless)
        return contents, images, notes, stamps, [*unread.warnings(), *apart.warnings()]

    def _images(self, document: Any, page: Any, content: PageContent) -> dict[tuple[int, int], str]:
        """References of a page's images, by page and index."""
        number = content.number
        if content.is_drawing:
            return {(number, 0): drawing_reference(number)}
        drawn = [image for image in content.images if self._counts(image)]
        names = image_references(document, page, content, drawn) if drawn else {}
        return {(number, index): name for index, name in names.items()}

    def _counts(self, image: ImageBlock) -> bool:
        smallest = self._params.min_image_points * UNIT
        box = image.raw
        return min(box.x1 - box.x0, box.y1 - box.y0) >= smallest


class _Faults:
    """Pages on which something failed, and how it did first."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._pages: list[int] = []
        self._page = 0
        self.reason = ""

    def on(self, page: int) -> Self:
        """To be entered: goes on after a fault, for MuPDF raises whatever a damaged file leads it
        to. Raises MemoryError."""
        self._page = page
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, exc: BaseException | None, __: object) -> bool:
        if not isinstance(exc, Exception):
            return False
        if is_out_of_memory(exc):
            raise MemoryError from exc
        if self._page not in self._pages:
            self._pages.append(self._page)
        self.reason = self.reason or first_line(exc)
        return True

    def warnings(self) -> list[str]:
        """One, or none."""
        return [f"{self._code}: {_listed(self._pages)}: {self.reason}"] if self._pages else []


@dataclass(frozen=True, slots=True)
class _Legible:
    """Pages (1-based) that have no text at all, and those whose text has no meaning."""

    pages: int
    without_text: list[int]
    undecodable: list[int]

    @classmethod
    def of(cls, pages: list[PageRows], md: str) -> _Legible:
        """``md`` is what all pages make."""
        legible = _is_legible(md)
        empty: list[int] = []
        undecodable: list[int] = []
        for page in pages:
            if not page.rows and all(isinstance(item, ImageBlock) for item in page.items):
                empty.append(page.number)
            elif not legible and _is_undecodable("".join(_texts(page))):
                undecodable.append(page.number)
        return cls(len(pages), empty, undecodable)

    def warnings(self) -> list[str]:
        found = []
        if len(self.without_text) == self.pages:
            found.append(f"{ErrorCode.NO_TEXT}: no page has text; it may be a scan.")
        elif self.without_text:
            found.append(f"PAGES_WITHOUT_TEXT: {_listed(self.without_text)}")
        if self.undecodable:
            found.append(f"UNDECODABLE_TEXT: {_listed(self.undecodable)}")
        return found


def _raised_on(document: Any, page: PageContent) -> list[Raised]:
    if page.raised is not None:
        return page.raised
    text_page = hunted_text_page(
        document[page.number - 1], page.flags, plain=page.plain, boxed=page.boxed
    )
    return raised_in(text_page, page.extracted)


def _set_stamped(page: PageRows, stamps: list[Box]) -> None:
    """Mark what lies in a stamp or field, and what runs across the other text of its page."""
    # Asked of every row, and so first without a call.
    across = [row for row in page.rows if row.y1 - row.y0 >= 3 * row.size and row.turned]
    if 2 * len(across) <= len(page.rows):
        for row in across:
            row.stamped = True
    for row in page.rows if stamps else ():
        box = row.lines[0].box
        x, y = (box.x0 + box.x1) // 2, (box.y0 + box.y1) // 2
        row.stamped |= any(s.x0 <= x <= s.x1 and s.y0 <= y <= s.y1 for s in stamps)


def _texts(page: PageRows) -> list[str]:
    texts = [row.text for row in page.rows]
    tables = len(page.items) > len(page.rows)
    for table in page.items if tables else ():
        if isinstance(table, TableBlock):
            texts += [line.text for row in table.rows for cell in row for line in cell]
    for note in page.footnotes:
        texts += [row.text for row in note.rows]
    return texts


def _is_legible(text: str) -> bool:
    """Whether all of a text has a meaning, as is known quickly; False where it may have none."""
    # A character for a character, which takes half the time of leaving them out.
    text = text.replace("\n", " ").replace("\u00a0", " ")
    return text.isprintable() and "\ufffd" not in text


def _is_undecodable(text: str) -> bool:
    if _is_legible(text):
        return False
    nameless = len(_NAMELESS.findall(text))
    if nameless >= _FEW_NAMELESS and nameless >= _NAMELESS_SHARE * len(text):
        return True
    return len(_PRIVATE.findall(text)) + nameless > _UNDECODABLE_SHARE * len(text)


def _listed(pages: list[int]) -> str:
    names = ", ".join(map(str, pages[:_LISTED_PAGES]))
    more = f" and {len(pages) - _LISTED_PAGES} more" if len(pages) > _LISTED_PAGES else ""
    return f"page{'s' if len(pages) > 1 else ''} {names}{more}"


def _title(information: dict[str, Any], pages: list[PageRows], writer: Writer) -> str:
    named = usable_title(information.get("title"))
    if named:
        return named
    if pages and (largest := usable_title(largest_text(pages))):
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


def _media_refs(writer: Writer, images: dict[tuple[int, int], str]) -> list[MediaRef]:
    references = []
    order_on: dict[int, int] = {}
    headings = iter(writer.headings)
    upcoming = next(headings, None)
    path: list[tuple[int, str]] = []
    for page, image, start, end in writer.images:
        while upcoming is not None and upcoming[3] <= start:
            path = [*(p for p in path if p[0] < upcoming[0]), upcoming[:2]]
            upcoming = next(headings, None)
        order = order_on[page] = order_on.get(page, -1) + 1
        box = image.raw
        references.append(
            MediaRef(
                ref_id=f"p{page:04d}-{order:03d}",
                source_type="pdf",
                origin_ref=images[page, image.index],
                char_start=start,
                char_end=end,
                order=order,
                page=page,
                x0=box.x0 / UNIT,
                y0=box.y0 / UNIT,
                x1=box.x1 / UNIT,
                y1=box.y1 / UNIT,
                heading_path=SEPARATOR.join(title for _, title in path) or None,
            )
        )
    return references


def _engine_version() -> str:
    import pymupdf

    return f"{pymupdf.pymupdf_version}/{pymupdf.mupdf_version}"


register("loader.pdf", version=VERSION, params=PdfParams, build=PdfLoader)
