"""``loader.pdf``: a page goes from ``extraction`` through ``characters``, ``columns`` and
``tables`` to ``pages`` and ``order``; what is told by all pages together (``paragraphs``,
``headings``, ``margins``) is marked in its rows, and ``writing`` writes them down."""
