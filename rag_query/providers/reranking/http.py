"""``reranker.http``: a reranking service as Cohere, Jina and many local servers offer it.

``POST {base_url}/rerank``. The services differ in names only:

| ``protocol`` | body | answer |
|---|---|---|
| ``cohere`` (Cohere, Jina, vLLM, …) | ``model``, ``query``, ``documents``, ``top_n`` | \
``{"results": [{"index", "relevance_score"}, …]}`` |
| ``tei`` (Text Embeddings Inference) | ``query``, ``texts``, ``truncate`` | \
``[{"index", "score"}, …]`` |

Either answer is understood whichever was asked. The key comes from the environment only. Whatever
goes wrong, the fused order stands (``retrieval/rerank.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.http import BaseUrl
from rag_query.providers.json_client import JsonClient
from rag_query.providers.keys import bearer
from rag_query.providers.registry import Params, register
from rag_query.providers.reranking.base import Passage


class HttpParams(Params):
    """Parameters of ``reranker.http``."""

    base_url: BaseUrl
    model: str = Field(min_length=1, description="tei serves one model, and is not sent its name")
    protocol: Literal["cohere", "tei"] = "cohere"
    api_key_env: str = Field("", description="environment variable with the key; empty for none")
    timeout_s: float = Field(4.0, gt=0, le=600, description="of the request")
    max_retries: int = Field(0, ge=0, le=5, description="within the query's time limit")


class HttpReranker:
    """See :class:`rag_query.providers.reranking.base.Reranker`."""

    active = True

    def __init__(self, params: HttpParams, client: JsonClient) -> None:
        self._params = params
        self._client = client

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        """The service's relevance scores, in the order of the passages.

        Raises:
            ExcerptaError: the service failed, or left a passage without a score
                (``PROVIDER_UNAVAILABLE``).
        """
        texts = [passage.text for passage in passages]
        body: dict[str, Any]
        if self._params.protocol == "tei":
            body = {"query": query, "texts": texts, "truncate": True}
        else:
            body = {
                "model": self._params.model,
                "query": query,
                "documents": texts,
                "top_n": len(texts),
            }
        url = f"{self._params.base_url}/rerank"
        answer = self._client.post_any(url, body, (dict, list))
        try:
            return _scores(answer, len(passages))
        except (KeyError, TypeError, ValueError) as exc:
            raise ExcerptaError(
                ErrorCode.PROVIDER_UNAVAILABLE,
                f"{self._params.model} did not score every passage exactly once.",
                transient=True,
            ) from exc


def _scores(answer: Any, passages: int) -> list[float]:
    """Raises KeyError, TypeError or ValueError for an answer of another shape."""
    results = answer if isinstance(answer, list) else answer["results"]
    scores = {
        int(found["index"]): float(found["score"] if "score" in found else found["relevance_score"])
        for found in results
    }
    if len(results) != passages:
        raise ValueError("another number of results")
    return [scores[index] for index in range(passages)]


def _build(params: HttpParams) -> HttpReranker:
    client = JsonClient(
        params.model,
        bearer(params.api_key_env),
        timeout_s=params.timeout_s,
        max_retries=params.max_retries,
    )
    return HttpReranker(params, client)


register("reranker.http", version="1", params=HttpParams, build=_build)
