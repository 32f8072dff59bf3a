"""What a library is: its settings, and where there is none."""

import json
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.files import write_atomic, write_json
from rag_query.library.home import Home
from rag_query.library.settings import load_settings, update_settings
from rag_query.library.sources import load_sources


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.resolve(tmp_path / "library")
    create_library(home, shards=4)
    return home


def test_a_library_is_created_once_and_remembers_its_shards(home: Home) -> None:
    assert load_settings(home).shard_names == ["s00", "s01", "s02", "s03"]
    with pytest.raises(ExcerptaError) as again:
        create_library(home)
    assert again.value.code == ErrorCode.LIBRARY_EXISTS
    assert "--home" in again.value.hint
    with pytest.raises(ValueError, match="shards"):
        update_settings(home, shards=5)


def test_no_library_and_a_foreign_one_are_told_apart(tmp_path: Path, home: Home) -> None:
    with pytest.raises(ExcerptaError) as missing:
        load_settings(Home.resolve(tmp_path / "nothing"))
    assert missing.value.code == ErrorCode.LIBRARY_NOT_FOUND
    write_atomic(home.settings, home.settings.read_bytes().replace(b'version": 1', b'version": 99'))
    with pytest.raises(ExcerptaError) as foreign:
        load_settings(home)
    assert foreign.value.code == ErrorCode.LIBRARY_INCOMPATIBLE
    assert foreign.value.hint


def test_a_setting_that_is_wrong_is_named_without_what_it_holds(home: Home) -> None:
    write_atomic(
        home.settings,
        home.settings.read_bytes().replace(
            b'"allowed_roots": []', b'"allowed_roots": {"at": "/srv/private"}, "colour": 1'
        ),
    )
    with pytest.raises(ExcerptaError) as wrong:
        load_settings(home)
    shown = str(wrong.value)
    assert "`allowed_roots`" in shown
    assert "`colour`" in shown
    assert "Mend library.json" in shown
    assert "pydantic" not in shown
    assert "/srv" not in shown
    write_atomic(home.settings, b"{not json")
    with pytest.raises(ExcerptaError, match=r"LIBRARY_INCOMPATIBLE.*JSON"):
        load_settings(home)


def test_no_library_can_stand_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "deep"):
        with pytest.raises(ExcerptaError) as refused:
            create_library(Home.resolve(place))
        assert refused.value.code == ErrorCode.INVALID_ARGUMENT
        assert str(tmp_path) not in str(refused.value)
        with pytest.raises(ExcerptaError) as missing:
            load_settings(Home.resolve(place))
        assert missing.value.code == ErrorCode.LIBRARY_NOT_FOUND


@pytest.mark.parametrize("name", ["library.json", "sources.json"])
def test_files_saved_by_any_editor_are_read_or_say_how_to_save_them(home: Home, name: str) -> None:
    before = load_settings(home), load_sources(home)
    text = (home.root / name).read_text()
    write_atomic(home.root / name, text.encode("utf-8-sig"))
    assert (load_settings(home), load_sources(home)) == before
    write_atomic(home.root / name, text.encode("utf-16"))
    with pytest.raises(ExcerptaError, match=rf"{name} is saved in UTF-16.*UTF-8"):
        load_settings(home)
        load_sources(home)


@pytest.mark.parametrize(
    "name", ["retention_hours", "undelete_hours", "conversation_days", "trace_days"]
)
def test_more_than_dates_can_tell_is_refused_by_name(home: Home, name: str) -> None:
    written = json.loads(home.settings.read_text())
    write_json(home.settings, written | {name: 10**12})
    with pytest.raises(ExcerptaError, match=f"`{name}`") as caught:
        load_settings(home)
    assert caught.value.code is ErrorCode.LIBRARY_INCOMPATIBLE
