"""Parts of documents that failed in a run or that a limit left out: images, pictures to be read,
captions, summaries (DEV_SPEC 3.6.7), chunks; and what loaders warn of.

A document with such a part is ready all the same, so nothing else would tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

#: Failures a trace and a materialisation name; the others are counted.
LISTED = 20
#: Documents a warning names.
_NAMED = 3
#: What a warning says of each kind, which is its key among a stage's details.
_SAID = {
    "loader_warnings": ("warning about what was read", "warnings about what was read"),
    "failed_images": ("image could not be read", "images could not be read"),
    "failed_ocr": ("picture could not be read by OCR", "pictures could not be read by OCR"),
    "limited_ocr": (
        "page or image was left out of OCR by a limit of the strategy",
        "pages and images were left out of OCR by a limit of the strategy",
    ),
    "failed_captions": ("caption failed", "captions failed"),
    "limited_captions": (
        "image was not described, by a limit of the strategy",
        "images were not described, by a limit of the strategy",
    ),
    "failed_summaries": ("summary failed", "summaries failed"),
    "failed_chunks": ("chunk could not be embedded", "chunks could not be embedded"),
}


class PartFailures:
    """The failures of one kind in one shard."""

    def __init__(self) -> None:
        self.codes: Counter[str] = Counter()
        self.listed: list[dict[str, str]] = []

    def add(self, code: str, times: int = 1, **part: str) -> None:
        """Count a failure, or several alike; ``part`` names what failed."""
        self.codes[code] += times
        if len(self.listed) < LISTED:
            self.listed.append(part | {"error_code": code})

    def details(self, kind: str) -> dict[str, object]:
        """For ``StageResult.details``, under a kind of :func:`warnings_of`; empty without any."""
        if not self.codes:
            return {}
        return {kind: {"codes": dict(self.codes), "first": self.listed}}


def warnings_of(details: Iterable[Mapping[str, object]]) -> list[str]:
    """One sentence a kind, over the details of all shards: how many failed and by which codes, and
    the first of the documents where the parts say theirs."""
    totals: dict[str, Counter[str]] = {kind: Counter() for kind in _SAID}
    documents: dict[str, dict[str, None]] = {kind: {} for kind in _SAID}
    for found in details:
        for kind, total in totals.items():
            failures: Any = found.get(kind)
            if failures:
                total.update(failures["codes"])
                named = (part["document"] for part in failures["first"] if "document" in part)
                documents[kind] |= dict.fromkeys(named)
    return [_sentence(kind, codes, [*documents[kind]]) for kind, codes in totals.items() if codes]


def _sentence(kind: str, codes: Counter[str], documents: list[str]) -> str:
    number = codes.total()
    one, many = _SAID[kind]
    named = [f"{code} {times}" for code, times in codes.most_common()]
    listed = ", ".join(named) if len(codes) > 1 else next(iter(codes))
    said = f"{number} {one if number == 1 else many} ({listed})"
    if not documents:
        return f"{said}."
    more = ", …" if len(documents) > _NAMED else "."
    return f"{said}: {', '.join(documents[:_NAMED])}{more}"
