"""Sixth, which of the parents found the question is about: the lock of a conversation."""
