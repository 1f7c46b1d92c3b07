from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from knowledge.embedders import (
    EmbedderRejected,
    EmbedderUnavailable,
    OpenAIEmbedder,
    ServerEmbedder,
    UnknownEmbedder,
    clear_embedders,
    get_embedder,
)
from tests.openai_stub import Drop, Garbage, OpenAIStub, Sleep, Status, Vectors, vector_of

AT_ONCE = {"Retry-After": "0.01"}
KEY = "sk-very-secret-key"


@pytest.fixture
def stub(settings) -> Iterator[OpenAIStub]:
    with OpenAIStub() as stub:
        settings.OPENAI_API_KEY = KEY
        settings.OPENAI_BASE_URL = stub.base_url
        yield stub
        clear_embedders()


@pytest.fixture
def small() -> OpenAIEmbedder:
    """Fifteen dimensions, to keep the tests quick, and no second try, to keep them exact."""
    return OpenAIEmbedder("openai:text-embedding-3-small:15", max_retries=0)


def test_vectors_come_back_in_order_as_unit_rows(stub):
    vectors = OpenAIEmbedder().embed(["one", "two"])
    assert vectors.shape == (2, 1536)
    np.testing.assert_allclose(vectors, [vector_of("one"), vector_of("two")], atol=1e-6)


def test_the_request_carries_model_and_key(stub):
    OpenAIEmbedder().embed(["one"])
    assert stub.calls[0].path == "/v1/embeddings"
    assert stub.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert stub.bodies == [{"model": "text-embedding-3-small", "input": ["one"], "encoding_format": "base64"}]


def test_lx_037_dimensions_in_the_name_are_asked_for(stub, small):
    assert small.embed(["one"]).shape == (1, 15)
    assert stub.bodies[0]["dimensions"] == 15


def test_a_models_own_dimensions_need_not_be_asked_for(stub):
    OpenAIEmbedder("openai:text-embedding-3-small:1536").embed(["one"])
    assert "dimensions" not in stub.bodies[0]


def test_pk_031_a_model_of_one_length_is_asked_again_without_dimensions(stub):
    stub.knows_dimensions, stub.dimensions = False, 7
    embedder = OpenAIEmbedder("openai:bge-tiny:7")
    assert embedder.embed(["one"]).shape == (1, 7)
    embedder.embed(["two"])
    assert ["dimensions" in body for body in stub.bodies] == [True, False, False]


def test_texts_go_in_batches_of_128(stub, small):
    small.embed([f"text {number}" for number in range(300)])
    assert [len(body["input"]) for body in stub.bodies] == [128, 128, 44]


def test_long_texts_go_in_smaller_batches(stub, small):
    small.embed(["x" * 90_000] * 7)
    assert [len(body["input"]) for body in stub.bodies] == [3, 3, 1]


def test_empty_texts_are_sent_as_a_space(stub, small):
    assert small.embed(["", "one"]).shape == (2, 15)
    assert stub.bodies[0]["input"] == [" ", "one"]


def test_pk_030_a_vector_of_the_wrong_length_is_rejected_at_once(stub, small):
    stub.script = [Vectors([[0.5] * 12])]
    with pytest.raises(EmbedderRejected, match="of 15 dimensions, and returned 12"):
        small.embed(["one"])
    assert len(stub.calls) == 1


def test_a_missing_vector_is_rejected(stub, small):
    stub.script = [Vectors([[0.5] * 15])]
    with pytest.raises(EmbedderRejected, match="1 vectors for 2 texts"):
        small.embed(["one", "two"])


def test_vectors_of_nan_are_rejected(stub, small):
    stub.script = [Vectors([[float("nan")] * 15])]
    with pytest.raises(EmbedderRejected, match="not finite"):
        small.embed(["one"])


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_a_failure_that_may_pass_can_be_retried(stub, small, status):
    stub.script = [Status(status)]
    with pytest.raises(EmbedderUnavailable) as caught:
        small.embed(["one"])
    assert caught.value.retryable
    assert caught.value.status == 503


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_cannot_be_retried(stub, status):
    stub.script = [Status(status)]
    with pytest.raises(EmbedderRejected) as caught:
        OpenAIEmbedder().embed(["one"])
    assert not caught.value.retryable
    assert len(stub.calls) == 1


def test_an_account_without_credit_is_not_asked_again_and_again(stub, small):
    stub.script = [Status(429, code="insufficient_quota")]
    with pytest.raises(EmbedderRejected, match="no credit"):
        small.embed(["one"])


@pytest.mark.parametrize("failure", [Drop(), Garbage(), Garbage(b"<html>", "text/html"), Garbage(b'{"data": 5}')])
def test_an_unreadable_answer_is_a_failure_that_may_pass(stub, small, failure):
    stub.script = [failure]
    with pytest.raises(EmbedderUnavailable):
        small.embed(["one"])


@pytest.mark.parametrize(
    "content",
    [b"[]", b"null", b"{}", b'{"data": []}', b'{"data": [{"embedding": "AAA"}]}', b'{"data": [{}]}', b"5"],
)
def test_any_body_that_is_no_answer_is_an_embedder_error(stub, small, content):
    stub.script = [Garbage(content)]
    with pytest.raises((EmbedderUnavailable, EmbedderRejected)):
        small.embed(["one"])


def test_a_server_that_does_not_answer_in_time_is_unavailable(stub):
    stub.script = [Sleep(30)]
    with pytest.raises(EmbedderUnavailable, match="in time"):
        OpenAIEmbedder("openai", timeout=0.1, max_retries=0).embed(["one"])


def test_a_server_that_is_not_there_is_unavailable(settings, small):
    settings.OPENAI_API_KEY = KEY
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        small.embed(["one"])


def test_short_failures_are_retried_without_anyone_noticing(stub):
    stub.script = [Status(429, headers=AT_ONCE), Status(500, headers=AT_ONCE)]
    assert OpenAIEmbedder().embed(["one"]).shape == (1, 1536)
    assert len(stub.calls) == 3


def test_two_retries_are_enough(stub):
    stub.script = [Status(429, headers=AT_ONCE)] * 4
    with pytest.raises(EmbedderUnavailable):
        OpenAIEmbedder().embed(["one"])
    assert len(stub.calls) == 3


@pytest.mark.parametrize("wait", ["60", "Wed, 21 Oct 2035 07:28:00 GMT"])
def test_a_long_wait_is_left_to_the_caller(stub, wait):
    stub.script = [Status(429, headers={"Retry-After": wait})]
    with pytest.raises(EmbedderUnavailable):
        OpenAIEmbedder().embed(["one"])
    assert len(stub.calls) == 1


@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_error_shows_the_key(stub, small, status):
    stub.script = [Status(status, message=f"Incorrect API key provided: {KEY}")]
    with pytest.raises((EmbedderRejected, EmbedderUnavailable)) as caught:
        small.embed(["one"])
    assert KEY not in str(caught.value.as_dict())


def test_without_a_key_the_error_says_what_to_set(settings):
    settings.OPENAI_API_KEY = ""
    with pytest.raises(EmbedderRejected, match="needs an API key") as caught:
        OpenAIEmbedder().embed(["one"])
    assert "OPENAI_API_KEY" in caught.value.hint
    assert caught.value.code == "embedder_key_missing"


def test_an_empty_base_url_in_the_environment_is_no_base_url(settings, monkeypatch):
    monkeypatch.setitem(os.environ, "OPENAI_BASE_URL", "")
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = KEY, None
    assert str(OpenAIEmbedder()._client().base_url) == "https://api.openai.com/v1/"


@pytest.mark.parametrize(
    ("name", "model", "dimensions"),
    [
        ("openai", "text-embedding-3-small", 1536),
        ("openai:", "text-embedding-3-small", 1536),
        ("openai:text-embedding-3-large", "text-embedding-3-large", 3072),
        ("openai:text-embedding-3-large:1024", "text-embedding-3-large", 1024),
        ("openai:bge-m3:latest:1024", "bge-m3:latest", 1024),
        ("openai:org/model:4000", "org/model", 4000),
    ],
)
def test_a_name_says_model_and_dimensions(name, model, dimensions):
    embedder = get_embedder(name)
    assert isinstance(embedder, OpenAIEmbedder)
    assert (embedder.name, embedder.model, embedder.dimensions) == (name, model, dimensions)


@pytest.mark.parametrize(
    "name",
    ["openai:mystery", "openai:mystery:4001", "openai:mystery:0", "openai:mystery:x", "openai:m:" + "9" * 30],
)
def test_unknown_or_impossible_dimensions_are_refused_at_construction(name):
    with pytest.raises(UnknownEmbedder):
        get_embedder(name)


# --- A server of embeddings on one's own network ------------------------------------------------------------------


@pytest.fixture
def server(settings) -> Iterator[OpenAIStub]:
    """No key is set anywhere; the stub refuses what a server of one length would."""
    with OpenAIStub() as stub:
        settings.OPENAI_API_KEY = ""
        settings.EMBEDDING_SERVER_URL = stub.base_url
        stub.dimensions, stub.knows_dimensions = 1024, False
        yield stub
        clear_embedders()


def test_jl_016_ollama_and_tei_are_asked_without_a_key_for_as_many_texts_as_they_take(server):
    vectors = get_embedder("server:bge-m3:1024").embed([f"text {number}" for number in range(40)])
    assert vectors.shape == (40, 1024)
    np.testing.assert_allclose(vectors[39], vector_of("text 39", dimensions=1024), atol=1e-6)
    assert [len(body["input"]) for body in server.bodies] == [32, 8]
    assert {body["model"] for body in server.bodies} == {"bge-m3"}
    assert all("dimensions" not in body for body in server.bodies)


def test_jl_016_the_other_server_goes_on_with_the_same_vectors(server, settings):
    before = get_embedder("server:bge-m3:1024").embed_one("cover")
    with OpenAIStub() as other:
        other.dimensions = 1024
        settings.EMBEDDING_SERVER_URL = other.base_url
        clear_embedders()
        np.testing.assert_array_equal(get_embedder("server:bge-m3:1024").embed_one("cover"), before)
        assert len(other.calls) == 1


@pytest.mark.parametrize("name", ["server", "server:bge-m3", "server::"])
def test_a_server_has_no_model_of_its_own(name):
    with pytest.raises(UnknownEmbedder) as caught:
        get_embedder(name)
    assert "server:bge-m3:1024" in caught.value.hint


def test_a_model_that_the_server_has_not_is_refused_in_its_words(server):
    server.script = [Status(404, message='model "bge-m3" not found, try pulling it first')]
    with pytest.raises(EmbedderRejected, match="try pulling it first"):
        ServerEmbedder("server:bge-m3:1024", max_retries=0).embed(["one"])


def test_a_server_that_wants_a_key_is_said_to(server):
    server.script = [Status(401)]
    with pytest.raises(EmbedderRejected) as caught:
        ServerEmbedder("server:bge-m3:1024", max_retries=0).embed(["one"])
    assert caught.value.hint == "Check EMBEDDING_URL, and that the server asks for no key."
