"""Eighth, headings and the title: told by the outline, the fonts, numbers or their likeness."""
