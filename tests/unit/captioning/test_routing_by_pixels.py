"""What an image shows is told from its pixels where no word tells: drawn ones of every kind, and
others that look like them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw

from rag_assets.captioning.routing import features_of, route

Draw = ImageDraw.ImageDraw


def kind_of(image: Image.Image) -> str:
    return route("", "", features_of(np.asarray(image.convert("RGB"), np.uint8)))


def drawn(paint: Callable[[Draw], None], size: tuple[int, int] = (800, 600)) -> str:
    image = Image.new("RGB", size, "white")
    paint(ImageDraw.Draw(image))
    return kind_of(image)


def boxes(draw: Draw, *, fill: str | None, lines: bool) -> None:
    """Three columns of four boxes with words, and arrows between them."""
    for row in range(4):
        for column in range(3):
            x, y = 60 + 250 * column, 30 + 140 * row
            draw.rectangle((x, y, x + 150, y + 70), fill=fill, outline="black", width=3)
            draw.text((x + 20, y + 28), "Read the gauge", fill="black")
            if lines and column < 2:
                draw.line((x + 150, y + 35, x + 250, y + 35), fill="black", width=3)
                draw.polygon([(x + 250, y + 35), (x + 236, y + 28), (x + 236, y + 42)], "black")
            if lines and row < 3:
                draw.line((x + 75, y + 70, x + 75, y + 140), fill="black", width=3)


def down(draw: Draw) -> None:
    """A flow from top to bottom with a branch."""
    for number, x in enumerate((300, 300, 120, 480)):
        y = 40 + 150 * min(number, 2)
        draw.rectangle((x, y, x + 200, y + 80), fill="lightblue")
        if number:
            draw.line((400, y - 70, x + 100, y), fill="black", width=2)


def window(draw: Draw) -> None:
    draw.rectangle((0, 0, 800, 600), fill=(240, 240, 240))
    draw.rectangle((0, 0, 800, 30), fill=(40, 60, 120))
    draw.rectangle((0, 31, 140, 600), fill=(60, 60, 60))
    draw.rectangle((180, 90, 760, 130), fill="white", outline="gray")
    draw.rectangle((180, 520, 290, 555), fill=(0, 120, 215))
    draw.rectangle((310, 520, 420, 555), fill=(200, 200, 200))


def bars(draw: Draw) -> None:
    draw.line((50, 550, 760, 550), fill="black", width=3)
    draw.line((50, 30, 50, 550), fill="black", width=3)
    for number, height in enumerate((60, 480, 230, 500, 310, 490)):
        x = 90 + 110 * number
        draw.rectangle((x, 548 - height, x + 60, 548), fill="blue")


def lying_bars(draw: Draw) -> None:
    for number, length in enumerate((200, 430, 610, 350)):
        draw.rectangle((120, 60 + 120 * number, 120 + length, 130 + 120 * number), fill="green")


def grid(draw: Draw, *, header: bool = False) -> None:
    if header:
        draw.rectangle((0, 0, 800, 50), fill="navy")
    for y in range(0, 600, 50):
        draw.line((0, y, 800, y), fill="black", width=3)
    for x in range(0, 801, 160):
        draw.line((x, 0, x, 550), fill="black", width=3)


def axes(draw: Draw) -> None:
    draw.line((60, 30, 60, 540), fill="black", width=3)
    draw.line((60, 540, 760, 540), fill="black", width=3)
    draw.line([(60 + 7 * x, 300 - x * (x % 7)) for x in range(90)], fill="red", width=2)


def page(draw: Draw) -> None:
    """Text, and a figure in a frame."""
    words = "The gauge stands at the end of the pier, where it is read. " * 2
    for y in range(40, 380, 18):
        draw.text((60, y), words, "black")
    draw.rectangle((200, 400, 600, 570), outline="black", width=2)


def slide(draw: Draw) -> None:
    """A band with the title, two panels below."""
    draw.rectangle((0, 0, 800, 100), fill="navy")
    draw.rectangle((60, 160, 380, 540), fill="lightgray")
    draw.rectangle((420, 160, 740, 540), fill="lightblue")


@pytest.mark.parametrize(
    ("paint", "kind"),
    [
        (lambda draw: boxes(draw, fill=None, lines=True), "flowchart"),
        (lambda draw: boxes(draw, fill="lightyellow", lines=True), "flowchart"),
        (down, "flowchart"),
        (window, "screenshot"),
        (bars, "chart"),
        (lying_bars, "chart"),
        (axes, "chart"),
        (grid, "table"),
        (lambda draw: grid(draw, header=True), "table"),
        (lambda draw: boxes(draw, fill=None, lines=False), "unknown"),
        (page, "unknown"),
        (slide, "unknown"),
        (lambda draw: None, "unknown"),
    ],
    ids=[
        "outlined flow", "filled flow", "branching flow", "window", "bars", "lying bars", "axes",
        "grid", "grid with a header", "boxes without lines", "page", "slide", "blank",
    ],
)  # fmt: skip
def test_drawings_are_told_by_their_boxes_and_lines(
    paint: Callable[[Draw], None], kind: str
) -> None:
    assert drawn(paint) == kind


def test_a_large_drawing_is_told_as_a_small_one_is() -> None:
    for paint, kind in ((down, "flowchart"), (window, "screenshot"), (bars, "chart")):
        image = Image.new("RGB", (800, 600), "white")
        paint(ImageDraw.Draw(image))
        for size in ((2400, 1800), (500, 375)):
            assert kind_of(image.resize(size)) == kind


def test_a_photograph_is_no_drawing() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    assert kind_of(Image.fromarray(noise)) == "photo"
    # A sky above a sea, with a sharp horizon and a boat.
    y, x = np.mgrid[0:300, 0:400]
    sky = np.stack([90 + y / 3, 130 + y / 4, 190 + x / 20], axis=2)
    sea = np.stack([20 + x / 30, 60 + y / 8, 90 + y / 6], axis=2)
    both = np.where((y < 25)[:, :, None], sky, sea) + noise % 64
    both[120:150, 150:260] = (120, 40, 30)
    assert kind_of(Image.fromarray(both.clip(0, 255).astype(np.uint8))) == "photo"


def test_lines_in_a_photograph_are_no_table() -> None:
    """Dark shelves and posts before a bright wall."""
    noise = np.random.default_rng(1).integers(0, 60, (300, 400, 3), np.uint8)
    y, x = np.mgrid[0:300, 0:400]
    wall = np.stack([150 + y / 5, 130 + x / 8, 120 + y / 4], axis=2) + noise
    wall[20::60, 10:390] = 0
    wall[20:290, 10::90] = 0
    wall[22::60, 10:390] = 0
    assert kind_of(Image.fromarray(wall.clip(0, 255).astype(np.uint8))) == "photo"
