"""A library reads nothing of its own as documents, and is made in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.home import OWN_NAMES, Home
from rag_query.library.own_places import refuse_own


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "lib")
    create_library(made)
    return made


def refused(home: Home, path: Path) -> bool:
    try:
        refuse_own(home, path)
    except ExcerptaError as exc:
        assert exc.code == ErrorCode.PATH_NOT_ALLOWED
        assert exc.hint
        return True
    return False


def test_every_place_of_a_library_is_known(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXCERPTA_MODELS", raising=False)
    paths = [getattr(home, name) for name, kind in vars(Home).items() if isinstance(kind, property)]
    names = {path.relative_to(home.root).parts[0] for path in paths}
    assert names - {home.inbox.name} == OWN_NAMES


def test_a_library_does_not_ingest_itself_or_another(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    for path in (home.root, home.raw, home.raw / "ab" / "abcd", home.settings):
        assert refused(home, path)
        assert refused(other, path)
    (tmp_path / "link").symlink_to(home.root)
    assert refused(other, tmp_path / "link")
    # Nor a folder that would become the library by being ingested.
    assert refused(other, other.root)


def test_an_inbox_and_what_else_lies_in_the_folder_are_documents(
    home: Home, tmp_path: Path
) -> None:
    (home.root / "samples").mkdir()
    for path in (home.inbox, home.inbox / "a.md", home.root / "samples", tmp_path):
        assert not refused(home, path)
    # A file of that name alone makes no library.
    (tmp_path / "library.json").write_text("{}")
    assert not refused(home, tmp_path)


def test_no_library_is_made_among_other_files(tmp_path: Path) -> None:
    for name in ("b.md", "a.md"):
        (tmp_path / name).write_text("Tea.")
    with pytest.raises(ExcerptaError, match=r"'a\.md' and 1 more") as caught:
        create_library(Home(tmp_path))
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    assert "--home" in caught.value.hint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.md"]


def test_hidden_files_and_folders_may_be_there_before_a_library(tmp_path: Path) -> None:
    (tmp_path / ".gitkeep").touch()
    (tmp_path / "synonyms.txt").touch()
    (tmp_path / "samples").mkdir()
    create_library(Home(tmp_path))
    assert Home(tmp_path).settings.exists()
