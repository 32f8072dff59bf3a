"""Draws the console's pages for the documentation: ``python -m tools.console_screenshots``.

Makes a library of data/samples in a temporary folder, asks it a few questions, evaluates it twice
and photographs every page with Debian's chromium.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "console"
QUESTIONS = (
    ("At which wind speed is the radar shutter closed?", "hybrid"),
    ("数据上传失败怎么办？", "hybrid"),
    ("calibrated gauge", "exact"),
)
_WIDTH = 1100
_LONGEST = 1500


def main() -> None:
    """Draw them all."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "data"
        run(home, "ingest", str(ROOT / "data" / "samples"))
        for question, mode in QUESTIONS:
            run(home, "query", question, "--mode", mode)
        for mode in ("exact", "hybrid"):
            run(home, "eval", "--dataset", "synthetic", "--retrieval-mode", mode)
        command = [sys.executable, "-m", "mcp_app", "--home", str(home)]
        server = subprocess.Popen(
            [*command, "mcp", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            draw(server.stdout.readline().strip().removesuffix("/mcp"))
        finally:
            server.terminate()
            server.wait(10)


def run(home: Path, *arguments: str) -> None:
    """A command of the product; what it prints is of no interest."""
    command = [sys.executable, "-m", "mcp_app", "--home", str(home), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def draw(base: str) -> None:
    """Photograph the pages of a running console."""

    def first(path: str, link: str, at: int = 0) -> str:
        with urllib.request.urlopen(base + path) as response:
            return re.findall(rf'href="({link}[\w%-]+)"', response.read().decode())[at]

    with urllib.request.urlopen(f"{base}/evaluation") as response:
        runs = re.findall(r'href="/evaluation/(evr_\w+)"', response.read().decode())
    report = first("/documents?text=annual", "/documents/")
    pages = {
        "overview": "/",
        "documents": "/documents",
        "chunk": first(report, "/chunks/", 1),
        "ingestion": "/ingestion",
        "ingestion-trace": first("/traces/ingestion", "/traces/ingestion/"),
        "query-trace": first("/traces/query?text=radar", "/traces/query/"),
        "evaluation": "/evaluation",
        "comparison": f"/evaluation/compare?a={runs[1]}&b={runs[0]}",
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": _WIDTH, "height": 800})
        for name, path in pages.items():
            page.goto(base + path)
            page.wait_for_load_state("networkidle")
            height = page.evaluate("document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": _WIDTH, "height": min(height, _LONGEST)}
            page.screenshot(path=FOLDER / f"{name}.png", full_page=True, clip=clip)
            print(name)
        browser.close()


if __name__ == "__main__":
    main()
