"""The documents that links mean when no document stands at the address that is written.

Links of wikis and of websites are often written that way. A document that does stand at the
address always comes first, and where several documents could be meant, the link leads to none.

* A wiki link that names a page of another folder by its file name, or by the end of its path,
  leads to the one page of the root that ends so.
* A link without a suffix (VitePress, Docusaurus, Next.js, Mintlify) leads to the page of that name,
  or to the ``index`` or ``README`` of the folder of that name.
* One that begins with ``/`` leads to the page there, from the root on, or to the one page of the
  root whose path ends so; else to the one that stands there but for its first folder, which is
  often that of the site.
* Numbers that sort files, as in ``05-generating-text.mdx``, are no part of a page's name.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from rag_query.library.served import ServedChunks

_SUFFIXES = (".md", ".mdx", ".html", ".htm")
_FOLDERS = ("index", "readme")
#: What stands behind a path that names no file, the likeliest first.
_ENDINGS = (*_SUFFIXES, *(f"/{name}{suffix}" for name in _FOLDERS for suffix in _SUFFIXES))
#: A number in front of a file's name by which files are sorted: ``01-intro``, but no date.
_NUMBER = re.compile(r"^\d{1,3}[-_](?=\D)")
#: Kinds of links whose targets are looked for.
_KINDS = ("wiki", "link", "reference")


def may_be_found(links: pa.Table) -> pa.Array:
    """For each row whether it leads into the library, or may be found to."""
    to_root = pc.and_(
        pc.is_in(links["kind"], value_set=pa.array(["link", "reference"])),
        pc.starts_with(links["target_uri"], "/"),
    )
    return pc.or_(links["target_doc_id"].is_valid(), to_root)


def with_found_targets(links: pa.Table, served: ServedChunks) -> pa.Table:
    """``links`` with the ``target_doc_id`` of those that lead to no document, where one is found.

    Args:
        links: kind, doc_id, target_uri and target_doc_id of links between newest versions.
    """
    if not pc.any(pc.is_in(links["kind"], value_set=pa.array(_KINDS))).as_py():
        return links
    known = served.newest(["doc_id", "source_uri"]).group_by(["doc_id", "source_uri"]).aggregate([])
    uris = dict(zip(known["doc_id"].to_pylist(), known["source_uri"].to_pylist(), strict=True))
    pages = _Pages(uris)
    targets = links["target_doc_id"].to_pylist()
    for row, link in enumerate(links.select(["kind", "doc_id", "target_uri"]).to_pylist()):
        source = uris.get(link["doc_id"])
        if link["kind"] not in _KINDS or targets[row] in uris or source is None:
            continue
        find = pages.wiki if link["kind"] == "wiki" else pages.linked
        targets[row] = find(source, link["target_uri"]) or targets[row]
    place = links.schema.get_field_index("target_doc_id")
    return links.set_column(place, "target_doc_id", pa.array(targets, pa.string()))


class _Page(NamedTuple):
    """``path`` is that inside its root; ``name`` its parts as a site calls them."""

    doc_id: str
    path: str
    name: tuple[str, ...]


class _Pages:
    """The documents of a library by their names, which are compared without their case."""

    def __init__(self, uris: Mapping[str, str]) -> None:
        self._uris = uris
        self._files: dict[tuple[str, str], set[str]] = defaultdict(set)
        #: Empty where several differ in their case alone.
        self._paths: dict[tuple[str, str], str] = {}
        self._named: dict[tuple[str, str], list[_Page]] = defaultdict(list)
        for doc, uri in uris.items():
            if "#" in uri:
                continue  # a record
            root, path = _root_and_path(uri)
            self._files[_root_and_name(uri)].add(doc)
            self._paths[root, path] = "" if (root, path) in self._paths else doc
            if name := _name(path):
                self._named[root, name[-1]].append(_Page(doc, path, name))

    def wiki(self, source: str, uri: str) -> str | None:
        """The document that a wiki link of ``source`` means, which was read as one to ``uri``."""
        folder = source.rpartition("/")[0]
        if not uri.startswith(f"{folder}/"):
            return None  # It was meant to begin at the page it stands in.
        written = uri.removeprefix(folder).casefold()
        named = self._files.get(_root_and_name(uri), set())
        found = [doc for doc in named if self._uris[doc].casefold().endswith(written)]
        return found[0] if len(found) == 1 else None

    def linked(self, source: str, uri: str) -> str | None:
        """The document that any other link of ``source`` means; ``uri`` is an address in its root,
        or a path that begins with ``/``."""
        root, _ = _root_and_path(source)
        from_root = uri.startswith("/")
        if from_root:
            path = unquote(re.split("[?#]", uri, maxsplit=1)[0]).casefold().strip("/")
        elif uri.startswith("file://") and _root_and_path(uri)[0] == root:
            path = _root_and_path(uri)[1]
        else:
            return None
        suffix = posixpath.splitext(path)[1]
        is_file = suffix in _SUFFIXES
        for ending in ("",) if is_file else ("", *_ENDINGS):
            if found := self._paths.get((root, path + ending)):
                return found
        named = self._called(root, _name(path), suffix if is_file else "", from_root)
        if not named and from_root and "/" in path:
            # Sites put their documents below an address such as /docs.
            below = _name(path)[1:]
            named = self._called(root, below, suffix if is_file else "") if below[1:] else []
        return named[0] if len(named) == 1 else None

    def _called(
        self, root: str, name: tuple[str, ...], suffix: str, from_any_folder: bool = False
    ) -> list[str]:
        """The pages of a root of that name and suffix, which may begin in any folder of it."""
        if not name:
            return []
        return [
            page.doc_id
            for page in self._named.get((root, name[-1]), [])
            if (page.name[-len(name) :] if from_any_folder else page.name) == name
            and page.path.endswith(suffix)
        ]


def _name(path: str) -> tuple[str, ...]:
    """The parts of a page's path without its suffix, numbers that sort files, and ``index``."""
    stem, suffix = posixpath.splitext(path)
    named = stem if suffix in _SUFFIXES else path
    parts = [_NUMBER.sub("", part) for part in named.split("/")]
    if parts[-1] in _FOLDERS:
        parts.pop()
    return tuple(parts)


def _root_and_path(uri: str) -> tuple[str, str]:
    root, _, path = uri.removeprefix("file://").partition("/")
    return root, unquote(path).casefold()


def _root_and_name(uri: str) -> tuple[str, str]:
    """Root and file name of ``file://<root>/<path>``."""
    return uri.removeprefix("file://").partition("/")[0], uri.rpartition("/")[2].casefold()
