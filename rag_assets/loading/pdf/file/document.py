"""Opening a PDF, and what it says about itself: outline, page labels, information, images."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rag_assets.loading.pdf.extraction.blocks import ImageBlock, PageContent
from rag_assets.loading.pdf.extraction.pointers import members_of
from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.file.references import drawn_reference, object_reference
from rag_query.contracts.errors import ErrorCode, ExcerptaError

_INFORMATION = ("title", "author", "subject", "keywords", "creator", "producer")
_DATES = {"creationDate": "created", "modDate": "modified"}
_PDF_DATE = re.compile(r"D?:?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?")
#: Names of attached files in a warning.
_LISTED_FILES = 5
#: Titles that programs leave behind.
_NO_TITLE = re.compile(
    r"^(untitled.*|\(anonymous\)|\(unspecified\)|microsoft \w+ - .*|slide \d+|\W*"
    r"|.*\.(docx?|dvi|tex|pdf|odt|indd|rtf|xlsx?|pptx?))$",
    re.IGNORECASE,
)


class OutlineEntry(NamedTuple):
    """An entry of the PDF's outline; ``page`` is 1-based, null when it points nowhere."""

    level: int
    title: str
    page: int | None


def open_pdf(data: Path | bytes, max_pages: int) -> Any:
    """A PyMuPDF document that can be read, with at least one page.

    Raises:
        ExcerptaError: ``EMPTY_FILE``, ``PDF_CORRUPT``, ``PDF_ENCRYPTED``, ``PDF_NO_PAGES`` or
            ``PDF_TOO_MANY_PAGES``.
    """
    import pymupdf

    silence()
    if (len(data) if isinstance(data, bytes) else data.stat().st_size) == 0:
        raise ExcerptaError(ErrorCode.EMPTY_FILE, "The file is empty.")
    try:
        # Named by type: the bytes of a raw file have no suffix to go by.
        if isinstance(data, bytes):
            document = pymupdf.open(stream=data, filetype="pdf")
        else:
            document = pymupdf.open(str(data), filetype="pdf")
        if not document.is_pdf:
            # MuPDF trusts the bytes: it opens a web page named .pdf as one.
            raise ValueError("no PDF")
        # What needs_pass said at opening; asking again may take as long.
        locked = document.is_encrypted and not document.authenticate("")
        # A file that was cut off opens, and has no count of pages.
        pages = 0 if locked else document.page_count
    except Exception as exc:
        if is_out_of_memory(exc):
            raise MemoryError from exc
        # The reason as MuPDF gives it holds the path of the raw file.
        raise _not_a_pdf() from exc
    if locked:
        raise ExcerptaError(
            ErrorCode.PDF_ENCRYPTED,
            "The PDF needs a password.",
            hint="Save it without a password and ingest it again.",
        )
    if pages == 0:
        if _lost_pages(document):
            raise ExcerptaError(ErrorCode.PDF_CORRUPT, "The PDF is damaged: no page can be found.")
        raise ExcerptaError(ErrorCode.PDF_NO_PAGES, "The PDF has no pages.")
    if pages > max_pages:
        raise ExcerptaError(
            ErrorCode.PDF_TOO_MANY_PAGES,
            f"The PDF has {pages} pages; at most {max_pages} are allowed.",
            hint="Raise limits.max_pages in library.json, or split the file.",
        )
    return document


def _not_a_pdf() -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.PDF_CORRUPT,
        "The PDF cannot be opened: it is damaged, or no PDF.",
        hint="Open it in a viewer and save it again.",
    )


def _lost_pages(document: Any) -> bool:
    """Whether a document without pages once had some: its page tree is gone or names pages."""
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Pages/Kids")
    except _faults():
        return True
    return not (kind == "array" and not value.strip("[ ]"))


def _faults() -> tuple[type[Exception], ...]:
    """What PyMuPDF raises for structures that are damaged."""
    import pymupdf

    return (RuntimeError, ValueError, LookupError, TypeError, pymupdf.mupdf.FzErrorBase)


def silence() -> None:
    """Keep MuPDF's messages off stdout and stderr."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)


def outline_of(document: Any) -> list[OutlineEntry]:
    """The bookmarks; empty when there are none or they cannot be read."""
    first = document.outline
    if first is None:
        return []
    pages = document.page_count
    entries: list[OutlineEntry] = []
    of_entry = members_of("fz_outline")
    # Document.get_toc would load it once more.
    todo = [(first.this.m_internal, 1)]
    try:
        while todo:
            node, level = todo.pop()
            if not node:
                continue
            entry = node.this
            if title := " ".join((of_entry.title(entry) or "").split()):
                page = _page_of(document, entry)
                entries.append(OutlineEntry(level, title, page if 1 <= page <= pages else None))
            todo += ((of_entry.next(entry), level), (of_entry.down(entry), level + 1))
    except _faults():
        return []
    return entries


def _page_of(document: Any, entry: Any) -> int:
    """The page (1-based) a bookmark leads to; what is none when it leads nowhere."""
    from pymupdf import mupdf

    of_entry = members_of("fz_outline")
    uri = of_entry.uri(entry)
    if not uri or mupdf.ll_fz_is_external_link(uri):
        return 0
    page: int = of_entry.page(entry).page
    if page == -1:
        page, _, _ = document.resolve_link(uri)
    return page + 1


def page_labels(document: Any) -> list[str] | None:
    """The label of every page, or None when the document defines none."""
    from pymupdf import utils

    try:
        # As Page.get_label does, which reads the rules again for every page.
        rules = sorted(document._get_page_labels())
        if not rules:
            return None
        return [utils.get_label_pno(number, rules) for number in range(document.page_count)]
    except _faults():
        return None


def content_elsewhere(document: Any) -> list[str]:
    """Warnings of what a PDF holds that does not stand on its pages: a form its viewer draws, other
    files."""
    warnings = []
    try:
        catalog = document.pdf_catalog()
        form, _ = document.xref_get_key(catalog, "AcroForm/XFA")
        _, rendering = document.xref_get_key(catalog, "NeedsRendering")
        if form != "null" and rendering == "true":
            warnings.append(
                "XFA_FORM: the form is drawn by its viewer, from data that is not read; its pages "
                "may say no more than that. Print it to a PDF and ingest that."
            )
        files = [document.embfile_info(at)["ufilename"] for at in range(document.embfile_count())]
    except _faults():
        return warnings
    if files:
        named = ", ".join(files[:_LISTED_FILES]) + (", …" if len(files) > _LISTED_FILES else "")
        warnings.append(f"EMBEDDED_FILES: {len(files)} attached and not read: {named}")
    return warnings


def information_of(document: Any) -> dict[str, Any]:
    """The information dictionary: what is set of it, dates as ISO 8601."""
    given = document.metadata or {}
    result = {key: given[key].strip() for key in _INFORMATION if (given.get(key) or "").strip()}
    for key, name in _DATES.items():
        if found := _PDF_DATE.match(given.get(key) or ""):
            year, month, day, *clock = found.groups()
            result[name] = "-".join(filter(None, (year, month, day)))
            if all(clock):
                result[name] += "T" + ":".join(clock)
    if given.get("format"):
        result["pdf_version"] = given["format"]
    if document.is_repaired:
        result["repaired"] = True
    return result


def usable_title(title: str | None) -> str:
    """``title`` when it is more than what a program left behind, else nothing."""
    cleaned = " ".join((title or "").split())
    return "" if _NO_TITLE.match(cleaned) else cleaned


def image_references(
    document: Any,
    page: Any,
    content: PageContent,
    images: list[ImageBlock],
    digests: dict[int, bytes],
) -> dict[int, str]:
    """The reference of each of some images drawn on a page, by its index: of its object, or of its
    place on the page where its object cannot be told (inline images).

    Args:
        digests: of the content of some objects of the document, by their numbers; added to.
    """
    # As a list, each once: of equal objects the last one is taken.
    by_size: defaultdict[tuple[int, int], dict[int, None]] = defaultdict(dict)
    for item in document.get_page_images(content.number - 1, full=True):
        by_size[item[2], item[3]][item[0]] = None
    references: dict[int, str] = {}
    unknown: list[ImageBlock] = []
    for image in images:
        objects = by_size[content.image_sizes[image.index]] if content.image_sizes else {}
        if len(objects) == 1:
            references[image.index] = object_reference(min(objects))
        else:
            unknown.append(image)
    # Which object was drawn only another extraction tells.
    drawn = page.get_image_info() if unknown else []
    boxes = np.asarray([info["bbox"] for info in drawn]) * UNIT
    exact: list[bytes] | None = None
    for image in unknown if drawn else ():
        box = image.raw
        at = int(np.abs(boxes - (box.x0, box.y0, box.x1, box.y1)).sum(axis=1).argmin())
        candidates = list(by_size[drawn[at]["width"], drawn[at]["height"]])
        if len(candidates) > 1:
            # Several objects of this size: only their content tells them apart, which is slow.
            if exact is None:
                exact = [item["digest"] for item in page.get_image_info(hashes=True)]
            candidates = [
                xref
                for xref in candidates
                if at < len(exact) and _digest(document, xref, digests) == exact[at]
            ]
        references[image.index] = (
            object_reference(candidates[-1]) if candidates else drawn_reference(content.number, at)
        )
    return references


def _digest(document: Any, xref: int, digests: dict[int, bytes]) -> bytes:
    """That of the pixels of an object, added to ``digests``."""
    import pymupdf

    if xref not in digests:
        digests[xref] = pymupdf.Pixmap(document, xref).digest
    return digests[xref]


def is_out_of_memory(exc: BaseException) -> bool:
    """Whether Python or MuPDF could not get memory."""
    return isinstance(exc, MemoryError) or ("alloc" in str(exc) and "failed" in str(exc))


def first_line(exc: BaseException) -> str:
    """The first line of an exception's message, without its end mark."""
    return (str(exc).strip().split("\n", 1)[0] or type(exc).__name__).rstrip(".")[:200]
