"""Reads the text of `get_source`."""

from __future__ import annotations

from typing import Any

from api.mcp.handlers.sources import SourceText, find_source
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from knowledge.code_location import place_as_json
from lexic.database import in_thread


async def run(call: McpToolCall) -> ToolResult:
    arguments = call.arguments
    source = await in_thread(find_source, arguments.source, key=call.key, context_length=arguments.characters)
    text = source.text
    if not source.page_uri:
        text += "\n\nOnly the cited words may be read with this key."
    return make_result(_source_json(source), text=text)


def _source_json(source: SourceText) -> dict[str, Any]:
    can_read_context = bool(source.page_uri)
    fields = {
        "document": source.document,
        "documentId": source.document_id,
        "page": source.page,
        "pageLabel": source.page_label or None,
        "ocr": source.is_ocr or None,
        "section": source.section or None,
        "excerpt": source.excerpt,
        "before": source.before if can_read_context else None,
        "after": source.after if can_read_context else None,
        "standing": source.validity or None,
        "url": source.url,
        "uri": source.page_uri or None,
        **place_as_json(source.file),
    }
    return {name: value for name, value in fields.items() if value is not None}
