"""Cyrillic of fonts that name no characters."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

RUSSIAN = [
    "Руководство по созданию пакетов Debian",
    "Изменение существующих пакетов и сборка",
    "Взаимодействие с сообществом разработчиков",
    "Проверьте, что всё работает, ещё один раз",
]
FRENCH = ["Voilà où l'été a été passé à côté", "ÉTÉ, FORÊT, CÔTÉ, ÀÂÉÈ ÊÎÔÛ", "àéèê ëïôû çéàè ùûüÿ"]
TABLE = ["ÀÁÂÃ ÄÅÆÇ ÈÉÊË ÌÍÎÏ ÐÑÒÓ ÔÕÖØ", "àáâã äåæç èéêë ìíîï ðñòó ôõöø"]


def write_rows(path: Path, rows: list[str]) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(rows):
        page.insert_text((72, 100 + 40 * at), row, fontsize=12)
    document.save(path)
    document.close()
    return path


def as_latin(row: str) -> str:
    return row.encode("cp1251").decode("latin-1")


def test_russian_that_is_read_as_accented_letters_is_written_in_its_own(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.pdf", [as_latin(row) for row in RUSSIAN])
    loaded = load(path)
    assert loaded.md.split("\n\n") == RUSSIAN


@pytest.mark.parametrize("rows", [FRENCH, TABLE])
def test_accented_letters_stay_as_they_are(rows: list[str], tmp_path: Path) -> None:
    path = write_rows(tmp_path / "f.pdf", rows)
    loaded = load(path)
    assert loaded.md.split("\n\n") == rows
    check_anchors(loaded, path)


def test_letters_that_french_has_alone_stay_beside_russian_words(tmp_path: Path) -> None:
    french = "Elle va à Paris et à Lyon; à côté de la forêt, été après été, très près."
    path = write_rows(tmp_path / "m.pdf", [french, *map(as_latin, RUSSIAN)])
    assert load(path).md.split("\n\n")[0] == french
