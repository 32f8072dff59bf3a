"""What a person can do about a document that could not be taken in."""

from __future__ import annotations

from typing import Final

from rag_query.contracts.errors import ErrorCode

#: For codes whose errors seldom say it themselves.
_WHAT_TO_DO: Final[dict[str, str]] = {
    ErrorCode.EMPTY_FILE: "Put text into it, or leave it out with a line in .excerptaignore.",
    ErrorCode.BAD_RECORD: "Mend this line of the file or remove it, then ingest again.",
    ErrorCode.PDF_CORRUPT: "Save it anew from a program that opens it, or get another copy, then "
    "ingest again.",
    ErrorCode.PDF_NO_PAGES: "Get another copy, or leave it out with a line in .excerptaignore.",
    ErrorCode.PARSER_CRASHED: "`excerpta ingest --retry-failed` tries it again.",
    ErrorCode.BINARY_CONTENT: "Convert it to text, PDF, Markdown or HTML, then ingest that.",
}


def advised(code: str | None, message: str | None, hint: str = "") -> str:
    """A message with what to do: its own hint, or the one its code has."""
    return f"{message or ''} {hint or _WHAT_TO_DO.get(code or '', '')}".strip()
