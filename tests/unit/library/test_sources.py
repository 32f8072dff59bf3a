"""Where a library's documents come from, and what may be read."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.deletions import mark_deleted
from rag_query.library.files import write_atomic, write_json
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.library.sources import (
    ALLOWED_ROOTS_VARIABLE,
    SourceRoot,
    allowed_roots,
    check_allowed,
    deleted_below,
    load_sources,
    register_path,
    save_sources,
    source_uri,
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.resolve(tmp_path / "library")
    create_library(home, shards=4)
    return home


def test_a_folder_is_one_root_whatever_is_named_of_it(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "a.md").write_text("# A")
    (docs / "deep" / "b.md").write_text("# B")
    one = register_path(home, docs / "a.md")
    assert (one.name, one.whole, one.files) == ("docs", False, ["a.md"])
    whole = register_path(home, docs)
    assert (whole.name, whole.whole) == ("docs", True)
    assert register_path(home, docs / "deep" / "b.md").name == "docs"
    assert [r.name for r in load_sources(home).roots] == ["inbox", "docs"]


def test_tags_belong_to_what_was_named_and_to_nothing_beside_it(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    for name in ("a.md", "b.md", "deep/c.md"):
        (docs / name).write_text("# A")
    register_path(home, docs / "a.md", tags=["one"])
    register_path(home, docs / "b.md", tags=["two"])
    register_path(home, docs, tags=["all"])
    root = register_path(home, docs / "deep", tags=["deep"])
    assert register_path(home, docs / "a.md", tags=["more"]).name == root.name
    root = load_sources(home).roots[1]
    assert root.tags_of("a.md") == ["all", "more", "one"]
    assert root.tags_of("b.md") == ["all", "two"]
    assert root.tags_of("deep/c.md") == ["all", "deep"]
    assert root.tags_of("deeper.md") == ["all"]


_PARTS = st.lists(st.sampled_from(["a", "ab", "b"]), min_size=1, max_size=4).map("/".join)


@given(tagged=st.dictionaries(_PARTS, st.just(["x"]), max_size=4), path=_PARTS)
def test_a_document_bears_a_tag_of_a_path_only_when_it_lies_there(
    tagged: dict[str, list[str]], path: str
) -> None:
    root = SourceRoot(name="r", path="/r", collection="r", whole=True, path_tags=tagged)
    inside = any(path == place or path.startswith(f"{place}/") for place in tagged)
    assert root.tags_of(path) == (["x"] if inside else [])


def test_sources_of_an_earlier_release_keep_their_tags(home: Home) -> None:
    write_atomic(
        home.sources,
        b'{"roots": [{"name": "d", "path": "/d", "collection": "d", "tags": ["t"], "whole": false,'
        b' "files": ["a.md"]}], "deleted": {}}',
    )
    assert load_sources(home).roots[0].tags_of("a.md") == ["t"]


def _places(home: Home) -> dict[str, str]:
    return {root.name: root.path for root in load_sources(home).roots}


@pytest.mark.parametrize("earlier", [False, True], ids=["relative", "absolute"])
@pytest.mark.parametrize("how", ["moved", "copied"])
def test_what_lies_inside_a_library_goes_along_with_it(
    home: Home, tmp_path: Path, how: str, earlier: bool
) -> None:
    within, without = home.root / "docs", tmp_path / "more"
    for folder in (within, without):
        folder.mkdir()
        register_path(home, folder)
    if earlier:  # a release that knew absolute paths only
        write_json(home.sources, load_sources(home).model_dump(mode="json"))
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
    sources = load_sources(home)
    sources.roots[0].path = str(drop)
    save_sources(home, sources)
    assert _places(home) == {"inbox": str(drop)}


def test_a_library_inside_another_takes_the_inbox_around_it(home: Home) -> None:
    side = Home(home.sides / "abc")
    save_sources(side, load_sources(home))
    assert _places(side) == {"inbox": str(home.inbox)}


def test_a_file_of_a_folder_cannot_be_of_another_collection(home: Home, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# A")
    register_path(home, tmp_path / "a.md", collection="one")
    with pytest.raises(ExcerptaError, match=r"'b.md' lies in a folder .*'one'.*give tags"):
        register_path(home, tmp_path / "b.md", collection="other")


def test_two_folders_of_one_name_do_not_share_uris(home: Home, tmp_path: Path) -> None:
    for parent in ("x", "y"):
        (tmp_path / parent / "docs").mkdir(parents=True)
    names = {register_path(home, tmp_path / p / "docs").name for p in ("x", "y")}
    assert names == {"docs", "docs-2"}


def test_naming_a_deleted_document_again_brings_it_back(home: Home, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A")
    (docs / "b c.md").write_text("# B")
    register_path(home, docs)
    mark_deleted(home, ["file://docs/a.md", "file://docs/b%20c.md"])
    register_path(home, docs / "a.md")
    assert list(load_sources(home).deleted) == ["file://docs/b%20c.md"]
    # Whoever ingests the folder every night does not ask for what was deleted of it.
    register_path(home, docs)
    assert list(load_sources(home).deleted) == ["file://docs/b%20c.md"]
    # A folder above it is walked with it.
    assert (
        deleted_below(home, [docs]) == deleted_below(home, [tmp_path]) == ["file://docs/b%20c.md"]
    )
    assert deleted_below(home, [docs / "a.md"]) == []
    (docs / "b c.md").unlink()
    assert deleted_below(home, [docs]) == []


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
    assert source_uri("r", path) == uri


def test_a_client_reads_only_under_allowed_roots(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    (inside / "link.md").symlink_to(outside / "secret.md")
    monkeypatch.setenv(ALLOWED_ROOTS_VARIABLE, str(inside))
    roots = allowed_roots(load_settings(home), load_sources(home))
    check_allowed(inside / "new.md", roots)
    for path in (outside / "secret.md", inside / "link.md", inside / ".." / "out"):
        with pytest.raises(ExcerptaError) as refused:
            check_allowed(path, roots)
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
        load_settings(home)
    assert refused.value.code == ErrorCode.LIBRARY_INCOMPATIBLE
    write_atomic(home.settings, kept)
    monkeypatch.setenv(ALLOWED_ROOTS_VARIABLE, f"/srv/notes:{root}")
    if root:
        with pytest.raises(ExcerptaError, match=ALLOWED_ROOTS_VARIABLE):
            allowed_roots(load_settings(home), load_sources(home))


def test_a_file_taken_in_by_name_does_not_open_its_folder(home: Home, tmp_path: Path) -> None:
    for name in ("a.md", "private.md"):
        (tmp_path / name).write_text("x")
    register_path(home, tmp_path / "a.md")
    roots = allowed_roots(load_settings(home), load_sources(home))
    check_allowed(tmp_path / "a.md", roots)
    for path in (tmp_path / "private.md", tmp_path):
        with pytest.raises(ExcerptaError, match="PATH_NOT_ALLOWED"):
            check_allowed(path, roots)


def test_sources_that_cannot_be_read_are_told_without_what_they_hold(home: Home) -> None:
    write_atomic(home.sources, b'{"roots": [{"path": "/secret"}]')
    with pytest.raises(ExcerptaError) as caught:
        load_sources(home)
    assert caught.value.code is ErrorCode.LIBRARY_INCOMPATIBLE
    told = str(caught.value)
    assert told.count("sources.json") == 2
    assert "secret" not in told and "http" not in told
