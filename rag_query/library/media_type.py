"""What a stored medium is, by its bytes."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass

UNKNOWN = "application/octet-stream"
SVG = "image/svg+xml"
#: Types that hold no pixels but shapes; nothing that looks at pixels is given them.
NO_PIXELS = frozenset({SVG})
#: Before the root of a drawing may stand a licence or a list of entities, but no more than this.
_PROLOG_BYTES = 1024 * 1024
_BLANKS = re.compile(r"\s*")
_SVG_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,60}:)?svg(?=[\s/>])")
_DOCTYPE = "<!DOCTYPE"
#: What is looked for in a document type (DTD): its brackets, and what may hide a bracket.
_IN_DOCTYPE = re.compile("<!--|<\\?|[\"'\\[\\]>]")
_ENDS = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """MIME type, and pixels where it is a raster image."""

    mime: str
    width: int | None = None
    height: int | None = None


def describe_media(data: bytes) -> MediaFacts:
    """Reads the head of an image only; what is no image is ``application/octet-stream``."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            return MediaFacts(Image.MIME.get(image.format or "", UNKNOWN), *image.size)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return MediaFacts(SVG if is_svg(data) else UNKNOWN)


def is_svg(data: bytes) -> bool:
    """Whether bytes are an XML document whose root is ``svg``; linear in what is read.

    To be asked of what is no raster image: a comment inside a PNG can say anything.
    """
    text = _markup(data[:_PROLOG_BYTES])
    at = _blanks_end(text, 0)
    while at >= 0:
        if text.startswith("<?", at):
            at = _after(text, "?>", at + 2)
        elif text.startswith("<!--", at):
            at = _after(text, "-->", at + 4)
        elif text[at : at + len(_DOCTYPE)].upper() == _DOCTYPE:
            at = _doctype_end(text, at + len(_DOCTYPE))
        else:
            return _SVG_ROOT.match(text, at) is not None
        if at >= 0:
            at = _blanks_end(text, at)
    return False


def _markup(data: bytes) -> str:
    """Text in which the markup of XML can be read, whatever else it is encoded in."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    # Without a mark, the zero beside the first character tells (XML 1.0, appendix F).
    if data.startswith(b"<\x00"):
        return data.decode("utf-16-le", "replace")
    if data.startswith(b"\x00<"):
        return data.decode("utf-16-be", "replace")
    return data.removeprefix(codecs.BOM_UTF8).decode("latin-1")


def _doctype_end(text: str, at: int) -> int:
    """Where a document type ends, its internal subset included; -1 when it does not."""
    depth = 0
    while found := _IN_DOCTYPE.search(text, at):
        at = found.end()
        mark = found[0]
        if mark in _ENDS:
            at = _after(text, _ENDS[mark], at)
            if at < 0:
                return -1
        elif mark == ">" and depth <= 0:
            return at
        elif mark != ">":
            depth += 1 if mark == "[" else -1
    return -1


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return -1 if found < 0 else found + len(mark)


def _blanks_end(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None  # it matches nothing as well
    return found.end()
