"""Images as they are displayed, whatever their levels of grey."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rag_assets.media.displayed import open_displayed


@pytest.mark.parametrize(
    ("levels", "name"),
    [
        (np.linspace(0, 65535, 256).astype(np.uint16), "grey.png"),
        (np.linspace(0, 65535, 256).astype(np.int32), "grey.tif"),
        (np.linspace(-1, 1, 256).astype(np.float32), "float.tif"),
        (np.arange(256).astype(np.uint8), "eight.png"),
    ],
)
def test_levels_of_any_depth_keep_their_places(
    tmp_path: Path, levels: np.ndarray, name: str
) -> None:
    path = tmp_path / name
    Image.fromarray(np.tile(levels, (4, 1))).save(path)
    shown = open_displayed(path).image
    row = np.asarray(shown)[0, :, 0].astype(int)
    assert shown.mode == "RGB"
    assert np.abs(row - np.arange(256)).max() <= 1


@pytest.mark.parametrize(("mode", "hole"), [("RGB", (0, 0, 0)), ("L", 0)])
def test_the_transparent_colour_of_a_picture_is_shown_white(
    tmp_path: Path, mode: str, hole: tuple[int, int, int] | int
) -> None:
    path = tmp_path / "holed.png"
    Image.new(mode, (4, 4), hole).save(path, transparency=hole)
    shown = open_displayed(path)
    assert shown.image.getpixel((0, 0)) == (255, 255, 255)
    assert not shown.as_stored
