"""The library as its readers see it: contracts, text rules, providers, retrieval, tracing.

Imports neither ``rag_assets`` nor ``mcp_app``, and never Dagster.
"""

__version__ = "0.1.0"
