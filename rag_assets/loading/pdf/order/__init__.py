"""Sixth, reading order: columns and rows, and tables that go on over the end of a page."""
