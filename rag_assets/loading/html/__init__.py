"""``loader.html``: the tree a browser would make, written as Markdown."""
