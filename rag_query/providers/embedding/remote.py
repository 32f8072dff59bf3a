"""``embedder.openai_compatible`` and ``embedder.ollama``: models behind HTTP.

A key comes from the environment only and is never part of a strategy, a profile or a message.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.providers.embedding.folder import ANY_LANGUAGE
from rag_query.providers.embedding.vectors import normalized
from rag_query.providers.http import BaseUrl
from rag_query.providers.json_client import JsonClient, Retries
from rag_query.providers.keys import bearer
from rag_query.providers.registry import Params, register
from rag_query.text.ids import profile_id


class RemoteParams(Params):
    """What a service does not say of its model, and how it is called.

    Attributes:
        revision: change it when the service has other weights under the same name; it is part of
            the embedding space.
        price: runs then name what they cost; services do not say what they charge.
    """

    model: str = Field(min_length=1)
    dimensions: int = Field(ge=1, le=65_536, description="width of the model's vectors")
    max_tokens: int = Field(8192, ge=8, le=1_000_000, description="longer texts the service cuts")
    query_prefix: str = ""
    passage_prefix: str = ""
    languages: tuple[str, ...] = ANY_LANGUAGE
    revision: str = ""
    batch_size: int = Field(64, ge=1, le=2048, description="texts of one request")
    parallel: int = Field(4, ge=1, le=64, description="requests at once of documents' texts")
    price: float | None = Field(
        None, ge=0, description="of a million tokens, in a currency of one's choice"
    )
    timeout_s: float = Field(60.0, gt=0, le=3600)
    query_timeout_s: float = Field(
        60.0,
        gt=0,
        le=3600,
        description="of questions, all tries together, for someone waits; less than a service "
        "takes to load its model may keep it from ever loading it",
    )
    max_retries: int = Field(2, ge=0, le=10)


class OpenAiParams(RemoteParams):
    """Parameters of ``embedder.openai_compatible``."""

    base_url: BaseUrl = "https://api.openai.com/v1"
    api_key_env: str = Field("OPENAI_API_KEY", description="environment variable with the key")
    send_dimensions: bool = Field(False, description="ask the service to shorten its vectors")
    query_input_type: str | None = Field(
        None, description="`input_type` of questions, for services that know one"
    )
    passage_input_type: str | None = None


class OllamaParams(RemoteParams):
    """Parameters of ``embedder.ollama``."""

    base_url: BaseUrl = "http://127.0.0.1:11434"
    #: One machine is no faster for being asked several things at once.
    parallel: int = Field(1, ge=1, le=64, description="requests at once of documents' texts")


class _Wire(Protocol):
    """How a service is asked, and where its answer holds the vectors."""

    def request(self, texts: Sequence[str], *, question: bool) -> tuple[str, dict[str, Any]]:
        """URL and body."""
        ...

    def vectors(self, answer: dict[str, Any]) -> list[Any]:
        """One a text, in order. Raises KeyError, TypeError or ValueError."""
        ...

    def profile(self) -> dict[str, Any]:
        """What else of its parameters decides the vectors; those left as they are go unnamed."""
        ...


class RemoteEmbedder(Embedder):
    """An embedder behind HTTP; methods may be called from several threads."""

    def __init__(self, params: RemoteParams, wire: _Wire, client: JsonClient) -> None:
        self._params = params
        self._wire = wire
        self._client = client
        self._card = ModelCard(
            embedder_id=params.model,
            embedder_version=profile_id(
                {
                    "model": params.model,
                    "revision": params.revision,
                    "query_prefix": params.query_prefix,
                    "passage_prefix": params.passage_prefix,
                    "max_tokens": params.max_tokens,
                    "wire": type(wire).__name__,
                    **wire.profile(),
                }
            ),
            dimensions=params.dimensions,
            max_tokens=params.max_tokens,
            languages=params.languages,
            query_prefix=params.query_prefix,
            passage_prefix=params.passage_prefix,
        )

    @property
    def card(self) -> ModelCard:
        return self._card

    @property
    def request_texts(self) -> int:
        return self._params.batch_size

    @property
    def parallel(self) -> int:
        return self._params.parallel

    @property
    def price(self) -> float | None:
        return self._params.price

    @property
    def retries(self) -> Retries:
        return self._client.retries

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._card.passage_prefix + text for text in texts], question=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._card.query_prefix + text for text in texts], question=True)

    def _embed(self, texts: list[str], *, question: bool) -> NDArray[np.float32]:
        parts = [np.empty((0, self._card.dimensions), np.float32)]
        size = self._params.batch_size
        for first in range(0, len(texts), size):
            batch = texts[first : first + size]
            url, body = self._wire.request(batch, question=question)
            deadline_s = self._params.query_timeout_s if question else None
            answer = self._client.post(url, body, deadline_s=deadline_s)
            parts.append(normalized(self._matrix(answer, len(batch)), self._card))
        return np.concatenate(parts)

    def _matrix(self, answer: dict[str, Any], count: int) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(self._wire.vectors(answer), np.float32)
        except (KeyError, TypeError, ValueError) as exc:
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED,
                f"{self._card.embedder_id} answered in an unknown form: {exc!r}",
                details={"error_type": "invalid_answer"},
            ) from exc
        if len(vectors) != count:
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED,
                f"{self._card.embedder_id} gave {len(vectors)} vectors for {count} texts.",
                details={"error_type": "invalid_answer"},
            )
        return vectors


class OpenAiWire:
    """``POST /embeddings`` of OpenAI's API."""

    def __init__(self, params: OpenAiParams) -> None:
        self._params = params

    def request(self, texts: Sequence[str], *, question: bool) -> tuple[str, dict[str, Any]]:
        params = self._params
        body: dict[str, Any] = {
            "model": params.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if params.send_dimensions:
            body["dimensions"] = params.dimensions
        kind = params.query_input_type if question else params.passage_input_type
        if kind is not None:
            body["input_type"] = kind
        return f"{params.base_url}/embeddings", body

    def vectors(self, answer: dict[str, Any]) -> list[Any]:
        data = sorted(answer["data"], key=lambda item: item["index"])
        if [item["index"] for item in data] != list(range(len(data))):
            raise ValueError("indices do not count the texts")
        return [item["embedding"] for item in data]

    def profile(self) -> dict[str, Any]:
        given = self._params.model_dump(include={"query_input_type", "passage_input_type"})
        return {name: value for name, value in given.items() if value is not None}


class OllamaWire:
    """``POST /api/embed`` of Ollama."""

    def __init__(self, params: OllamaParams) -> None:
        self._params = params

    def request(self, texts: Sequence[str], *, question: bool) -> tuple[str, dict[str, Any]]:  # noqa: ARG002
        body = {"model": self._params.model, "input": list(texts), "truncate": True}
        return f"{self._params.base_url}/api/embed", body

    def vectors(self, answer: dict[str, Any]) -> list[Any]:
        return list(answer["embeddings"])

    def profile(self) -> dict[str, Any]:
        return {}


def _client(
    params: RemoteParams, headers: dict[str, str], sleep: Callable[[float], None]
) -> JsonClient:
    return JsonClient(
        f"The embedding service of {params.model}",
        headers,
        timeout_s=params.timeout_s,
        max_retries=params.max_retries,
        sleep=sleep,
    )


def _build_openai(
    params: OpenAiParams,
    *,
    home: Home | None = None,  # noqa: ARG001
    sleep: Callable[[float], None] = time.sleep,
) -> RemoteEmbedder:
    client = _client(params, bearer(params.api_key_env), sleep)
    return RemoteEmbedder(params, OpenAiWire(params), client)


def _build_ollama(
    params: OllamaParams,
    *,
    home: Home | None = None,  # noqa: ARG001
    sleep: Callable[[float], None] = time.sleep,
) -> RemoteEmbedder:
    return RemoteEmbedder(params, OllamaWire(params), _client(params, {}, sleep))


register(
    "embedder.openai_compatible",
    version="1",
    params=OpenAiParams,
    build=_build_openai,
    has_tokens=False,
)
register("embedder.ollama", version="1", params=OllamaParams, build=_build_ollama, has_tokens=False)
