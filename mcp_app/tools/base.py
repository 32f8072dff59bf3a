"""What a tool is: a name, a description for models, typed arguments, and a function."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_app.envelope import Answer, JsonSchema, Level, envelope_schema, plain_json, success
from mcp_app.service import LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: ``report(done, total, message)``: a progress notification, when the client asked for them.
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class BareArguments(ArgModelBase):
    """Base of arguments: an unknown one is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class ToolArguments(BareArguments):
    """Base of the arguments of the library's own tools."""

    level: Level = Field(
        "L2",
        description="L0: the Markdown alone. L1: also its fields. L2: also links and images.",
    )


@runtime_checkable
class WaitsForJob(Protocol):
    """Arguments of a tool that may wait for a job; they say for how many seconds."""

    wait_seconds: float


class ArgumentObject(BaseModel):
    """Base of an object inside a tool's arguments."""

    model_config = ConfigDict(extra="forbid")


#: Annotations of a tool that changes nothing.
READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


@dataclass(frozen=True, slots=True)
class LibraryTool:
    """One tool.

    Attributes:
        name: what clients list: letters and underscores.
        title: for people.
        description: tells a model when to use it, and when another.
        arguments: the model of its arguments.
        data: JSON Schema properties of the answer's ``data``.
        annotations: what it may change.
        run: ``(service, arguments, report) -> Answer``; raises ExcerptaError.
        place: where it is listed; 1 first. Finding 10s, reading 20s, looking 30s, writing 40s.
        for_research: listed only when the user wants the names of research clients. Its answer
            is ``data`` itself, without an envelope.
    """

    name: str
    title: str
    description: str
    arguments: type[BareArguments]
    data: JsonSchema
    annotations: ToolAnnotations
    run: Callable[[LibraryService, Any, Report], Awaitable[Answer]]
    place: int = 50
    for_research: bool = False

    @property
    def dotted_name(self) -> str:
        """The specification's (DEV_SPEC 3.3.2)."""
        return self.name.replace("_", ".", 1)


def registered(tool: LibraryTool, service: LibraryService, name: str) -> Tool:
    """The tool as the SDK's server holds it, listed as ``name``."""

    async def call(ctx: Context[Any, Any], **arguments: Any) -> CallToolResult:
        async def report(done: float, total: float | None, message: str | None) -> None:
            await ctx.report_progress(done, total, message)

        validated = tool.arguments.model_construct(**arguments)
        answer = await _within_deadline(tool, service, validated, report)
        if tool.for_research:
            return plain_json(answer)
        return success(answer, arguments.get("level", "L2"), service.options.answer_tokens)

    return Tool(
        fn=call,
        name=name,
        title=tool.title,
        description=inspect.cleandoc(tool.description),
        parameters=plain_schema(tool.arguments.model_json_schema()),
        fn_metadata=FuncMetadata(
            arg_model=tool.arguments,
            output_schema=_bare_schema(tool.data)
            if tool.for_research
            else envelope_schema(tool.data),
        ),
        is_async=True,
        context_kwarg="ctx",
        annotations=tool.annotations,
    )


async def _within_deadline(
    tool: LibraryTool, service: LibraryService, arguments: BareArguments, report: Report
) -> Answer:
    allowed = service.options.deadline_s
    if isinstance(arguments, WaitsForJob):
        # Time a client asked to wait is not the call's own.
        allowed += arguments.wait_seconds
    with anyio.move_on_after(allowed):
        return await tool.run(service, arguments, report)
    raise ExcerptaError(
        ErrorCode.DEADLINE_EXCEEDED,
        f"{tool.name} took longer than {allowed:g} s and was given up.",
        hint="Ask for less at once, or allow more with EXCERPTA_CALL_DEADLINE_S.",
        transient=True,
    )


def _bare_schema(data: JsonSchema) -> JsonSchema:
    # An error's envelope must fit too.
    return {"type": "object", "properties": data}


def plain_schema(schema: JsonSchema) -> JsonSchema:
    """``schema`` as every client understands it, and short.

    ``$ref`` is replaced by what it points at, because several clients cannot follow it (the
    models of this package are trees, so this ends); "X or null, null by default" becomes an
    optional X; titles pydantic makes from names go.
    """
    definitions: JsonSchema = schema.get("$defs", {})

    def resolve(node: Any) -> Any:
        if isinstance(node, list):
            return [resolve(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rpartition("/")[2]]
            return resolve(target | {key: value for key, value in node.items() if key != "$ref"})
        if "default" in node and node["default"] is None and _NULL in node.get("anyOf", ()):
            kept = [choice for choice in node["anyOf"] if choice != _NULL]
            rest = {key: v for key, v in node.items() if key not in ("anyOf", "default")}
            return resolve((kept[0] if len(kept) == 1 else {"anyOf": kept}) | rest)
        return {
            key: resolve(value)
            for key, value in node.items()
            if key != "$defs" and not (key == "title" and isinstance(value, str))
        }

    resolved: JsonSchema = resolve(schema)
    return resolved


_NULL = {"type": "null"}


def _beside(arguments: type[BaseModel], item: Any) -> list[str]:
    """What is known where an unknown argument was given: in the object that holds it."""
    for part in item["loc"][:-1]:
        field = arguments.model_fields.get(str(part))
        inner = field.annotation if field else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        arguments = inner
    return list(arguments.model_fields)


def refused_arguments(
    tool: str, arguments: type[BaseModel], error: ValidationError
) -> ExcerptaError:
    """Name every argument that was wrong, and why; of one that is not known, which was meant."""
    problems = []
    hint = "See the tool's input schema for the arguments it takes."
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        name = ".".join(str(part)[:80] for part in item["loc"]) or "arguments"
        if item["type"] == "extra_forbidden":
            known = _beside(arguments, item)
            near = difflib.get_close_matches(str(item["loc"][-1]), known, n=1)
            meant = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known) or 'none'}"
            problems.append(f"`{name}` is not known ({meant})")
        elif item["type"] == "missing":
            problems.append(f"`{name}` is missing")
        else:
            problems.append(f"`{name}`: {item['msg']}")
        if name == "wait_seconds" and item["type"] == "less_than_equal":
            hint = (
                "A job goes on after the call: ask library_job_status with its job_id to wait on."
            )
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"{tool} was called with wrong arguments: " + "; ".join(problems[:10]) + ".",
        hint=hint,
        details={"problems": problems[:20]},
    )
