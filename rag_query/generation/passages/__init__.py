"""Second, the text of a parent: its chunks as lines, rows and sentences, each in its place."""
