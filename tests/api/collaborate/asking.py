"""How these tests ask, and what must hold for every citation that comes back."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

from knowledge.models import Document, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying.json_format import cited_page_id


def post(secret: str, path: str, body: dict[str, Any], **headers: Any) -> Any:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client.post(f"/api/v1/{path}", body, format="json", **headers)


def collaborate(secret: str, *, query: str, experts: Any = ("cover", "harbour"), **more: Any) -> Any:
    return post(secret, "collaborate", {"experts": list(experts), "query": query, **more})


def held(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    body: dict[str, Any] = response.json()
    return body


def assert_error(response: Any, status: int, code: str) -> dict[str, Any]:
    assert (response.status_code, response.json().get("code")) == (status, code), response.content
    body: dict[str, Any] = response.json()
    assert set(body) == {"error", "code", "hint"}
    return body


def assert_owned(citations: list[dict[str, Any]]) -> None:
    """Each stands letter for letter on its page, which belongs to the plugin that it names."""
    for citation in citations:
        page = Page.objects.get(pk=cited_page_id(citation))
        assert page.text[citation["start"] : citation["end"]] == citation["excerpt"]
        base = own_knowledge_base(Plugin.objects.get(slug=citation["plugin"]))
        assert Document.objects.get(pk=citation["documentId"]).knowledge_base == base
