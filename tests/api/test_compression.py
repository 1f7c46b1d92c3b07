"""JSON of the API is compressed for those who ask for it, and nothing that a page with cookies could be guessed by."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from plugins.models import Plugin
from tests.api.callers import by_key, signed_in
from tests.api.chat_completions.asking import WEATHER, client_of

pytestmark = pytest.mark.django_db

QUESTION = {"plugin": "cover", "query": WEATHER}


def ask(key: str, encoding: str, **more: Any) -> Any:
    return client_of(key).post("/api/v1/query", {**QUESTION, **more}, format="json", HTTP_ACCEPT_ENCODING=encoding)


def test_an_answer_is_compressed_for_those_who_accept_it(published: Plugin, key: str) -> None:
    plain, packed = ask(key, "identity"), ask(key, "gzip, deflate")
    assert not plain.has_header("Content-Encoding")
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert json.loads(gzip.decompress(packed.content))["answer"] == plain.json()["answer"]
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)


def test_a_stream_is_not_compressed(published: Plugin, key: str) -> None:
    assert not ask(key, "gzip", stream=True).has_header("Content-Encoding")


def test_an_answer_to_a_request_with_cookies_is_not(published: Plugin, alice: User) -> None:
    response = signed_in(alice).get("/api/plugins/cover", HTTP_ACCEPT_ENCODING="gzip")
    assert response.status_code == 200
    assert not response.has_header("Content-Encoding")


@pytest.mark.parametrize("url", ["/", "/docs/api"])
def test_a_page_is_not(published: Plugin, url: str) -> None:
    assert not Client().get(url, HTTP_ACCEPT_ENCODING="gzip").has_header("Content-Encoding")


def test_the_tag_of_a_compressed_answer_still_names_the_version(published: Plugin, alice: User) -> None:
    client = by_key(alice)
    tag = client.get("/api/plugins/cover", HTTP_ACCEPT_ENCODING="gzip")["ETag"]
    assert tag.startswith("W/")
    assert client.get("/api/plugins/cover", HTTP_IF_NONE_MATCH=tag).status_code == 304
    changed = client.patch("/api/plugins/cover", {"tagline": "x"}, format="json", HTTP_IF_MATCH=tag)
    assert changed.status_code == 200
    again = client.patch("/api/plugins/cover", {"tagline": "y"}, format="json", HTTP_IF_MATCH=tag)
    assert again.status_code == 412


def test_the_description_of_the_api_is_compressed() -> None:
    response = Client().get("/api/schema", HTTP_ACCEPT_ENCODING="gzip")
    assert response["Content-Encoding"] == "gzip"
    assert "paths" in json.loads(gzip.decompress(response.content))
