"""How a page is read; what the first reading finds may ask for another one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """What is looked for when a page is read.

    Attributes:
        tables: tables, ruled or aligned.
        grids: whether MuPDF may hunt for them too, by their rulings.
        boxed: whether boxes around text are known to be drawn, all of which are left out of that
            hunt; see ``backgrounds``.
        aslant: whether text is known to run aslant, across the rest; it is left out too.
    """

    tables: bool
    grids: bool = True
    boxed: bool = False
    aslant: bool = False

    @property
    def hunts(self) -> bool:
        """Whether MuPDF hunts for tables."""
        return self.tables and self.grids
