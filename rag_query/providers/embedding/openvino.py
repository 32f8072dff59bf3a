"""``embedder.openvino``: the default engine, on the CPU, without torch once converted.

Few texts (a question, a probe) take the path of lowest latency: one after the other, each on all
cores. Many (chunks) are sorted by length into batches with little padding, several under way at
a time. Both run the same graph in the same precision.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import threading
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import temporary_beside
from rag_query.library.home import Home
from rag_query.providers.embedding.folder import ModelFolder
from rag_query.providers.embedding.int8_weights import INPUTS_OF_A_SCALE
from rag_query.providers.embedding.local import LocalEmbedder
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino_ir import (
    ensure_ir,
    gives_right_vectors,
    openvino,
)
from rag_query.providers.embedding.params import EmbedderParams
from rag_query.providers.embedding.pieces import TextEncoder, open_encoder
from rag_query.providers.embedding.token_vectors import OpenVinoTokenVectors
from rag_query.providers.embedding.vectors import normalized
from rag_query.providers.registry import register
from rag_query.text.ids import canonical_json, sha256_text

log = logging.getLogger(__name__)

#: Up to so many texts go one by one through the path of lowest latency.
FEW_TEXTS = 4

Precision = Literal["int8", "bf16", "f32"]


class OpenVinoParams(EmbedderParams):
    """Parameters of ``embedder.openvino``.

    Attributes:
        batch_tokens: tokens of a batch, padding included; measured flat between 512 and 4096.
        precision: of inference; ``auto`` is bf16 where the CPU has it, ``quickest`` what
            :func:`quickest` says. It does not tell two spaces of vectors apart: a passage keeps
            a cosine of 0.9999 to float32 in bf16, of 0.999 in int8.
        threads: at most so many; ``None`` for all cores.
    """

    batch_tokens: int = Field(1024, ge=16, le=65_536)
    # One list of choices, so that a message about another value names them all.
    precision: Literal["auto", "quickest", Precision] = "auto"
    threads: int | None = Field(None, ge=1, le=1024)


class OpenVinoEmbedder(LocalEmbedder):
    """Tokenizer and graph are loaded on first use; methods may be called from several threads."""

    def __init__(self, folder: ModelFolder, params: OpenVinoParams) -> None:
        super().__init__(folder, params)
        self._params = params
        self._loading = threading.RLock()
        self._requests = threading.local()

    @property
    def texts_cut(self) -> int:
        return self._encoder.cut if "_encoder" in self.__dict__ else 0

    @property
    def precision(self) -> str:
        wanted = self._precision
        return wanted if _computes(wanted) else f"f32, {wanted} where this CPU has it"

    @property
    def token_vectors(self) -> OpenVinoTokenVectors:
        """Vectors of the tokens in a text, from the same graph."""
        with self._loading:
            return self._token_vectors

    def load(self) -> None:
        """Load what passages need; what questions need besides is loaded by the first one."""
        with self._loading:
            _ = self._encoder, self._high_throughput

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self._card.dimensions), np.float32)
        with self._loading:
            encoder = self._encoder
            compiled = self._low_latency if len(texts) <= FEW_TEXTS else self._high_throughput
        try:
            encoded = encoder.encode(texts)
            if len(texts) <= FEW_TEXTS:
                vectors = self._one_by_one(compiled, encoded)
            else:
                vectors = self._in_batches(compiled, encoded)
        except (RuntimeError, TypeError, ValueError) as exc:
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED,
                f"{self._card.embedder_id} could not embed {len(texts)} texts: {exc}",
                # OpenVINO reports a lack of memory as a RuntimeError; a bad text is a TypeError.
                transient=isinstance(exc, RuntimeError),
            ) from exc
        return normalized(vectors, self._card)

    def _one_by_one(self, compiled: Any, encoded: list[list[int]]) -> NDArray[np.float32]:
        request = getattr(self._requests, "request", None)
        if request is None:
            request = self._requests.request = compiled.create_infer_request()
        vectors = np.empty((len(encoded), self._card.dimensions), np.float32)
        for row, ids in enumerate(encoded):
            request.infer(_padded([ids], len(ids)))
            vectors[row] = request.get_output_tensor(0).data[0]
        return vectors

    def _in_batches(self, compiled: Any, encoded: list[list[int]]) -> NDArray[np.float32]:
        vectors = np.empty((len(encoded), self._card.dimensions), np.float32)
        # Requests without callbacks: a callback needs Python's lock in a thread of OpenVINO, and a
        # thread that drops the graph at that moment holds the lock while it waits for OpenVINO's.
        at_once = compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
        free = [compiled.create_infer_request() for _ in range(at_once)]
        under_way: deque[tuple[Any, list[int]]] = deque()

        def finish_oldest() -> None:
            request, rows = under_way.popleft()
            request.wait()
            vectors[rows] = request.get_output_tensor(0).data
            free.append(request)

        for rows in batches([len(ids) for ids in encoded], self._params.batch_tokens):
            if not free:
                finish_oldest()
            request = free.pop()
            longest = len(encoded[rows[0]])
            request.start_async(_padded([encoded[row] for row in rows], longest))
            under_way.append((request, rows))
        while under_way:
            finish_oldest()
        return vectors

    @cached_property
    def _encoder(self) -> TextEncoder:
        tokenizer = self._folder.path / "tokenizer.json"
        return open_encoder(tokenizer, self._graph.parent, self._card.max_tokens)

    @cached_property
    def _token_vectors(self) -> OpenVinoTokenVectors:
        properties = self._properties("LATENCY")
        return OpenVinoTokenVectors(self._graph, self._card, self._encoder, properties)

    @cached_property
    def _low_latency(self) -> Any:
        return self._compile("LATENCY")

    @cached_property
    def _high_throughput(self) -> Any:
        return self._compile("THROUGHPUT")

    def _compile(self, hint: str) -> Any:
        try:
            return _compile_cached(openvino().Core(), self._graph, self._properties(hint))
        except RuntimeError as exc:
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                f"OpenVINO could not load {self._card.embedder_id}: {exc}",
                hint="Delete the model's folder under models/; it is made again.",
            ) from exc

    @cached_property
    def _graph(self) -> Path:
        return ensure_ir(self._folder, "int8" if self._precision == "int8" else "fp16")

    @cached_property
    def _precision(self) -> Precision:
        match self._params.precision:
            case "auto":
                return "bf16" if _has_bf16() else "f32"
            case "quickest":
                return quickest()
            case precision:
                if not _computes(precision):
                    log.warning("this CPU has no %s and computes in float32", precision)
                return precision

    def _properties(self, hint: str) -> dict[str, Any]:
        properties: dict[str, Any] = {
            "PERFORMANCE_HINT": hint,
            "INFERENCE_PRECISION_HINT": self._precision,
            # Other processes of the library share these cores.
            "ENABLE_CPU_PINNING": False,
        }
        if self._precision == "int8":
            # The precision of all that is no product with weights: attention, norms.
            properties["INFERENCE_PRECISION_HINT"] = "bf16" if _has_bf16() else "f32"
            properties["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = INPUTS_OF_A_SCALE
        if self._params.threads:
            properties["INFERENCE_NUM_THREADS"] = self._params.threads
        return properties


def quickest() -> Precision:
    """The precision this CPU embeds quickest in: bf16 with matrix units for it (AMX), else int8
    where it multiplies that (VNNI), else bf16 where it has that, else float32."""
    import numkong

    if not numkong.get_capabilities()["sapphireamx"] and _has_int8():
        return "int8"
    return "bf16" if _has_bf16() else "f32"


def _computes(precision: Precision) -> bool:
    """Whether this CPU does, where others fall back to float32."""
    match precision:
        case "int8":
            return _has_int8()
        case "bf16":
            return _has_bf16()
        case "f32":
            return True


def _has_int8() -> bool:
    import numkong

    has = numkong.get_capabilities()
    return bool(has["icelake"] or has["alder"])


def _has_bf16() -> bool:
    return "BF16" in openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def batches(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Rows of texts of ``lengths`` tokens in batches of at most ``batch_tokens``, padding
    included, longest first; a longer text stands alone."""
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    found: list[list[int]] = []
    for row in order:
        if found and (len(found[-1]) + 1) * lengths[found[-1][0]] <= batch_tokens:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _padded(encoded: list[list[int]], width: int) -> dict[str, NDArray[np.int64]]:
    ids = np.zeros((len(encoded), width), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def _compile_cached(core: Any, graph: Path, properties: dict[str, Any]) -> Any:
    """Compile, from the cache beside the graph when it was compiled before on this machine.

    Raises RuntimeError.
    """
    key = sha256_text(canonical_json([openvino().get_version(), properties]))[:16]
    cache = graph.parent / f"compiled-{key}"
    # The cache is filled in a folder of its own, so that a killed process leaves none half full.
    filled = cache if cache.exists() else temporary_beside(cache)
    # It holds the compiled graph without the weights, which stay in the graph's file.
    cached = {"CACHE_DIR": str(filled), "CACHE_MODE": "OPTIMIZE_SIZE"}
    try:
        compiled = core.compile_model(graph, "CPU", properties | cached)
        if gives_right_vectors(compiled, graph):
            if filled != cache:
                with contextlib.suppress(OSError):  # another process was first
                    filled.rename(cache)
            return compiled
    except RuntimeError as exc:
        log.warning("%s could not be loaded from its compiled form: %s", graph.parent.name, exc)
    finally:
        if filled != cache:
            shutil.rmtree(filled, ignore_errors=True)
    shutil.rmtree(cache, ignore_errors=True)
    compiled = core.compile_model(graph, "CPU", properties)
    if not gives_right_vectors(compiled, graph):
        raise RuntimeError("its files are damaged: the vectors are not those of its conversion")
    return compiled


def _build(params: OpenVinoParams, *, home: Home) -> OpenVinoEmbedder:
    return OpenVinoEmbedder(ensure_model(params.model, home.models), params)


register("embedder.openvino", version="1", params=OpenVinoParams, build=_build)
