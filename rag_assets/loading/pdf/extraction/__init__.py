"""First, what MuPDF extracts of a page: its structured text, as lines and blocks."""
