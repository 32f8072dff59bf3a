"""``library_query_assets``: pictures and other media of documents, as base64."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any, Literal

from mcp_types import ContentBlock, ImageContent
from pydantic import Field

from mcp_app.envelope import Answer, resource_link
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments
from rag_query.contracts.errors import ExcerptaError
from rag_query.text.pictures import asset_uri

MAX_ASSETS = 50


class QueryAssetsArguments(ToolArguments):
    asset_ids: list[str] = Field(
        min_length=1,
        max_length=MAX_ASSETS,
        description="asset_ids of passages of library_query or chunks of library_get_document.",
    )
    variant: Literal["thumb", "raw"] = Field(
        "thumb", description="thumb: a small PNG. raw: the medium as it is in the document."
    )
    max_bytes: int = Field(
        1_000_000,
        ge=1,
        le=10_000_000,
        description="Most bytes of all media together, before base64; what goes beyond is left "
        "out and listed as missing.",
    )


async def run(service: LibraryService, arguments: QueryAssetsArguments, _: Report) -> Answer:
    return await off_loop(partial(_read, service, arguments))


def _read(service: LibraryService, arguments: QueryAssetsArguments) -> Answer:
    from rag_query.library.media import media_path
    from rag_query.library.media_type import describe_media
    from rag_query.library.settings import load_settings

    load_settings(service.home)
    assets: list[dict[str, Any]] = []
    missing: list[dict[str, Any]] = []
    left = arguments.max_bytes
    for asset_id in dict.fromkeys(arguments.asset_ids):
        named = {"asset_id": asset_id[:200]}
        try:
            path = media_path(service.home, asset_id, thumbnail=arguments.variant == "thumb")
        except ExcerptaError as exc:
            missing.append(named | {"code": str(exc.code), "message": exc.message})
            continue
        size = path.stat().st_size
        if size > left:
            message = f"It has {size} bytes; {left} of max_bytes were left."
            missing.append(named | {"code": "FILE_TOO_LARGE", "message": message, "bytes": size})
            continue
        data = path.read_bytes()
        left -= len(data)
        facts = describe_media(data)
        assets.append(
            named
            | {"variant": arguments.variant, "mime": facts.mime, "bytes": len(data)}
            | ({"width": facts.width, "height": facts.height} if facts.width else {})
            | {"blob_base64": base64.b64encode(data).decode()}
        )
    warnings = [f"{len(missing)} of the media are missing."] if missing else []
    return Answer(
        _markdown(assets, missing),
        {"assets": assets, "missing": missing},
        warnings,
        beside=_pictures_and_links(assets),
    )


def _pictures_and_links(assets: list[dict[str, Any]]) -> list[ContentBlock]:
    """Thumbnails for a model to look at; a link to each medium as it is in the document."""
    images = [
        ImageContent(type="image", data=asset["blob_base64"], mime_type=asset["mime"])
        for asset in assets
        if asset["variant"] == "thumb"
    ]
    links = [resource_link(asset_uri(a["asset_id"]), a["asset_id"][:12]) for a in assets]
    return [*images, *links]


def _markdown(assets: list[dict[str, Any]], missing: list[dict[str, Any]]) -> str:
    """What there is; the bytes are in the structured content only."""
    lines = [
        f"- `{asset['asset_id']}`: {asset['variant']}, {asset['mime']}, {asset['bytes']} bytes"
        + (f", {asset['width']} x {asset['height']}" if "width" in asset else "")
        for asset in assets
    ]
    if missing:
        lines += ["", "Missing:"]
        lines += [f"- `{m['asset_id']}`: **{m['code']}** {m['message']}" for m in missing]
    return "\n".join(lines).strip()


TOOL = LibraryTool(
    name="library_query_assets",
    title="Fetch images",
    description="""
        The images and other media that passages refer to, by asset_id, as base64 with their MIME
        type: thumbnails by default, the originals with variant raw. What cannot be had, or does
        not fit into max_bytes, is listed as missing and does not stop the others. Ask for it only
        when a picture itself is wanted; library_query gives the text.
        """,
    arguments=QueryAssetsArguments,
    data={
        "assets": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["asset_id", "variant", "mime", "blob_base64"],
                "properties": {
                    "asset_id": {"type": "string"},
                    "variant": {"type": "string", "enum": ["thumb", "raw"]},
                    "mime": {"type": "string"},
                    "bytes": {"type": "integer"},
                    "width": {"type": "integer"},
                    "height": {"type": "integer"},
                    "blob_base64": {"type": "string"},
                },
            },
        },
        "missing": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["asset_id", "code", "message"],
                "properties": {
                    "asset_id": {"type": "string"},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "bytes": {"type": "integer"},
                },
            },
        },
    },
    annotations=READS,
    run=run,
    place=23,
)
