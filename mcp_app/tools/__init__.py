"""The tools of the server, in the order they are listed."""

from mcp_app.tools.base import LibraryTool
from mcp_app.tools.get_document import TOOL as GET_DOCUMENT
from mcp_app.tools.ingest import TOOL as INGEST
from mcp_app.tools.job_status import TOOL as JOB_STATUS
from mcp_app.tools.list_documents import TOOL as LIST_DOCUMENTS
from mcp_app.tools.query import TOOL as QUERY

TOOLS: tuple[LibraryTool, ...] = (QUERY, GET_DOCUMENT, LIST_DOCUMENTS, INGEST, JOB_STATUS)
