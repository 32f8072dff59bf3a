"""Draw the image and the PDF documents of ``data/samples``.

The texts are this project's own, about a tide station that does not exist. Run it after a
change of the texts here: ``make samples``.
"""

from __future__ import annotations

from pathlib import Path

import pymupdf
from PIL import Image, ImageDraw

SAMPLES = Path(__file__).parent.parent / "data" / "samples"
PAGE = pymupdf.paper_rect("a4")
MARGIN = 60.0
_METADATA = {"creationDate": "D:20260101000000Z", "modDate": "D:20260101000000Z", "producer": ""}


def main() -> None:
    """Write every generated sample; the same input gives the same pictures and words."""
    well = SAMPLES / "images" / "stilling-well.png"
    draw_stilling_well(well)
    write_annual_report(SAMPLES / "annual-report-2025.pdf", well)
    write_calibration_record(SAMPLES / "校准记录.pdf")


def draw_stilling_well(path: Path) -> None:
    """A cross-section: sea, wall, well, float."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (480, 320), "#eef4f8")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 190, 480, 320), fill="#8fc1dc")
    draw.rectangle((200, 40, 330, 290), fill="#cfd6db", outline="#56636c", width=3)
    draw.rectangle((225, 60, 305, 280), fill="#eef4f8")
    draw.rectangle((225, 195, 305, 280), fill="#8fc1dc")
    draw.rectangle((195, 262, 228, 272), fill="#8fc1dc")
    draw.line((265, 20, 265, 188), fill="#333333", width=2)
    draw.ellipse((247, 180, 283, 206), fill="#e2733d", outline="#333333")
    draw.ellipse((250, 8, 280, 38), outline="#333333", width=3)
    for x, y, text in (
        (20, 200, "sea"),
        (320, 20, "pulley"),
        (340, 185, "float"),
        (90, 262, "intake"),
        (340, 100, "stilling well"),
    ):
        draw.text((x, y), text, fill="#1d2a33")
    image.save(path, optimize=True)


class Writer:
    """Sets headings, paragraphs and tables down a page, and begins pages as they fill."""

    def __init__(self, header: str, footer: str, body: str, bold: str) -> None:
        self.document = pymupdf.open()
        self._header, self._footer = header, footer
        self._body, self._bold = body, bold
        self._outline: list[list[object]] = []
        self.new_page()

    def new_page(self) -> None:
        self.page = self.document.new_page(width=PAGE.width, height=PAGE.height)
        self._y = MARGIN + 30
        number = len(self.document)
        self._line(self._header, MARGIN, MARGIN - 20, 9, self._body)
        self._line(
            self._footer.format(number), PAGE.width / 2 - 20, PAGE.height - 30, 9, self._body
        )

    def heading(self, text: str, level: int) -> None:
        size = {1: 20, 2: 15}[level]
        self._room(size * 3)
        self._y += size * 0.6
        self._outline.append([level, text, len(self.document)])
        self._line(text, MARGIN, self._y + size, size, self._bold)
        self._y += size * 1.9

    def paragraph(self, lines: list[str], size: float = 11) -> None:
        self._room(len(lines) * size * 1.4)
        for line in lines:
            self._line(line, MARGIN, self._y + size, size, self._body)
            self._y += size * 1.4
        self._y += size * 0.7

    def table(self, rows: list[list[str]], widths: list[float]) -> None:
        height = 22.0
        self._room(height * len(rows))
        right = MARGIN + sum(widths)
        for index, row in enumerate(rows):
            x = MARGIN
            for text, width in zip(row, widths, strict=True):
                self._line(text, x + 5, self._y + 15, 10, self._bold if index == 0 else self._body)
                self.page.draw_rect((x, self._y, x + width, self._y + height), width=0.6)
                x += width
            self._y += height
        self.page.draw_line((MARGIN, self._y), (right, self._y), width=0.6)
        self._y += 16

    def image(self, path: Path, width: float, height: float) -> None:
        self._room(height)
        box = (MARGIN, self._y, MARGIN + width, self._y + height)
        self.page.insert_image(box, filename=str(path))
        self._y += height + 12

    def save(self, path: Path, title: str) -> None:
        self.document.set_toc(self._outline)
        self.document.set_metadata({"title": title, **_METADATA})
        self.document.subset_fonts()
        self.document.save(path, garbage=4, deflate=True, no_new_id=True)

    def _line(self, text: str, x: float, y: float, size: float, font: str) -> None:
        self.page.insert_text((x, y), text, fontsize=size, fontname=font)

    def _room(self, height: float) -> None:
        if self._y + height > PAGE.height - MARGIN:
            self.new_page()


def write_annual_report(path: Path, picture: Path) -> None:
    """English, three pages: headings, a table, a picture, header and page number."""
    out = Writer("Sable Bay Tide Station - Annual Report 2025", "Page {}", "helv", "hebo")
    out.heading("Annual Report 2025", 1)
    out.paragraph(
        [
            "The station at Sable Bay recorded the height of the sea on 364 days of 2025. The one",
            "missing day, 11 November, was lost when lightning destroyed the power supply of the data",
            "logger. The mean sea level of the year was 2.864 m above station zero, 4 mm higher than",
            "in 2024 and 31 mm higher than the mean of the years 1991 to 2020.",
        ]
    )
    out.heading("Extreme levels", 2)
    out.paragraph(
        [
            "The highest level of the year, 5.213 m, was reached on 19 January at 04:40 UTC during the",
            "storm surge that the harbour office named Bertha. It is the third highest since 1978. The",
            "lowest level, 0.388 m, was read on 21 March at the spring tide after the equinox.",
        ]
    )
    out.table(
        [
            ["Month", "Mean (m)", "Highest (m)", "Lowest (m)"],
            ["January", "2.951", "5.213", "0.702"],
            ["March", "2.798", "4.377", "0.388"],
            ["July", "2.841", "4.120", "0.655"],
            ["October", "2.912", "4.688", "0.590"],
        ],
        [110, 90, 100, 100],
    )
    out.image(picture, 300, 200)
    out.new_page()
    out.heading("Instruments and calibration", 2)
    out.paragraph(
        [
            "The float gauge was calibrated thirteen times. The largest offset was 17 mm, found on",
            "2 February after the storm; a bent wheel of the float wire was replaced. The radar gauge",
            "was calibrated four times, and its offset never exceeded 6 mm. The barometer BX-3 went to",
            "the workshop in May and was found correct to 0.1 hPa.",
        ]
    )
    out.heading("Data return", 2)
    out.paragraph(
        [
            "99.1 percent of the hourly values reached the data centre within one hour. Uploads failed",
            "on nine occasions with error E4012, eight of them because the antenna was iced over. A",
            "heater was fitted in December and no failure has been seen since.",
        ]
    )
    out.new_page()
    out.heading("Plans for 2026", 2)
    out.paragraph(
        [
            "A pressure gauge will be installed as a third, independent instrument below the lowest",
            "tide. The intake of the stilling well will be widened from 40 to 60 mm, which is expected",
            "to halve the delay of the well while the tide runs. Both works are planned for June, when",
            "storms are rare.",
        ]
    )
    out.save(path, "Sable Bay Tide Station: Annual Report 2025")


def write_calibration_record(path: Path) -> None:
    """Chinese, two pages: headings and a table."""
    out = Writer("黑貂湾潮位站 校准记录", "第 {} 页", "china-s", "china-s")
    out.heading("潮位计校准记录", 1)
    out.paragraph(
        [
            "本记录汇总二〇二五年浮子式潮位计和雷达潮位计的校准结果。每次校准由两人",
            "共同完成，在平潮时进行，水位在十分钟内的变化必须小于五毫米。",
        ]
    )
    out.heading("浮子式潮位计", 2)
    out.table(
        [
            ["日期", "偏差（毫米）", "标准差（毫米）", "处理"],
            ["2025-02-02", "17", "2.1", "更换滑轮"],
            ["2025-03-04", "3", "1.4", "无"],
            ["2025-04-03", "5", "1.8", "无"],
        ],
        [110, 110, 120, 110],
    )
    out.paragraph(
        [
            "二月二日的偏差最大，为十七毫米。检查发现浮子钢丝的滑轮在风暴中弯曲，",
            "更换滑轮后偏差降到三毫米以内。",
        ]
    )
    out.new_page()
    out.heading("雷达潮位计", 2)
    out.paragraph(
        [
            "雷达潮位计全年校准四次，偏差都没有超过六毫米。十二月在天线上安装了加热器，",
            "此后没有再出现结冰造成的读数跳动。",
        ]
    )
    out.heading("结论", 2)
    out.paragraph(
        [
            "两台潮位计都满足观测手册的要求。下一年度计划增加一台压力式潮位计，",
            "作为第三台独立的仪器。",
        ]
    )
    out.save(path, "黑貂湾潮位站校准记录")


if __name__ == "__main__":
    main()
