"""Rerankers behind HTTP that speak the common `/v1/rerank`: Cohere, Jina, Voyage, vLLM, Infinity and others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from querying.retrieval.rerankers.reranker import Reranker, RerankerFailed

if TYPE_CHECKING:
    import httpx2


class HostedReranker(Reranker):
    """`url` is the whole address, `/v1/rerank` included; `timeout` is in seconds and for everything together."""

    def __init__(self, *, url: str, model: str, key: str = "", timeout: float = 3.0) -> None:
        self.name = f"hosted:{model}"
        self._url = url
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        answer = self._post({"model": self._model, "query": question, "documents": list(texts), "top_n": len(texts)})
        try:
            scores = {int(row["index"]): float(row["relevance_score"]) for row in answer["results"]}
        except (KeyError, TypeError, ValueError) as error:
            raise RerankerFailed("The reranker's answer is not in the form of /v1/rerank.") from error
        if scores.keys() != set(range(len(texts))) or not all(map(math.isfinite, scores.values())):
            raise RerankerFailed("The reranker did not score every text.")
        return [scores[index] for index in range(len(texts))]

    def _post(self, body: Mapping[str, Any]) -> Any:
        import httpx2

        try:
            response = _http_client().post(self._url, json=body, headers=self._headers, timeout=self._timeout)
            response.raise_for_status()
            return response.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            # Not the error's own words: they may hold the address, and with it a key.
            raise RerankerFailed(f"The reranker could not be asked: {type(error).__name__}.") from error


@cache
def _http_client() -> httpx2.Client:
    """One for the process: a new connection would cost more than the scores."""
    import httpx2

    return httpx2.Client(follow_redirects=False)
