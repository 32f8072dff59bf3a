"""Seventh, the answer: drafted from the evidence, checked against it, and set for a reader."""
