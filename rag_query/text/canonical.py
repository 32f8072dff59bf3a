"""Canonical text: the form that is hashed and embedded (DEV_SPEC 3.1.6.2.2).

``canonical`` removes differences of presentation only, so that the same content always has
the same fingerprint. Its rules are versioned: any change of the profile is another
``text_norm_profile_id`` and so another embedding cache.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import asdict, dataclass
from functools import cache

from rag_query.text.ids import profile_id, sha256_text

_SUSPECT = re.compile(r"[^\n\t\x20-\x7e\u4e00-\u9fff]")
_PLAIN_ASCII = bytes([9, 10, *range(0x20, 0x7F)])
#: Blanks before the end of a line, and more blank lines than the default profile keeps.
_BLANKS_GO = (b" \n", b"\t\n", b"\n\n\n")
#: Beside those, what NFKC leaves alone: accented letters, quotation marks, dashes, Chinese marks.
_MAY_CHANGE = re.compile(
    r"[^\n\t\x20-\x7e\u00c0-\u00ff\u2013\u2014\u2018\u2019\u201c\u201d"
    r"\u3001\u3002\u3008-\u3011\u4e00-\u9fff]"
)
#: What NFKC makes of the marks in nearly every Chinese text; replacing them is quicker.
_NFKC_OF_MARKS = (
    ("，", ","), ("：", ":"), ("；", ";"), ("？", "?"), ("！", "!"),
    ("（", "("), ("）", ")"), ("…", "..."),
)  # fmt: skip
#: The categories Cc and Cf of Unicode 15. Spelled out, so that the hash of a text does not
#: depend on the Unicode version of the Python that computes it.
_CC_AND_CF = (
    "\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f"
)


@dataclass(frozen=True, slots=True)
class TextNormProfile:
    """Parameters of :func:`canonical`.

    Attributes:
        unicode_form: a form ``unicodedata.normalize`` knows.
        max_blank_lines: consecutive blank lines kept.
        allowed_ctl: control characters that stay.
        rules_version: raised when the rules themselves change.
    """

    unicode_form: str = "NFKC"
    max_blank_lines: int = 1
    allowed_ctl: tuple[str, ...] = ("\n", "\t")
    rules_version: int = 1

    @property
    def id(self) -> str:
        """``text_norm_profile_id``: sha256 of the profile's canonical JSON."""
        return profile_id(asdict(self))


DEFAULT_PROFILE = TextNormProfile()


def canonical(text: str, profile: TextNormProfile = DEFAULT_PROFILE) -> str:
    """Return the canonical form of ``text``; idempotent for the default profile.

    The order is the specification's: Unicode form, newlines, BOM, invisible controls
    (categories Cc and Cf), trailing blanks of lines, runs of blank lines, trim.
    """
    # Most text is ASCII or common Han, which no Unicode rule changes.
    odd_blanks = False
    if not _is_plain_ascii(text) and _SUSPECT.search(text) is not None:
        text, odd_blanks = _by_unicode(text, profile)
    if odd_blanks or " \n" in text or "\t\n" in text:
        text = "\n".join(map(str.rstrip, text.split("\n")))
    longest = profile.max_blank_lines + 1
    if "\n" * (longest + 1) in text:
        text = re.sub(rf"\n{{{longest + 1},}}", "\n" * longest, text)
    return text.strip()


def _is_plain_ascii(text: str) -> bool:
    """Whether every character is printable ASCII, a line feed or a tab."""
    return text.isascii() and not text.encode().translate(None, _PLAIN_ASCII)


def _by_unicode(text: str, profile: TextNormProfile) -> tuple[str, bool]:
    """The first four rules, and whether blanks may be left that are no space, tab or line feed."""
    if profile.unicode_form == "NFKC":
        for mark, plain in _NFKC_OF_MARKS:
            text = text.replace(mark, plain)
        if not _MAY_CHANGE.search(text):
            return text, False
    text = unicodedata.normalize(profile.unicode_form, text)  # type: ignore[arg-type]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _is_printable(text, profile.allowed_ctl):
        text = _invisible(profile.allowed_ctl).sub("", text)
        # Removing a character can bring two combinable ones together.
        text = unicodedata.normalize(profile.unicode_form, text)  # type: ignore[arg-type]
    return text, True


def _is_printable(text: str, allowed: tuple[str, ...]) -> bool:
    """What Python calls printable holds neither Cc nor Cf, and asking is quick."""
    for ch in allowed:
        text = text.replace(ch, "")
    return text.isprintable()


@cache
def _invisible(allowed: tuple[str, ...]) -> re.Pattern[str]:
    kept = "".join(map(re.escape, allowed))
    return re.compile(f"(?![{kept}])[{_CC_AND_CF}]" if kept else f"[{_CC_AND_CF}]")


def content_hash(text: str, profile: TextNormProfile = DEFAULT_PROFILE) -> str:
    """``sha256(canonical(text))`` as 64 lower-case hex digits."""
    if profile is DEFAULT_PROFILE and text.isascii():
        data = text.encode()
        if not data.translate(None, _PLAIN_ASCII) and not any(gone in data for gone in _BLANKS_GO):
            # Its canonical form is itself without the blanks at its edges.
            return hashlib.sha256(data.strip()).hexdigest()
    return sha256_text(canonical(text, profile))
