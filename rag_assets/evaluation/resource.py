"""The library as an evaluation needs it: opened for reading, held against no run."""

from __future__ import annotations

import dagster as dg

from rag_query.library.home import Home


class EvaluatedLibrary(dg.ConfigurableResource["EvaluatedLibrary"]):
    """Names the library. An evaluation reads one snapshot and so may run beside an ingest."""

    home: str

    @property
    def place(self) -> Home:
        """Where it is."""
        return Home.resolve(self.home)
