"""Seventh, which rows belong together: paragraphs, lists, verse, pairs, code."""
