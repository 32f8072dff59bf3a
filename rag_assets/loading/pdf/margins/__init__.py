"""Ninth, what is no running text: headers, footers, footnotes, stamps, what stands beside."""
