"""The title of a plain text: the first line that says what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.parser import HeaderParser
from email.policy import default
from itertools import islice

from rag_assets.loading.markdown_syntax import inline_title
from rag_assets.loading.text_headings import without_roles
from rag_assets.loading.text_outdents import head_end, manual_name

_WORD = re.compile(r"[^\W_]")
#: Explicit markup of reStructuredText, with what is indented below it.
_MARKUP = re.compile(r"\.\.(?: |$)")
#: Fields, attributes, anchors and comments of RST and AsciiDoc, and what editors are told.
_NO_TITLE = re.compile(r":[\w -]+:(?:[ \t]|$)|\[.*\]$|//|.*-\*-.*-\*-")
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
#: Numbers, times, versions, keywords of version control, columns beside each other, drawings.
_FACTS = re.compile(
    rf"(?:\W|_|\d++(?:st|nd|rd|th)?(?![^\W\dTZ年月日时時分秒])"
    rf"|(?<=\d)[TZ年月日时時分秒]|\b{_MONTH}\b"
    r"|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|\b(?:am|pm|utc|gmt)\b)+"
    r"|\$\w+(?::.*)?\$"
    r"|(?:version|revision|release|rev|v|版本)[.:：]?\s*\d+(?:\.\d+)*(?:[-+~]?[a-z]*\d*)?"
    r"(?:\s*\([^()]*\))?"
    r"|.*\S(?: {3,}|\t+)\S.*|[^\w\s]{5}.*",
    re.IGNORECASE,
)
#: So many lines are looked at for one that is no such fact; a longer one is a paragraph.
_HEAD = 20
_LONGEST = 200
#: Lines of a title in the middle of a page, and what an Internet-Draft has below its own.
_MOST = 3
#: Says something; a rule does not.
_TOLD = re.compile(r"[^\W_]")
_DRAFT = re.compile(r"\s*draft-[\w-]+(?:\.txt)?\s*")
#: ``name = value``, and a date with a time before words.
_SETTING = re.compile(r"[\w.-]+[ \t]*=")
_ENTRY = re.compile(r"\[?\d{1,4}[-/.]\d\d?[-/.]\d{1,4},?[T ]\d\d?:\d\d\S*[ \t]+\S")
#: Names of fields, three or more without a blank behind what parts them, and their values.
_FIELDS = re.compile(
    r"[^,;。！？，]+(?P<part>[,;])(?! )[^,;。！？，]+(?:(?P=part)(?! )[^,;。！？，]+)+"
)
_HASHES = re.compile(r"#{1,6}[ \t]+")
_MAIL = re.compile(r"(?:From .*\n)?(?:[A-Z][\w-]*:(?:[ \t].*)?\n(?:[ \t]+\S.*\n)*){2,}")


def title_of(text: str, headings: dict[int, str]) -> str:
    """The first line that says something and is no markup; empty when there is none.

    Of a mail it is the subject, of a manual page its name and section, of a memo with columns at
    its head the lines below them. Settings, logs and subtitles have none.

    Args:
        headings: titles as Markdown by line from 0.
    """
    if subject := _subject(text):
        return subject
    lines = text.split("\n")
    telling = list(islice(_telling(lines), _HEAD))
    if not telling:
        return ""
    if len(telling) > 1 and (manual := manual_name(lines[telling[0]].strip())):
        return manual
    if _is_data(lines, telling):
        return ""
    head = head_end(lines, telling[0])
    number = next(
        (n for n in telling if n in headings or (n >= head and not _is_facts(lines[n]))), telling[0]
    )
    if number in headings:
        return inline_title(headings[number])
    if number >= head > telling[0]:
        return _centred(lines, number)
    line = lines[number].strip()
    line = _HASHES.sub("", line, count=1) if _HASHES.match(line) else line
    return line if ":`" not in line else inline_title(without_roles(line))


def _centred(lines: Sequence[str], number: int) -> str:
    """A title that begins on a line, and goes on below where each line is centred."""
    end = number + 1
    while end < len(lines) and _TOLD.search(lines[end]) and not _DRAFT.fullmatch(lines[end]):
        end += 1
    indents = {len(line) - len(line.lstrip()) for line in lines[number:end]}
    # Lines of an address begin below each other.
    centred = len(indents) == end - number and 0 not in indents
    below = lines[number:end] if centred and end - number <= _MOST else [lines[number]]
    return " ".join(" ".join(below).split())


def _is_facts(line: str) -> bool:
    return len(line) <= _LONGEST and _FACTS.fullmatch(line.strip()) is not None


def _is_data(lines: Sequence[str], telling: Sequence[int]) -> bool:
    """Whether a text begins with what a program reads or wrote: two settings, an entry with its
    time that is no line of its own above others, the signature of subtitles, rows of
    fields."""
    first, *below = (lines[number].strip() for number in telling[:2])
    if _ENTRY.match(first):
        return not below or telling[1] == telling[0] + 1 or bool(_ENTRY.match(below[0]))
    if first.startswith("WEBVTT"):
        return True
    return bool(below) and any(
        all(map(data, (first, *below))) for data in (_SETTING.match, _FIELDS.fullmatch)
    )


def _subject(text: str) -> str:
    """That of a mail with a sender, decoded."""
    head = _MAIL.match(text)
    if head is None:
        return ""
    fields = HeaderParser(policy=default).parsestr(head[0])
    return " ".join(str(fields["Subject"] or "").split()) if "From" in fields else ""


def _telling(lines: Sequence[str]) -> Iterator[int]:
    within = False
    for number, line in enumerate(lines):
        if within and (not line.strip() or line[0].isspace()):
            continue
        within = _MARKUP.match(line) is not None
        if not within and _WORD.search(line) and not _NO_TITLE.match(line.strip()):
            yield number
