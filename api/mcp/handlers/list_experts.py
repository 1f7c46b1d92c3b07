"""Finds the experts of `list_experts`."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q

from accounts.models import ApiKey
from api.mcp.tools.list_experts import ExpertsArguments
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from lexic.database import in_thread
from plugins.models import Plugin
from querying.sanitize import sanitize

_MAX_WORDS = 10
SEARCHED_COLUMNS = ("name", "slug", "tagline", "description", "domain", "tags")


async def run(call: McpToolCall) -> ToolResult:
    body = await in_thread(find_experts, call.arguments, key=call.key)
    return make_result(body, text=_experts_text(body))


def find_experts(arguments: ExpertsArguments, *, key: ApiKey) -> dict[str, Any]:
    """The experts as JSON, published ones first, by name."""
    plugins = Plugin.objects.discoverable_by(key)
    for word in arguments.query.split()[:_MAX_WORDS]:
        plugins = plugins.filter(Q(*((f"{column}__icontains", word) for column in SEARCHED_COLUMNS), _connector=Q.OR))
    ordered = plugins.order_by(F("is_published").desc(), "name", "pk")
    experts = [
        {
            "slug": plugin.slug,
            # The author's words without markup or control characters: a model reads them.
            **{name: sanitize(getattr(plugin, name)) for name in ("name", "tagline", "domain")},
            "version": plugin.version,
            "published": plugin.is_published,
        }
        for plugin in ordered[: arguments.limit]
    ]
    return {"experts": experts, "total": plugins.count()}


def _experts_text(body: dict[str, Any]) -> str:
    if not body["experts"]:
        return "No expert was found that this key may ask."
    lines = [f"- {one['slug']}: {one['name']} ({one['domain']}) {one['tagline']}".strip() for one in body["experts"]]
    if more := body["total"] - len(body["experts"]):
        lines.append(f"And {more} more: search for words.")
    return "\n".join(lines)
