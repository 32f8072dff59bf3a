"""The six pages in a real browser, on a library that was really used."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import axe_core_python
import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

from mcp_app.http.access import settle_access
from mcp_app.http.app import http_app
from mcp_app.server import build_server
from rag_query.library.home import Home
from tests.e2e.console.conftest import Console

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAGES = ("/", "/documents", "/ingestion", "/traces/ingestion", "/traces/query", "/evaluation")


def test_an_empty_library_has_an_overview(tmp_path: Path) -> None:
    home = Home(tmp_path)
    server = build_server(home)
    app = http_app(server, home, settle_access("127.0.0.1:0"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        response = client.get("/")
    assert response.status_code == 200 and "Nothing is published" in response.text


def test_every_number_of_the_overview_leads_on(tab: Page) -> None:
    tab.goto("/")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Overview")
    cards = tab.locator(".card").all()
    assert len(cards) >= 6
    for card in cards:
        assert card.get_by_role("link").count() == 1, card.inner_text()
    tab.locator(".card", has_text="failed documents").get_by_role("link").click()
    expect(tab.locator("tbody tr")).to_have_count(1)
    expect(tab.locator("tbody")).to_contain_text("PDF_CORRUPT")


def test_from_a_document_to_the_boxes_on_its_page(tab: Page, console: Console) -> None:
    tab.goto("/documents")
    tab.get_by_label("title, name or URI").fill("annual")
    tab.get_by_role("button", name="Show").click()
    tab.get_by_role("link", name="Annual Report 2025").first.click()
    expect(tab.get_by_role("heading", name="Chunks")).to_be_visible()
    tab.locator("#chunks ~ .scroll a").nth(1).click()
    sheet = tab.get_by_alt_text("The page of the document")
    assert sheet.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    expect(tab.locator("blockquote")).to_contain_text("5.213 m")


def test_a_question_is_followed_to_its_passages_and_asked_again(tab: Page) -> None:
    tab.goto("/traces/query")
    tab.get_by_label("words of the question").fill("radar")
    tab.get_by_role("button", name="Show").click()
    # Asked twice: as a query, and as a question to one document, whose search is not listed.
    expect(tab.locator("tbody tr")).to_have_count(2)
    tab.locator("tbody tr", has_text="hybrid").locator("a").first.click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("radar shutter")
    steps = tab.locator(".waterfall tbody > tr > th")
    assert steps.count() >= 7
    candidates = tab.locator("#candidates ~ .scroll").first
    for column in ("sparse", "dense", "fusion"):
        expect(candidates.locator("thead")).to_contain_text(column)
    expect(candidates.locator("tbody tr").first).to_contain_text("Storm procedure")
    tab.get_by_role("button", name="Run and compare").click()
    expect(tab.get_by_role("heading", name="Difference")).to_be_visible()
    expect(tab.locator("#difference + .scroll tbody tr").first).to_contain_text("Storm procedure")
    expect(tab.locator("#difference + .scroll .moved-down")).to_have_count(0)


def test_every_sentence_of_an_answer_leads_to_its_passage(tab: Page) -> None:
    tab.goto("/traces/query")
    rows = tab.locator("tbody tr")
    for at in range(rows.count()):
        rows.nth(at).locator("a").first.click()
        if tab.locator("#answer").count():
            break
        tab.go_back()
    sentences = tab.locator("#answer ~ .scroll").first.locator("tbody tr")
    expect(sentences.first).to_contain_text("32 m/s")
    for row in sentences.all():
        assert row.get_by_role("link").count() >= 1
    sentences.first.get_by_role("link").click()
    expect(tab.locator("blockquote")).to_contain_text("only if the wind exceeds 32 m/s")


def test_from_a_metric_to_the_trace_of_its_worst_case(tab: Page) -> None:
    tab.goto("/evaluation")
    expect(tab.locator("canvas").first).to_be_visible()
    tab.locator("tbody a").first.click()
    tab.get_by_role("link", name="trace", exact=True).first.click()
    expect(tab.get_by_role("heading", name="Metrics of the case")).to_be_visible()
    tab.go_back()
    tab.get_by_role("button", name="Compare").click()
    expect(tab.locator("thead").first).to_contain_text("95 % interval")


def test_an_evaluation_is_started_and_seen(tab: Page) -> None:
    tab.goto("/evaluation")
    before = tab.locator("form[action='/evaluation/compare'] tbody tr").count()
    tab.get_by_label("search").select_option("exact")
    tab.get_by_role("button", name="Evaluate").click()
    expect(tab.locator("form[action='/evaluation/compare'] tbody tr")).to_have_count(
        before + 1, timeout=120_000
    )


def test_a_document_is_deleted_and_brought_back(tab: Page, console: Console) -> None:
    tab.goto(console.find("hostile"))
    tab.on("dialog", lambda dialog: dialog.accept())
    tab.get_by_role("button", name="Delete").click()
    expect(tab.locator(".status-success")).to_be_visible(timeout=120_000)
    tab.goto("/documents?status=removed")
    tab.locator("tbody a").first.click()
    tab.get_by_role("button", name="Bring it back").click()
    expect(tab.locator(".status-success")).to_be_visible(timeout=120_000)
    tab.get_by_role("link", name="The trace of this run").click()
    expect(tab.locator(".waterfall")).to_contain_text("publish")


def test_text_of_documents_never_acts(tab: Page, console: Console) -> None:
    page = console.find("hostile")
    tab.goto(page)
    tab.locator("summary", has_text="Preview").click()
    assert "taken" not in tab.title() or "<script>" in tab.title()
    assert tab.locator("main script, main [onerror], main a[href^=javascript]").count() == 0
    expect(tab.locator(".preview")).to_contain_text("onerror")


def test_no_serious_finding_of_axe_in_light_or_dark(browser: Browser, console: Console) -> None:
    details = (
        console.first("/documents?text=handbook", "/documents/"),
        console.first("/traces/query", "/traces/query/"),
        console.first("/traces/query?nested=all&text=radar&order=started_at", "/traces/query/"),
        console.first("/traces/ingestion", "/traces/ingestion/"),
        console.first("/evaluation", "/evaluation/evr_"),
        console.first("/ingestion", "/ingestion/runs/"),
        console.first(console.first("/documents?text=annual", "/documents/"), "/chunks/"),
    )
    # Only so that the checker itself may run on the page.
    context = browser.new_context(base_url=console.root, bypass_csp=True)
    tab = context.new_page()
    found = []
    for path in (*PAGES, *details, "/nowhere"):
        tab.goto(path)
        tab.evaluate(AXE)
        for scheme in SCHEMES:
            tab.emulate_media(color_scheme=scheme)
            for violation in tab.evaluate("axe.run()")["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    found.append((path, scheme, violation["id"], violation["nodes"][0]["html"]))
    context.close()
    assert not found


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, console: Console, path: str) -> None:
    context = browser.new_context(base_url=console.root, viewport={"width": 360, "height": 720})
    tab = context.new_page()
    tab.goto(path)
    wide = tab.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert wide <= 360


def test_a_phone_shows_long_ids_without_sideways_scrolling(
    browser: Browser, console: Console
) -> None:
    context = browser.new_context(base_url=console.root, viewport={"width": 390, "height": 720})
    tab = context.new_page()
    for path, link in (
        ("/documents", "a[href^='/documents/doc_']"),
        (None, "a[href^='/chunks/']"),
        ("/traces/ingestion", "a[href^='/traces/ingestion/']"),
        ("/evaluation", "a[href^='/evaluation/evr_']"),
    ):
        if path:
            tab.goto(path)
        tab.locator(f"tbody {link}").first.click()
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, tab.url
    context.close()


def test_the_keyboard_reaches_the_content_first(tab: Page) -> None:
    tab.goto("/documents")
    tab.keyboard.press("Tab")
    expect(tab.locator(":focus")).to_have_text("Skip to the content")
    tab.keyboard.press("Enter")
    expect(tab.locator(":focus")).to_have_id("main")
