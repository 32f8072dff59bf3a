"""Lines that are no message: answered with an error, as JSON-RPC 2.0 (section 5.1) has it.

The SDK's transport over stdio hands them on as exceptions, which its server only logs.
"""

from __future__ import annotations

import contextvars
from types import TracebackType
from typing import Self

import anyio
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


class ReadableMessages:
    """The messages of a transport's stream; what is none is answered through ``write``."""

    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]
    ) -> None:
        self._read = read
        self._write = write

    @property
    def last_context(self) -> contextvars.Context | None:
        """That in which the last message was sent; the SDK looks for it."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises ``anyio.EndOfStream``."""
        while isinstance(item := await self._read.receive(), ValidationError):
            if (error := _error_of(item)) is not None:
                answer = JSONRPCError(jsonrpc="2.0", id=None, error=error)
                await self._write.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


def _error_of(refused: ValidationError) -> ErrorData | None:
    """None for a blank line, which is no message at all."""
    error = refused.errors(include_url=False)[0]
    if error["type"] != "json_invalid":
        return ErrorData(code=INVALID_REQUEST, message="The line is no JSON-RPC message.")
    if not str(error["input"]).strip():
        return None
    return ErrorData(code=PARSE_ERROR, message="The line is not JSON.")
