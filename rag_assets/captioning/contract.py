"""What a caption is: one JSON object, by the contract of its profile (DEV_SPEC 3.6.6.4-5).

A model's answer that does not fit is no caption.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

ImageType = Literal[
    "table", "chart", "flowchart", "diagram", "screenshot", "photo", "mixed", "unknown"
]

#: Blanks alone say nothing.
_Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_MOST_KEY_POINTS = 12


def _first_key_points(said: object) -> object:
    """The most telling ones come first; that there are more is no reason to lose a caption."""
    return said[:_MOST_KEY_POINTS] if isinstance(said, list) else said


class _Part(BaseModel):
    # A figure, a label or a cell that a model writes as a number is what it shows all the same.
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class Number(_Part):
    """A figure that can be seen. ``context`` says where: legend, axis, label."""

    name: str
    value: str
    unit: str | None = None
    context: _Said


class Caption(_Part):
    """The fields of every profile.

    Attributes:
        summary: one or two sentences of what can be seen.
        key_points: short sentences to search by; the first twelve are kept.
        entities: names, terms, modules that are written or shown.
        uncertainties: what cannot be read, or would need more than the image.
    """

    profile_id: str
    image_type: ImageType
    summary: _Said
    key_points: Annotated[list[str], BeforeValidator(_first_key_points)]
    entities: list[str]
    numbers: list[Number]
    uncertainties: list[str]


class GenericCaption(Caption):
    profile_id: Literal["caption.generic_v1"]


class Grid(_Part):
    headers: list[str]
    rows: list[list[str]]


class Pair(_Part):
    key: str
    value: str


class TableCaption(Caption):
    """``table``, or ``kv_pairs`` for a simple one; a cell that cannot be read is empty."""

    profile_id: Literal["caption.table_v1"]
    table: Grid | None = None
    kv_pairs: list[Pair] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.table is None) == (not self.kv_pairs):
            raise ValueError("either table or kv_pairs must be given")
        return self


class Series(_Part):
    name: str
    trend: str | None = None
    peaks: list[str] = []


class Chart(_Part):
    title: str | None = None
    x_axis: str | None = None
    y_axis: str | None = None
    series: list[Series]


class ChartCaption(Caption):
    profile_id: Literal["caption.chart_v1"]
    chart: Chart


class Step(_Part):
    id: str
    text: str
    from_: str | None = Field(None, alias="from")
    to: str | None = None


class Node(_Part):
    id: str
    text: str


class Edge(_Part):
    from_: str = Field(alias="from")
    to: str
    label: str | None = None


class FlowCaption(Caption):
    """``steps``, or ``nodes`` and ``edges``."""

    profile_id: Literal["caption.flow_v1"]
    steps: list[Step] | None = None
    nodes: list[Node] | None = None
    edges: list[Edge] | None = None

    @model_validator(mode="after")
    def _steps_or_graph(self) -> Self:
        if not self.steps and not self.nodes:
            raise ValueError("either steps or nodes must be given")
        return self


class Interface(_Part):
    app: str | None = None
    page: str | None = None
    actions: list[str]
    errors: list[str]


class ScreenshotCaption(Caption):
    profile_id: Literal["caption.screenshot_v1"]
    ui: Interface


class PhotoCaption(Caption):
    profile_id: Literal["caption.photo_v1"]
    scene_tags: list[str] | None = None


def stored(caption: Caption) -> dict[str, Any]:
    """A caption as JSON, without what is not known."""
    return caption.model_dump(mode="json", by_alias=True, exclude_none=True)


def fallback(summary: str, reason: str) -> dict[str, Any]:
    """What stands for a caption that could not be made (DEV_SPEC 3.6.6.6)."""
    return {"image_type": "unknown", "summary": summary, "uncertainties": [reason]}
