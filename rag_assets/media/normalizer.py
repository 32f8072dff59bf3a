"""``asset_normalizer.content_hash``: media by the sha256 of their bytes (DEV_SPEC 3.1.4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, IPvAnyNetwork

from rag_assets.loading.pdf.file.references import lies_in_pdf
from rag_assets.media.base import DocumentMedia, Resolved, Stored
from rag_assets.media.origins import data_uri, is_local, local_file, refuse
from rag_assets.media.remote import RemoteImages, RemoteLimits, is_remote
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.home import Home
from rag_query.providers.registry import Params, register

if TYPE_CHECKING:
    from rag_assets.loading.parse import RawBytes
    from rag_assets.media.content_store import ContentStore
    from rag_assets.media.pdf_images import PdfImages

VERSION = "5"


class ContentHashParams(Params):
    """Parameters of ``asset_normalizer.content_hash``.

    Attributes:
        thumb_pixels: the longest side of a thumbnail.
        remote_images: fetch http and https images, within the limits below.
        remote_max_bytes: of one image.
        remote_timeout_s: for one image, redirects included.
        remote_document_s: for all remote images of a document; never more than most of
            ``limits.parse_timeout_s`` of ``library.json``.
        remote_max_redirects: followed; every address on the way is checked.
        remote_types: media types a server may name. SVG is none of them: it can hold scripts.
        private_networks: such as ``10.1.0.0/16``: networks that are asked although they are not
            on the public internet, for the wiki of a house.
    """

    thumb_pixels: int = Field(256, ge=16, le=2048)
    remote_images: bool = False
    remote_max_bytes: int = Field(20_000_000, ge=1)
    remote_timeout_s: float = Field(15.0, gt=0)
    remote_document_s: float = Field(60.0, gt=0)
    remote_max_redirects: int = Field(3, ge=0, le=10)
    remote_types: tuple[str, ...] = (
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/bmp",
        "image/tiff",
        "image/avif",
        "application/octet-stream",
    )
    private_networks: tuple[IPvAnyNetwork, ...] = ()

    @property
    def remote_limits(self) -> RemoteLimits:
        return RemoteLimits(
            max_bytes=self.remote_max_bytes,
            timeout_s=self.remote_timeout_s,
            max_redirects=self.remote_max_redirects,
            types=frozenset(self.remote_types),
            networks=self.private_networks,
        )


class ContentHashNormalizer:
    """Reads local files, data URIs, images in PDFs and, when the strategy says so, on the web.

    An SVG is kept as it is and never drawn, so it has no thumbnail and no size in pixels.
    """

    def __init__(self, params: ContentHashParams) -> None:
        self._params = params
        self._pdf: tuple[RawBytes, PdfImages] | None = None

    def normalize(self, document: DocumentMedia) -> list[Resolved]:
        """Every reference, in order."""
        from rag_assets.media.content_store import ContentStore

        store = ContentStore(
            Home(Path(document.home)),
            thumb_pixels=self._params.thumb_pixels,
            max_pixels=document.max_pixels,
        )
        remote = None
        if self._params.remote_images:
            budget = min(self._params.remote_document_s, document.remote_s)
            remote = RemoteImages(self._params.remote_limits, budget)
        reader = _Reader(document, self._pdf_images(document), store, remote)
        return [reader.resolve(ref_id, origin) for ref_id, origin in document.references]

    def _pdf_images(self, document: DocumentMedia) -> PdfImages:
        """Held until another document comes: the images of one come in several jobs."""
        from rag_assets.media.pdf_images import PdfImages

        if self._pdf is None or self._pdf[0] != document.raw:
            self._pdf = document.raw, PdfImages(document.raw, document.max_pixels)
        return self._pdf[1]


class _Reader:
    def __init__(
        self,
        document: DocumentMedia,
        pdf: PdfImages,
        store: ContentStore,
        remote: RemoteImages | None,
    ) -> None:
        self._remote = remote
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
        if lies_in_pdf(origin):
            return self._store.put(self._pdf.read(origin))
        if origin[:5].lower() == "data:":
            data, mime = data_uri(origin)
            return self._store.put(data, mime=mime)
        if is_local(origin):
            path = local_file(document.root, document.folder, origin)
            return self._store.put(_read(path, document.max_bytes), name=path.name)
        if self._remote is not None and is_remote(origin):
            data, _ = self._remote.fetch(origin)
            # What the server says it is does not make it a picture.
            return self._store.put(data)
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
