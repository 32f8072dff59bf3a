"""Fifth, a page: its lines, tables, images, fields and marks, in the order they were drawn."""
