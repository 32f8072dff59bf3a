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

_PLAIN_ASCII = bytes([9, 10, *range(0x20, 0x7F)])
#: Everything but this and the marks below stays as it is: accented letters, quotation marks,
#: dashes, arrows and other signs, Chinese marks and characters, emoji.
_MAY_CHANGE = re.compile(
    r"[^\n\t\x20-\x7e\u00b0\u00b1\u00b7\u00c0-\u00ff\u2013\u2014\u2018\u2019\u201c\u201d\u2022"
    r"\u2190-\u21ff\u2500-\u27bf\u3001\u3002\u3008-\u3011\u4e00-\u9fff\U0001f300-\U0001f64f"
    r"\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff]"
)
#: More of them than the default profile keeps.
_BLANK_LINES = re.compile(r"\n{3,}")
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
    if profile is DEFAULT_PROFILE and (quick := _quick_canonical(text)) is not None:
        return quick
    text = unicodedata.normalize(profile.unicode_form, text)  # type: ignore[arg-type]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _is_printable(text, profile.allowed_ctl):
        text = _invisible(profile.allowed_ctl).sub("", text)
        # Removing a character can bring two combinable ones together.
        text = unicodedata.normalize(profile.unicode_form, text)  # type: ignore[arg-type]
    text = "\n".join(map(str.rstrip, text.split("\n")))
    longest = profile.max_blank_lines + 1
    text = re.sub(rf"\n{{{longest + 1},}}", "\n" * longest, text)
    return text.strip()


def content_hash(text: str, profile: TextNormProfile = DEFAULT_PROFILE) -> str:
    """``sha256(canonical(text))`` as 64 lower-case hex digits."""
    if profile is DEFAULT_PROFILE and (quick := _quick_canonical(text)) is not None:
        return hashlib.sha256(quick.encode()).hexdigest()
    return sha256_text(canonical(text, profile))


def _quick_canonical(text: str) -> str | None:
    """The default profile's canonical form of most texts, otherwise None.

    In them the Unicode form changes nothing but marks, nothing is invisible and every blank is a
    space, a tab or a line feed.
    """
    if text.isascii():
        if text.encode().translate(None, _PLAIN_ASCII):
            return None
    else:
        for mark, plain in _NFKC_OF_MARKS:
            text = text.replace(mark, plain)
        if _MAY_CHANGE.search(text):
            return None
    # Few texts have tabs, and a single character is found far quicker than two.
    if " \n" in text or ("\t" in text and "\t\n" in text):
        text = "\n".join(map(str.rstrip, text.split("\n")))
    if "\n\n\n" in text:
        text = _BLANK_LINES.sub("\n\n", text)
    return text.strip()


def _is_printable(text: str, allowed: tuple[str, ...]) -> bool:
    """What Python calls printable holds neither Cc nor Cf, and asking is quick."""
    for ch in allowed:
        text = text.replace(ch, "")
    return text.isprintable()


@cache
def _invisible(allowed: tuple[str, ...]) -> re.Pattern[str]:
    kept = "".join(map(re.escape, allowed))
    return re.compile(f"(?![{kept}])[{_CC_AND_CF}]" if kept else f"[{_CC_AND_CF}]")
