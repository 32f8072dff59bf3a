"""Fifth, what may be used for an answer, and whether it is enough."""
