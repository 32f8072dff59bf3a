"""``loader.pdf``: a page goes from ``stext`` through ``page``, ``order`` and ``rows``; what is told
by all pages together (furniture, headings, footnotes) is marked in its rows, and ``writer`` writes
them down."""
