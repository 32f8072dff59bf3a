"""Fourth, how well each sentence of a parent answers the question, and which goes first."""
