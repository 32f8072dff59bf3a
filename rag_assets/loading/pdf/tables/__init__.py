"""Fourth, the tables of a page: ruled, ruled in part, or told by where their cells stand."""
