"""Beside the pages, what the file says: its outline, labels, links, notes and faults."""
