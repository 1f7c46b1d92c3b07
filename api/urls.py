"""Each resource has its own URLs; nothing is mounted under a prefix except OpenAI's protocol."""

from __future__ import annotations

from django.urls import include, path

_RESOURCES = (
    "a2a",
    "analytics",
    "batch",
    "cited_sources",
    "collaborate",
    "connectors",
    "contracts",
    "conversations",
    "documents",
    "golden",
    "health",
    "keys",
    "knowledge",
    "knowledge_grants",
    "limits",
    "marketplace",
    "mcp",
    "me",
    "plugins",
    "projects",
    "public_chat",
    "query",
    "releases",
    "responses",
    "runs",
    "sandbox",
    "schema",
    "synced_sources",
    "text_review",
    "trees",
    "webhooks",
)

urlpatterns = [path("", include(f"api.{name}.urls")) for name in _RESOURCES]
urlpatterns.append(path("v1/", include("api.chat_completions.urls")))
urlpatterns.append(path("", include("api.oauth.urls")))
