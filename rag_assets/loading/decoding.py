"""From bytes to text, with the checks every text format shares."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Control characters that text files do hold: tab, line feed, form feed, carriage return, escape.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
#: Above this share of such characters a file is not text, whatever its encoding says.
_BINARY_SHARE = 0.02
_SAMPLE_CHARS = 65_536
#: The most frequent characters of simplified and traditional Chinese, Japanese and Korean, which
#: are a quarter and more of the letters of any text.
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作"
    "里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从"
    "想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头"
    "文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作"
    "裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從"
    "想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭"
    "文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提"
)
_JAPANESE = frozenset("のにはをたがでてとしれさるいなかすまくっもうりあらきこけそせよだ")
_KOREAN = frozenset("이다는을를의에가고하지로기은한도서사인어자시나리대스있해")
#: Encodings that a text tells by itself, with the frequent characters of their languages.
_EAST_ASIAN = {
    "gb18030": _SIMPLIFIED,
    "big5hkscs": _TRADITIONAL,
    "cp932": _JAPANESE,
    "euc_jp": _JAPANESE,
    "cp949": _KOREAN,
}
#: So many letters must be there, such a share of them frequent, and no other encoding near it.
_LEAST_LETTERS = 10
_LEAST_SHARE = 0.2
_AHEAD = 2.0
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def read_bytes(data: Path | bytes) -> bytes:
    """The bytes of a document. Raises OSError."""
    return data if isinstance(data, bytes) else data.read_bytes()


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with ``\\n`` line ends and no byte order mark.

    Attributes:
        warnings: ``DECODED_AS: <encoding>`` when nothing but the text itself told the encoding.
    """

    text: str
    warnings: list[str] = field(default_factory=list)


def decode(data: bytes) -> Decoded:
    """UTF-8, UTF-16 with a byte order mark, or an East Asian encoding that is told surely.

    Raises:
        ExcerptaError: ``EMPTY_FILE`` when nothing but blanks is left, ``BINARY_CONTENT`` for NUL
            bytes or many control characters, ``NOT_UTF8`` for any other encoding.
    """
    decoded = _decode(data)
    text = decoded.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text or text.isspace():
        raise ExcerptaError(ErrorCode.EMPTY_FILE, "The file is empty.")
    sample = text[:_SAMPLE_CHARS]
    if (nul := text.find("\x00")) >= 0:
        line = text.count("\n", 0, nul) + 1
        raise ExcerptaError(
            ErrorCode.BINARY_CONTENT,
            f"The file is binary, not text: line {line} holds a NUL byte.",
            details={"line": line},
        )
    if len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise ExcerptaError(ErrorCode.BINARY_CONTENT, "The file is binary, not text.")
    return Decoded(text, decoded.warnings)


def _decode(data: bytes) -> Decoded:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            try:
                return Decoded(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError as exc:
                raise _not_utf8(exc) from exc
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        if b"\x00" in data[:8192]:
            raise ExcerptaError(ErrorCode.BINARY_CONTENT, "The file is binary, not text.") from exc
        told = _told_encoding(data)
        if told is None:
            raise _not_utf8(exc) from exc
        return Decoded(data.decode(told), [f"DECODED_AS: {told}"])


def _told_encoding(data: bytes) -> str | None:
    """The East Asian encoding all of ``data`` is valid in and whose language it surely is.

    One of one byte a character is never told: any bytes are valid in it.
    """
    shares = {name: _frequent_share(data, name) for name in _EAST_ASIAN}
    best, second = sorted(shares, key=shares.__getitem__, reverse=True)[:2]
    if shares[best] < max(_LEAST_SHARE, _AHEAD * shares[second]):
        return None
    try:
        data.decode(best)
    except UnicodeDecodeError:
        return None
    return best


def _frequent_share(data: bytes, encoding: str) -> float:
    """How many of the letters of a text are frequent ones; 0 when it is not in that encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()  # A sample may end within a character.
    try:
        text = decoder.decode(data[: 2 * _SAMPLE_CHARS])
    except UnicodeDecodeError:
        return 0.0
    letters = [character for character in text if character > "\x7f" and character.isalpha()]
    if len(letters) < _LEAST_LETTERS:
        return 0.0
    return sum(map(_EAST_ASIAN[encoding].__contains__, letters)) / len(letters)


def _not_utf8(exc: UnicodeDecodeError) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.NOT_UTF8,
        f"The text is not UTF-8 (first bad byte at {exc.start}).",
        hint="Save the file as UTF-8 and ingest it again.",
    )
