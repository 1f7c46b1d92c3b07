"""Handles the MCP tool `fetch`: reads the text of a search result."""

from __future__ import annotations

import json

from api.mcp.handlers.sources import SourceText, find_source
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from lexic.database import in_thread

_CONTEXT_LENGTH = 5000


async def run(call: McpToolCall) -> ToolResult:
    address = call.arguments.id
    source = await in_thread(find_source, address, key=call.key, context_length=_CONTEXT_LENGTH)
    body = {
        "id": address,
        "title": source.place,
        "text": f"{source.before}{source.excerpt}{source.after}",
        "url": source.url,
        "metadata": _metadata(source),
    }
    # Research clients expect the JSON as text.
    return make_result(body, text=json.dumps(body, ensure_ascii=False))


def _metadata(source: SourceText) -> dict[str, str]:
    fields = {
        "document": source.document,
        "documentId": source.document_id,
        "page": source.page_label or str(source.page or ""),
        "section": source.section,
        "standing": source.validity,
    }
    return {name: value for name, value in fields.items() if value}
