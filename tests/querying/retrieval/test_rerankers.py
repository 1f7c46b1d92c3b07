from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from querying.retrieval import rerankers
from querying.retrieval.rerankers import RerankerFailed
from querying.retrieval.rerankers.hosted import HostedReranker

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class Stub(ThreadingHTTPServer):
    """Speaks /v1/rerank on a free local port. `answer` makes a status and a body of a request's body."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Answer = scored(by=len)
        self.calls: list[tuple[str, str, dict[str, Any]]] = []  # path, authorisation, body
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/rerank"


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls.append((self.path, self.headers.get("Authorization", ""), body))
        status, content = self.server.answer(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def scored(*, by: Callable[[str], float]) -> Answer:
    """Best first, as services do."""

    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        rows = [{"index": at, "relevance_score": by(text)} for at, text in enumerate(body["documents"])]
        rows.sort(key=lambda row: -row["relevance_score"])
        return 200, json.dumps({"id": "x", "results": rows}).encode()

    return answer


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.released.set()
        server.shutdown()


@pytest.fixture
def configured(stub: Stub, settings: Any) -> Stub:
    settings.LEXIC_RERANK_URL = stub.url
    settings.LEXIC_RERANK_MODEL = "judge-1"
    settings.LEXIC_RERANK_KEY = "secret"
    return stub


def test_scores_come_in_the_order_of_the_texts(stub: Stub) -> None:
    reranker = HostedReranker(url=stub.url, model="judge-1", key="secret")
    assert reranker.rerank("How long?", ["aa", "a", "aaa"]) == [2, 1, 3]
    body = {"model": "judge-1", "query": "How long?", "documents": ["aa", "a", "aaa"], "top_n": 3}
    assert stub.calls == [("/v1/rerank", "Bearer secret", body)]


def test_without_a_key_nothing_is_authorised(stub: Stub) -> None:
    HostedReranker(url=stub.url, model="judge-1").rerank("How long?", ["a"])
    assert stub.calls[0][1] == ""


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (500, b"{}"),
        (401, b'{"message": "invalid key"}'),
        (302, b""),
        (200, b"no json"),
        (200, b"[]"),
        (200, b"{}"),
        (200, b'{"results": [{"index": 0, "relevance_score": 0.5}]}'),
        (200, b'{"results": [{"index": 0, "relevance_score": 1}, {"index": 7, "relevance_score": 1}]}'),
        (200, b'{"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": NaN}]}'),
        (200, b'{"results": [{"index": 0, "relevance_score": null}, {"index": 1, "relevance_score": 1}]}'),
    ],
)
def test_an_unusable_answer_is_an_error_and_no_opinion(configured: Stub, status: int, content: bytes) -> None:
    configured.answer = lambda body: (status, content)
    with pytest.raises(RerankerFailed):
        HostedReranker(url=configured.url, model="judge-1").rerank("How long?", ["a", "b"])
    assert rerankers.rerank_scores("How long?", ["a", "b"]) is None


def test_a_reranker_that_does_not_answer_is_given_up(configured: Stub, settings: Any) -> None:
    settings.LEXIC_RERANK_TIMEOUT = 0.2

    def silent(body: dict[str, Any]) -> tuple[int, bytes]:
        configured.released.wait(20)
        return 200, b"{}"

    configured.answer = silent
    assert rerankers.rerank_scores("How long?", ["a"]) is None


def test_nobody_there_is_no_opinion_and_is_logged_without_the_address(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LEXIC_RERANK_URL = "http://127.0.0.1:9/v1/rerank?key=secret"
    assert rerankers.rerank_scores("How long?", ["a"]) is None
    assert "could not be asked" in caplog.text
    assert "key=secret" not in caplog.text


def test_log_odds_become_shares_in_the_same_order(configured: Stub) -> None:
    configured.answer = scored(by=lambda text: len(text) - 2)
    found = rerankers.rerank_scores("How long?", ["aaaa", "a", "aa"])
    assert found == pytest.approx([0.8808, 0.2689, 0.5], abs=1e-3)


def test_without_a_reranker_nobody_is_asked(stub: Stub) -> None:
    assert rerankers.get_reranker() is None
    assert rerankers.rerank_scores("How long?", ["a"]) is None
    assert stub.calls == []
