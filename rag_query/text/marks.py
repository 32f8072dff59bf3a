"""Markdown's marks in evidence, and the words without them: what is quoted is what is written.

Only what a renderer would take for a mark is one: emphasis that is closed, the tags of HTML, links,
entities and escapes. Code is left as it stands but for its fence, and so is text of formats that
know no marks.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_query.text.numerals import HAN_UP_TO_TEN

#: The language of fenced code, be it behind a directive: ```{code-block} python.
_LANGUAGE = re.compile(r"\s*(?:\{[^}]*\}\s*)?([\w+#-]+)")
_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>.*)$",
    re.MULTILINE,
)
#: Characters of scripts that set no blanks between words, with their marks.
UNSPACED = r"\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
#: A long line's end between characters of scripts that set no blanks between words, but for a hard
#: break or before what begins a line of its own: "乙方：…", 第七节, （二）.
_WRAPPED = re.compile(
    rf"(?<=[^\n]{{14}}[{UNSPACED}])[ \t]?\n[ \t]*(?=[{UNSPACED}])"
    rf"(?!\S{{1,8}}[：: ]|第[{HAN_UP_TO_TEN}百\d]{{1,4}}[章节条]"
    rf"|[（(][{HAN_UP_TO_TEN}]{{1,3}}[)）]|[{HAN_UP_TO_TEN}]{{1,3}}、)"
)
_LONE_HEADING = re.compile(r"#{1,6}[ \t][^\n]*\n[ \t]*\n")
_QUOTE = re.compile(r"^[ \t]*>(?:[ \t]*>)*[ \t]?", re.MULTILINE)
#: A backslash the loaders put before what would begin a block.
_BLOCK_ESCAPE = re.compile(r"^[ \t]*(?:\d{1,9})?(\\)(?=[#>*+\-|=_`~.)])", re.MULTILINE)
#: What MyST's directives hold is prose, but for those that name code.
_DIRECTIVE = re.compile(r"\s*\{(?!code|sourcecode|literal|parsed|math|mermaid)[\w:-]+\}")
#: Where emphasis cannot go on: a blank line, or the next item, row or heading.
_BLOCK_END = re.compile(
    r"\n(?=(?:[ \t]*| {0,3}>[ \t>]*)(?:\n|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|))"
)

_INLINE_TAGS = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter "
    "output progress q ruby rb rp rt s samp small span strike strong sub sup time tt u var wbr"
)
_BLOCK_TAGS = (
    "address applet area article aside audio base body blockquote br button canvas caption center "
    "col colgroup datalist dd details dialog dir div dl dt embed fieldset figcaption figure "
    "footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input "
    "legend li link main map menu meta nav noframes noscript object ol optgroup option p param "
    "picture pre script section select slot source style summary svg table tbody td template "
    "textarea tfoot th thead title tr track ul video"
)
_INLINE = frozenset(_INLINE_TAGS.split())
#: Names of tags as people write them; ``List<Object>`` holds none.
_NAMES = "|".join(
    sorted([n for name in f"{_INLINE_TAGS} {_BLOCK_TAGS}".split() for n in (name, name.upper())])
)
#: What a link shows; nobody writes one of more parts, and it is read for each bracket without end.
_SHOWN = r"(?:[^\[\]\\`]++|\\.|`[^`]*`|`|\[[^\[\]]*\]){0,2000}+"
_TARGET = (
    r"\(\s*(?:<[^<>\n]*>|(?:[^\s()<]|\((?:[^\s()]|\([^\s()]*\))*\))*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_TOKEN = re.compile(
    r"(?P<escape>\\(?:[`*_<>|#&~.+-]|\[(?!\s)|(?<!\s\\)\]))"  # \[ x \] is a formula
    r"|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    rf"|(?P<image>!\[{_SHOWN}\](?:{_TARGET}|\[[^\[\]]*\]))"
    rf"|\[(?P<shown>{_SHOWN})\](?:(?P<target>{_TARGET})|(?P<ref>\[[^\[\]^]*\]))"
    r"|(?P<comment><!--|\{/\*)"
    rf"|<(?P<close>/?)(?P<tag>{_NAMES})(?:\s[^<>]*)?/?>"
    r"|(?P<auto><(?:[a-zA-Z][\w+.-]+:|[\w.+-]+@)[^\s<>]+>)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<run>\*+|_+)",
    re.DOTALL,
)
#: What ends the comment that each begins.
_COMMENT_ENDS = {"<!--": "-->", "{/*": "*/}"}
_ANY = re.compile(r"[\\`!\[<&*_{]")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LETTER = re.compile(r"[^\W\d_]")
_RAISED = re.compile(r"[-+−]?\d")

#: Formats whose text is what it looks like.
_PLAIN = ("text", "pdf")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text, and what of it a reader does not see.

    Attributes:
        marks: ``(start, end, what is read in its place)``, by start.
        fences: ranges of code with the lines of its fence.
    """

    text: str
    marks: tuple[tuple[int, int, str], ...]
    fences: tuple[tuple[int, int], ...]

    def said(self, start: int, end: int) -> str:
        """What a reader sees of a part of the text, on one line."""
        parts = []
        at = start
        first = max(0, bisect_right(self.marks, start, key=lambda mark: mark[0]) - 1)
        for begin, stop, instead in self.marks[first:]:
            if begin >= end:
                break
            if begin >= at:
                parts += [self.text[at:begin], instead]
            at = max(at, stop)
        parts.append(self.text[at:end])
        said = "".join(parts)
        if "\n" in said and not said.isascii():
            line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
            said = _WRAPPED.sub("", line + said)[len(line) :]
        return " ".join(said.split())

    def is_code(self, at: int) -> bool:
        """Whether a place lies in fenced code, its fence included."""
        index = bisect_right(self.fences, at, key=lambda fence: fence[0]) - 1
        return index >= 0 and at < self.fences[index][1]

    def language_at(self, at: int) -> str:
        """The language that the fence around a place names; empty where it names none."""
        if not self.is_code(at):
            return ""
        index = bisect_right(self.fences, at, key=lambda fence: fence[0]) - 1
        fence = _FENCE.match(self.text, self.fences[index][0])
        language = _LANGUAGE.match(fence["info"]) if fence else None
        return language[1] if language else ""


def marked(text: str, source_format: str | None = None, *, mostly_code: bool = False) -> Marked:
    """The marks of a text.

    Args:
        source_format: of its document; None where it is not known, and read as Markdown.
        mostly_code: a part of a document that is mostly code, and may begin inside a fence.
    """
    marks: list[tuple[int, int, str]] = []
    fences: list[tuple[int, int]] = []
    at = 0
    for begin, code, code_end, end in _fenced(text, mostly_code):
        marks += _prose(text, at, begin, source_format)
        marks += [(begin, code, " "), (code_end, end, " ")]
        if text[begin:code].lstrip(" \t").startswith(">"):
            marks += [(m.start(), m.end(), "") for m in _QUOTE.finditer(text, code, code_end)]
        fences.append((begin, end))
        at = end
    marks += _prose(text, at, len(text), source_format)
    return Marked(text, tuple(sorted(marks)), tuple(fences))


def _fenced(text: str, mostly_code: bool) -> list[tuple[int, int, int, int]]:
    """Where fenced code begins, its first line, and where that and its fence end; the lines around
    a directive as code without lines."""
    found = []
    directives: list[str] = []
    lines = list(_FENCE.finditer(text))
    begin, code, fence = (0, 0, "") if _begins_in_code(text, lines, mostly_code) else (-1, 0, "")
    for match in lines:
        after = min(match.end() + 1, len(text))
        bare = not match["info"].strip()
        if begin < 0 and _DIRECTIVE.match(match["info"]):
            directives.append(match["fence"])
            found.append((match.start(), after, after, after))
        elif begin < 0 and bare and directives and match["fence"].startswith(directives[-1]):
            directives.pop()
            found.append((match.start(), after, after, after))
        elif begin < 0:
            begin, code, fence = match.start(), after, match["fence"]
        elif bare and match["fence"].startswith(fence):
            found.append((begin, code, match.start(), after))
            begin = -1
    if begin >= 0:
        found.append((begin, code, len(text), len(text)))
    return found


def _begins_in_code(text: str, fences: Sequence[re.Match[str]], mostly_code: bool) -> bool:
    """Whether a text is a later part of code that was cut: its first fence ends some."""
    if not fences:
        return mostly_code and _LONE_HEADING.match(text) is None
    first = fences[0]
    ends = not first["info"].strip() and not text[first.end() :].partition("\n\n")[0].strip()
    return len(fences) % 2 == 1 and ends


def _prose(
    text: str, start: int, end: int, source_format: str | None
) -> list[tuple[int, int, str]]:
    if source_format in _PLAIN:
        marks = [(m.start(1), m.end(1), "") for m in _BLOCK_ESCAPE.finditer(text, start, end)]
        if source_format == "pdf":
            marks += [(m.start(), m.end(), "") for m in _IMAGE.finditer(text, start, end)]
        return marks
    marks = [(m.start(), m.end(), "") for m in _QUOTE.finditer(text, start, end)]
    if _ANY.search(text, start, end) is None:
        return marks
    ends = [m.start() for m in _BLOCK_END.finditer(text, start, end)]
    for begin, stop in zip([start, *ends], [*ends, end], strict=True):
        block = _Block(text, begin, stop, source_format)
        block.scan(begin, stop)
        marks += block.marks + _emphasis(block.runs)
    return marks


@dataclass(slots=True)
class _Run:
    """``*`` or ``_`` in a row; of ``length``, ``[start, end)`` are left."""

    character: str
    start: int
    end: int
    opens: bool
    closes: bool
    length: int
    within: bool

    @property
    def left(self) -> int:
        return self.end - self.start


class _Block:
    """Finds the marks of one block; HTML's loader writes no ``_``, entities or references."""

    def __init__(self, text: str, start: int, end: int, source_format: str | None) -> None:
        self._text, self._start, self._end = text, start, end
        self._from_html = source_format == "html"
        self.marks: list[tuple[int, int, str]] = []
        self.runs: list[_Run] = []

    def scan(self, start: int, end: int) -> None:
        for match, stop in self._tokens(start, end):
            begin = match.start()
            if match["escape"]:
                self._take(begin, begin + 1)
            elif ticks := match["ticks"]:
                self._take(begin, begin + len(ticks))
                self._take(stop - len(ticks), stop)
            elif match["image"] or match["comment"]:
                self._take(begin, stop)
            elif match["shown"] is not None:
                self._link(match)
            elif match["tag"]:
                self._take(begin, stop, self._instead_of_tag(match))
            elif match["auto"]:
                self._take(begin, begin + 1)
                self._take(stop - 1, stop)
            elif match["entity"] and not self._from_html:
                self._take(begin, stop, html.unescape(match[0]))
            elif match["run"]:
                self._run(match)

    def _tokens(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        """What may be marks, and where each ends.

        Ends of comments are looked for here: a pattern would look again for each that has none.
        """
        at = start
        unclosed: set[str] = set()
        while match := _TOKEN.search(self._text, at, end):
            at = match.end()
            if comment := match["comment"]:
                close = _COMMENT_ENDS[comment]
                closes = -1 if comment in unclosed else self._text.find(close, at, end)
                if closes < 0:
                    unclosed.add(comment)
                    at = match.start() + 1
                    continue
                at = closes + len(close)
            yield match, at

    def _take(self, start: int, end: int, instead: str = "") -> None:
        self.marks.append((start, end, instead))

    def _link(self, match: re.Match[str]) -> None:
        begin, shown_end = match.start(), match.end("shown")
        before = self._text[begin - 1 : begin]
        # a[i][j] is no reference, nor are the numbers of notes.
        is_link = match["target"] is not None or not (
            self._from_html
            or (before.isascii() and before.isalnum())
            or before in ("]", "_", ")")
            or not _LETTER.search(match["shown"])
        )
        if is_link:
            self._take(begin, begin + 1)
            self._take(shown_end, match.end())
        self.scan(match.start("shown"), shown_end)

    def _instead_of_tag(self, match: re.Match[str]) -> str:
        name = match["tag"].lower()
        if name == "sup" and not match["close"]:
            # 10<sup>16</sup> is not 1016.
            before = self._text[match.start() - 1 : match.start()]
            if before.isalnum() and _RAISED.match(self._text, match.end()):
                return "^"
        return "" if name in _INLINE else " "

    def _run(self, match: re.Match[str]) -> None:
        start, end = match.span()
        before = self._text[start - 1] if start > self._start else " "
        after = self._text[end] if end < self._end else " "
        left = not after.isspace() and (after.isalnum() or _parts(before))
        right = not before.isspace() and (before.isalnum() or _parts(after))
        character = match[0][0]
        if character == "_":
            # x.__class__ and __init__(self) are names.
            named = before == "." or after == "(" or self._from_html
            opens = left and (not right or not before.isalnum()) and not named
            closes = right and (not left or not after.isalnum()) and not named
        else:
            # 2**20 is a power, 这是**要点**的 emphasis.
            power = before.isalnum() and after.isalnum() and (before + after).isascii()
            opens, closes = left and not power, right and not power
        if opens or closes:
            within = end - start == 1 and before.isalnum() and after.isalnum()
            self.runs.append(_Run(character, start, end, opens, closes, end - start, within))


def _parts(character: str) -> bool:
    """Whether emphasis may begin or end beside a character; Chinese is written without blanks."""
    return not character.isalnum() or character >= "\u2e80"


def _pair(opener: _Run, closer: _Run) -> bool:
    """Whether two runs belong together; 长*宽*高 is a product."""
    if opener.character != closer.character or (opener.within and closer.within):
        return False
    both = opener.closes or closer.opens
    thirds = opener.length % 3 == 0 and closer.length % 3 == 0
    return not both or thirds or (opener.length + closer.length) % 3 != 0


def _emphasis(runs: list[_Run]) -> list[tuple[int, int, str]]:
    """The runs that open and close each other (CommonMark 0.31, section 6.2)."""
    marks: list[tuple[int, int, str]] = []
    open_runs: list[_Run] = []
    for run in runs:
        while run.closes and run.left:
            places = reversed(range(len(open_runs)))
            at = next((place for place in places if _pair(open_runs[place], run)), None)
            if at is None:
                break
            opener = open_runs[at]
            count = 2 if min(opener.left, run.left) > 1 else 1
            marks += [(opener.end - count, opener.end, ""), (run.start, run.start + count, "")]
            opener.end -= count
            run.start += count
            del open_runs[at + (opener.left > 0) :]
        if run.opens and run.left:
            open_runs.append(run)
    return marks
