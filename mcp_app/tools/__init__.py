"""The tools of the server, in the order they are listed."""

from mcp_app.tools.ask import TOOL as ASK
from mcp_app.tools.base import LibraryTool
from mcp_app.tools.cancel_job import TOOL as CANCEL_JOB
from mcp_app.tools.delete_document import TOOL as DELETE_DOCUMENT
from mcp_app.tools.explain import TOOL as EXPLAIN
from mcp_app.tools.get_document import TOOL as GET_DOCUMENT
from mcp_app.tools.ingest import TOOL as INGEST
from mcp_app.tools.job_status import TOOL as JOB_STATUS
from mcp_app.tools.list_documents import TOOL as LIST_DOCUMENTS
from mcp_app.tools.query import TOOL as QUERY
from mcp_app.tools.query_assets import TOOL as QUERY_ASSETS
from mcp_app.tools.release import TOOL as RELEASE
from mcp_app.tools.replay import TOOL as REPLAY
from mcp_app.tools.status import TOOL as STATUS

TOOLS: tuple[LibraryTool, ...] = (
    QUERY,
    ASK,
    RELEASE,
    REPLAY,
    GET_DOCUMENT,
    LIST_DOCUMENTS,
    QUERY_ASSETS,
    EXPLAIN,
    STATUS,
    INGEST,
    JOB_STATUS,
    CANCEL_JOB,
    DELETE_DOCUMENT,
)
