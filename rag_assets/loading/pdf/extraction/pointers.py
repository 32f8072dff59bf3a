"""MuPDF's structs by their plain pointers.

SWIG wraps each struct in an object and looks for the pointer in it whenever a function takes it or
a member of it is read, which takes ten times as long as the rest. Functions, and those behind the
members, take the pointer itself too, which the object has as ``this``.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any


@cache
def members_of(struct: str) -> Any:
    """The functions that read the members of a struct or class of ``mupdf``, by the names of these;
    each takes the pointer."""
    from pymupdf import mupdf

    found = vars(getattr(mupdf, struct)).items()
    return SimpleNamespace(
        **{name: each.fget for name, each in found if isinstance(each, property)}
    )


def sides_of(rect: Any) -> tuple[float, float, float, float]:
    """x0, y0, x1 and y1 of an ``fz_rect``."""
    read, pointer = members_of("fz_rect"), rect.this
    return read.x0(pointer), read.y0(pointer), read.x1(pointer), read.y1(pointer)


def inner(wrapped: Any, of: str) -> Any:
    """The pointer to the struct in an object of the class ``of``."""
    return members_of(of).m_internal(wrapped.this).this
