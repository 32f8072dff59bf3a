"""What an OCR engine is given and what it returns (DEV_SPEC 3.6.4, 3.6.7).

What is read from a picture is no fact of the document: it lies in the table ``ocr``, beside it.
Everything here crosses a process border, so this module imports no heavy library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from pydantic import Field, field_validator

from rag_query.providers.registry import Params

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OcrLine(NamedTuple):
    """One line of text.

    The box is in pixels of the picture as it was given to the engine, origin at the top left.
    ``confidence`` is 0 to 1.
    """

    text: str
    confidence: float
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What an engine read.

    Attributes:
        rotation: degrees (0, 90, 180, 270) its text is turned clockwise in the picture.
        lines: in reading order of the upright picture; empty when there is no text.
    """

    rotation: int
    lines: tuple[OcrLine, ...]


class OcrParams(Params):
    """What is read, and how far that may go; every OCR provider takes these.

    Attributes:
        read: ``off`` reads nothing. ``auto`` reads pages without text, pages whose text cannot be
            decoded, pages that are a picture with hardly any text, and images that are no mere
            decoration. ``all`` reads every page of a PDF and every image.
        dpi: pages are drawn with.
        min_confidence: a line below it is dropped.
        few_chars: a page with images and fewer visible characters is a scan.
        undecodable_share: above this share of characters without a meaning the text is no text.
        min_image_side: an image with a shorter side, in pixels, is decoration; ``auto`` only.
        max_pixels: larger pictures are reduced before they are read.
        max_pages: of one document; the pages after these are not read, nor are their images. With
            0 no page is read whole, and images are read wherever they stand.
        max_images: of one document, the same.
        timeout_s: for one page or image.
        workers: children that read side by side; one needs about 1.3 GB at its peak.
        threads: of each.
    """

    read: Literal["off", "auto", "all"] = "auto"
    dpi: int = Field(150, ge=72, le=600)
    min_confidence: float = Field(0.5, ge=0, le=1)
    few_chars: int = Field(50, ge=0)
    undecodable_share: float = Field(0.3, gt=0, le=1)
    min_image_side: int = Field(48, ge=1)
    max_pixels: int = Field(12_000_000, ge=10_000)
    max_pages: int = Field(2000, ge=0)
    max_images: int = Field(200, ge=0)
    timeout_s: float = Field(120.0, gt=0)
    workers: int = Field(1, ge=1, le=64)
    threads: int = Field(2, ge=1, le=64)

    @field_validator("read", mode="before")
    @classmethod
    def _yaml_off(cls, value: object) -> object:
        # YAML 1.1 reads a bare `off` as false.
        return "off" if value is False else value


class OcrEngine(Protocol):
    """A provider of type ``ocr``; built in the process that reads, where models are loaded."""

    #: Name of the library that reads, and its version with that of its models.
    engine: str
    engine_version: str

    def read(self, picture: NDArray[np.uint8]) -> Reading:
        """Read one picture of shape (height, width, 3), RGB.

        Raises:
            ExcerptaError: ``MODEL_UNAVAILABLE`` when the engine cannot be loaded.
        """
        ...
