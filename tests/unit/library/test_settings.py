"""What a library is, where its documents come from, and what may be read."""

import json
import logging
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library import files
from rag_query.library import settings as s
from rag_query.library.deletions import mark_deleted
from rag_query.library.files import exclusive, write_atomic, write_json
from rag_query.library.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.resolve(tmp_path / "library")
    s.create_library(home, shards=4)
    return home


def test_a_library_is_created_once_and_remembers_its_shards(home: Home) -> None:
    assert s.load_settings(home).shard_names == ["s00", "s01", "s02", "s03"]
    with pytest.raises(ExcerptaError) as again:
        s.create_library(home)
    assert again.value.code == ErrorCode.LIBRARY_EXISTS
    assert "--home" in again.value.hint
    with pytest.raises(ValueError, match="shards"):
        s.update_settings(home, shards=5)


def test_no_library_and_a_foreign_one_are_told_apart(tmp_path: Path, home: Home) -> None:
    with pytest.raises(ExcerptaError) as missing:
        s.load_settings(Home.resolve(tmp_path / "nothing"))
    assert missing.value.code == ErrorCode.LIBRARY_NOT_FOUND
    write_atomic(home.settings, home.settings.read_bytes().replace(b'version": 1', b'version": 99'))
    with pytest.raises(ExcerptaError) as foreign:
        s.load_settings(home)
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
        s.load_settings(home)
    shown = str(wrong.value)
    assert "`allowed_roots`" in shown
    assert "`colour`" in shown
    assert "Mend library.json" in shown
    assert "pydantic" not in shown
    assert "/srv" not in shown
    write_atomic(home.settings, b"{not json")
    with pytest.raises(ExcerptaError, match=r"LIBRARY_INCOMPATIBLE.*JSON"):
        s.load_settings(home)


def test_a_folder_is_one_root_whatever_is_named_of_it(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "a.md").write_text("# A")
    (docs / "deep" / "b.md").write_text("# B")
    one = s.register_path(home, docs / "a.md")
    assert (one.name, one.whole, one.files) == ("docs", False, ["a.md"])
    whole = s.register_path(home, docs)
    assert (whole.name, whole.whole) == ("docs", True)
    assert s.register_path(home, docs / "deep" / "b.md").name == "docs"
    assert [r.name for r in s.load_sources(home).roots] == ["inbox", "docs"]


def test_tags_belong_to_what_was_named_and_to_nothing_beside_it(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    for name in ("a.md", "b.md", "deep/c.md"):
        (docs / name).write_text("# A")
    s.register_path(home, docs / "a.md", tags=["one"])
    s.register_path(home, docs / "b.md", tags=["two"])
    s.register_path(home, docs, tags=["all"])
    root = s.register_path(home, docs / "deep", tags=["deep"])
    assert s.register_path(home, docs / "a.md", tags=["more"]).name == root.name
    root = s.load_sources(home).roots[1]
    assert root.tags_of("a.md") == ["all", "more", "one"]
    assert root.tags_of("b.md") == ["all", "two"]
    assert root.tags_of("deep/c.md") == ["all", "deep"]
    assert root.tags_of("deeper.md") == ["all"]


_PARTS = st.lists(st.sampled_from(["a", "ab", "b"]), min_size=1, max_size=4).map("/".join)


@given(tagged=st.dictionaries(_PARTS, st.just(["x"]), max_size=4), path=_PARTS)
def test_a_document_bears_a_tag_of_a_path_only_when_it_lies_there(
    tagged: dict[str, list[str]], path: str
) -> None:
    root = s.SourceRoot(name="r", path="/r", collection="r", whole=True, path_tags=tagged)
    inside = any(path == place or path.startswith(f"{place}/") for place in tagged)
    assert root.tags_of(path) == (["x"] if inside else [])


def test_sources_of_an_earlier_release_keep_their_tags(home: Home) -> None:
    write_atomic(
        home.sources,
        b'{"roots": [{"name": "d", "path": "/d", "collection": "d", "tags": ["t"], "whole": false,'
        b' "files": ["a.md"]}], "deleted": {}}',
    )
    assert s.load_sources(home).roots[0].tags_of("a.md") == ["t"]


def _places(home: Home) -> dict[str, str]:
    return {root.name: root.path for root in s.load_sources(home).roots}


@pytest.mark.parametrize("earlier", [False, True], ids=["relative", "absolute"])
@pytest.mark.parametrize("how", ["moved", "copied"])
def test_what_lies_inside_a_library_goes_along_with_it(
    home: Home, tmp_path: Path, how: str, earlier: bool
) -> None:
    within, without = home.root / "docs", tmp_path / "more"
    for folder in (within, without):
        folder.mkdir()
        s.register_path(home, folder)
    if earlier:  # a release that knew absolute paths only
        write_json(home.sources, s.load_sources(home).model_dump(mode="json"))
    else:
        assert str(home.root) not in home.sources.read_text()
    other = Home(tmp_path / "elsewhere" / "library")
    if how == "moved":
        other.root.parent.mkdir()
        home.root.rename(other.root)
        (home.root / "dagster").mkdir(parents=True)
    else:
        shutil.copytree(home.root, other.root)
    expected = {"inbox": str(other.inbox), "docs": f"{other.root}/docs", "more": str(without)}
    assert _places(other) == expected
    mark_deleted(other, ["file://inbox/a.md"])
    assert str(home.root) not in other.sources.read_text()
    assert _places(other) == expected


def test_an_inbox_its_owner_chose_stays_where_it_is(home: Home, tmp_path: Path) -> None:
    drop = tmp_path / "drop" / "inbox"
    drop.mkdir(parents=True)
    sources = s.load_sources(home)
    sources.roots[0].path = str(drop)
    s.save_sources(home, sources)
    assert _places(home) == {"inbox": str(drop)}


def test_a_library_inside_another_takes_the_inbox_around_it(home: Home) -> None:
    side = Home(home.sides / "abc")
    s.save_sources(side, s.load_sources(home))
    assert _places(side) == {"inbox": str(home.inbox)}


def test_a_file_of_a_folder_cannot_be_of_another_collection(home: Home, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# A")
    s.register_path(home, tmp_path / "a.md", collection="one")
    with pytest.raises(ExcerptaError, match=r"'b.md' lies in a folder .*'one'.*give tags"):
        s.register_path(home, tmp_path / "b.md", collection="other")


def test_two_folders_of_one_name_do_not_share_uris(home: Home, tmp_path: Path) -> None:
    for parent in ("x", "y"):
        (tmp_path / parent / "docs").mkdir(parents=True)
    names = {s.register_path(home, tmp_path / p / "docs").name for p in ("x", "y")}
    assert names == {"docs", "docs-2"}


def test_naming_a_deleted_document_again_brings_it_back(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A")
    (docs / "b.md").write_text("# B")
    s.register_path(home, docs)
    mark_deleted(home, ["file://docs/a.md", "file://docs/b.md"])
    s.register_path(home, docs / "a.md")
    assert list(s.load_sources(home).deleted) == ["file://docs/b.md"]
    s.register_path(home, docs)
    assert s.load_sources(home).deleted == {}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("菜谱/红烧肉.md", "file://r/菜谱/红烧肉.md"),
        ("a b\n'c'.md", "file://r/a%20b%0A%27c%27.md"),
        ("😀#1%.md", "file://r/😀%231%25.md"),
        ("ann\u202efdp.md", "file://r/ann%E2%80%AEfdp.md"),
        ("می\u200cخواهم\x9b.md", "file://r/می\u200cخواهم%C2%9B.md"),
    ],
)
def test_uris_are_readable_and_unambiguous(path: str, uri: str) -> None:
    assert s.source_uri("r", path) == uri


def test_a_client_reads_only_under_allowed_roots(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    (inside / "link.md").symlink_to(outside / "secret.md")
    monkeypatch.setenv(s.ALLOWED_ROOTS_VARIABLE, str(inside))
    roots = s.allowed_roots(s.load_settings(home), s.load_sources(home))
    s.check_allowed(inside / "new.md", roots)
    for path in (outside / "secret.md", inside / "link.md", inside / ".." / "out"):
        with pytest.raises(ExcerptaError) as refused:
            s.check_allowed(path, roots)
        assert refused.value.code == ErrorCode.PATH_NOT_ALLOWED
        assert str(tmp_path) not in str(refused.value)


@pytest.mark.parametrize("root", ["", "notes", "~/notes"])
def test_an_allowed_root_that_is_another_for_each_process_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    kept = home.settings.read_bytes()
    wrong = kept.replace(b'"allowed_roots": []', f'"allowed_roots": ["{root}"]'.encode())
    write_atomic(home.settings, wrong)
    with pytest.raises(ExcerptaError, match="every folder must be an absolute path") as refused:
        s.load_settings(home)
    assert refused.value.code == ErrorCode.LIBRARY_INCOMPATIBLE
    write_atomic(home.settings, kept)
    monkeypatch.setenv(s.ALLOWED_ROOTS_VARIABLE, f"/srv/notes:{root}")
    if root:
        with pytest.raises(ExcerptaError, match=s.ALLOWED_ROOTS_VARIABLE):
            s.allowed_roots(s.load_settings(home), s.load_sources(home))


def test_a_file_taken_in_by_name_does_not_open_its_folder(home: Home, tmp_path: Path) -> None:
    for name in ("a.md", "private.md"):
        (tmp_path / name).write_text("x")
    s.register_path(home, tmp_path / "a.md")
    roots = s.allowed_roots(s.load_settings(home), s.load_sources(home))
    s.check_allowed(tmp_path / "a.md", roots)
    for path in (tmp_path / "private.md", tmp_path):
        with pytest.raises(ExcerptaError, match="PATH_NOT_ALLOWED"):
            s.check_allowed(path, roots)


def test_no_library_can_stand_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "deep"):
        with pytest.raises(ExcerptaError) as refused:
            s.create_library(Home.resolve(place))
        assert refused.value.code == ErrorCode.INVALID_ARGUMENT
        assert str(tmp_path) not in str(refused.value)
        with pytest.raises(ExcerptaError) as missing:
            s.load_settings(Home.resolve(place))
        assert missing.value.code == ErrorCode.LIBRARY_NOT_FOUND


def test_a_busy_library_says_so(home: Home) -> None:
    lock = home.locks / "x.lock"
    with exclusive(lock), pytest.raises(ExcerptaError) as busy, exclusive(lock, timeout_s=0.1):
        pass
    assert busy.value.code == ErrorCode.BUSY


def test_a_long_wait_is_told_of(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TOLD_AFTER_S", 0.0)
    told = []
    with ExitStack() as held:
        held.enter_context(exclusive(home.locks / "x.lock"))

        def comes_free(record: logging.LogRecord) -> bool:
            told.append(record.getMessage())
            held.close()
            return True

        monkeypatch.setattr(files.waits, "filters", [comes_free])
        with exclusive(home.locks / "x.lock", what="the snapshots"):
            pass
    assert told == ["Waits for another process, which is writing to the snapshots."]


@pytest.mark.parametrize("name", ["library.json", "sources.json"])
def test_files_saved_by_any_editor_are_read_or_say_how_to_save_them(home: Home, name: str) -> None:
    before = s.load_settings(home), s.load_sources(home)
    text = (home.root / name).read_text()
    write_atomic(home.root / name, text.encode("utf-8-sig"))
    assert (s.load_settings(home), s.load_sources(home)) == before
    write_atomic(home.root / name, text.encode("utf-16"))
    with pytest.raises(ExcerptaError, match=rf"{name} is saved in UTF-16.*UTF-8"):
        s.load_settings(home)
        s.load_sources(home)


@pytest.mark.parametrize(
    "name", ["retention_hours", "undelete_hours", "conversation_days", "trace_days"]
)
def test_more_than_dates_can_tell_is_refused_by_name(home: Home, name: str) -> None:
    written = json.loads(home.settings.read_text())
    write_json(home.settings, written | {name: 10**12})
    with pytest.raises(ExcerptaError, match=f"`{name}`") as caught:
        s.load_settings(home)
    assert caught.value.code is ErrorCode.LIBRARY_INCOMPATIBLE


def test_sources_that_cannot_be_read_are_told_without_what_they_hold(home: Home) -> None:
    write_atomic(home.sources, b'{"roots": [{"path": "/secret"}]')
    with pytest.raises(ExcerptaError) as caught:
        s.load_sources(home)
    assert caught.value.code is ErrorCode.LIBRARY_INCOMPATIBLE
    told = str(caught.value)
    assert told.count("sources.json") == 2
    assert "secret" not in told and "http" not in told
