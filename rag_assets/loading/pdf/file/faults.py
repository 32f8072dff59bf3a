"""Pages of a damaged file that cannot be read, or only in part: named in warnings, not raised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rag_assets.loading.pdf.file.document import first_line, is_out_of_memory

_LISTED_PAGES = 20


class Faults:
    """The pages on which something failed, and the first failure.

    Args:
        code: of the warning that names them.

    Attributes:
        reason: what the first failure said; empty as long as there is none.
    """

    def __init__(self, code: str) -> None:
        self._code = code
        self._pages: list[int] = []
        self._page = 0
        self.reason = ""

    def on(self, page: int) -> Self:
        """A context in which a failure is noted as the page's and not raised; any exception, for
        MuPDF raises whatever a damaged file leads it to. Only MemoryError is raised.

        Args:
            page: 1-based.
        """
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
        """One that names all the pages; none where nothing failed."""
        return [f"{self._code}: {listed(self._pages)}: {self.reason}"] if self._pages else []


def listed(pages: Sequence[int]) -> str:
    """``pages 1, 4, 7``, cut after twenty of them."""
    names = ", ".join(map(str, pages[:_LISTED_PAGES]))
    more = f" and {len(pages) - _LISTED_PAGES} more" if len(pages) > _LISTED_PAGES else ""
    return f"page{'s' if len(pages) > 1 else ''} {names}{more}"
