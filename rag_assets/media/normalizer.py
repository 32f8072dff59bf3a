"""``asset_normalizer.content_hash``: media by the sha256 of their bytes (DEV_SPEC 3.1.4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from rag_assets.media.base import DocumentMedia, Resolved, Stored
from rag_assets.media.origins import data_uri, is_local, local_file, refuse
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.home import Home
from rag_query.providers.registry import Params, register

if TYPE_CHECKING:
    from rag_assets.media.content_store import ContentStore
    from rag_assets.media.pdf_images import PdfImages

VERSION = "1"


class ContentHashParams(Params):
    """``thumb_pixels``: the longest side of a thumbnail."""

    thumb_pixels: int = Field(256, ge=16, le=2048)


class ContentHashNormalizer:
    """Reads local files, data URIs and images in PDFs. Remote images are not fetched."""

    def __init__(self, params: ContentHashParams) -> None:
        self._params = params

    def normalize(self, document: DocumentMedia) -> list[Resolved]:
        """Every reference, in order; the same one twice is read once."""
        from rag_assets.media.content_store import ContentStore
        from rag_assets.media.pdf_images import PdfImages

        store = ContentStore(
            Home(Path(document.home)),
            thumb_pixels=self._params.thumb_pixels,
            max_pixels=document.max_pixels,
        )
        reader = _Reader(document, PdfImages(document.raw, document.max_pixels), store)
        known: dict[str, Resolved] = {}
        results = []
        for ref_id, origin in document.references:
            seen = known.get(origin)
            if seen is None:
                resolved = reader.resolve(ref_id, origin)
            else:
                again = seen.stored._replace(is_new=False) if seen.stored else None
                resolved = Resolved(ref_id, again, seen.error)
            known[origin] = resolved
            results.append(resolved)
        return results


class _Reader:
    def __init__(self, document: DocumentMedia, pdf: PdfImages, store: ContentStore) -> None:
        self._document = document
        self._pdf = pdf
        self._store = store

    def resolve(self, ref_id: str, origin: str) -> Resolved:
        try:
            return Resolved(ref_id, self._stored(origin), None)
        except (ExcerptaError, OSError) as exc:
            return Resolved(ref_id, None, classify(exc))

    def _stored(self, origin: str) -> Stored:
        document = self._document
        if origin.startswith("pdf:"):
            return self._store.put(self._pdf.read(origin))
        if origin[:5].lower() == "data:":
            data, mime = data_uri(origin)
            return self._store.put(data, mime=mime)
        if is_local(origin):
            path = local_file(document.root, document.folder, origin)
            return self._store.put(_read(path, document.max_bytes), name=path.name)
        raise refuse(origin)


def _read(path: Path, max_bytes: int) -> bytes:
    if path.stat().st_size > max_bytes:
        raise ExcerptaError(ErrorCode.FILE_TOO_LARGE, f"The image {path.name!r} is too large.")
    return path.read_bytes()


register(
    "asset_normalizer.content_hash",
    version=VERSION,
    params=ContentHashParams,
    build=ContentHashNormalizer,
)
