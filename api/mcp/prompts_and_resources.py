"""Each plugin that a key may ask, as a prompt, as a resource and as the completion of its slug.

The lists differ from key to key, and cost a key nothing. The work is in `calls.expert_listings`, loaded with the first
request.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    PaginatedRequestParams,
    PromptMessage,
    ResourceTemplateReference,
    TextContent,
)

from api.mcp import resources
from api.mcp.principals import CallerResolver, RequestContext, check_capability
from api.mcp.protocol_errors import as_protocol_error
from api.mcp.tools import list_experts
from lexic.database import in_thread
from lexic.http import strict_json


async def list_prompts(
    callers: CallerResolver, context: RequestContext, params: PaginatedRequestParams | None
) -> ListPromptsResult:
    page = await _call("list_prompts", callers, context, after=(params and params.cursor) or "")
    return ListPromptsResult(prompts=page.items, next_cursor=page.next_cursor)


async def list_resources(
    callers: CallerResolver, context: RequestContext, params: PaginatedRequestParams | None
) -> ListResourcesResult:
    page = await _call("list_resources", callers, context, after=(params and params.cursor) or "")
    return ListResourcesResult(resources=page.items, next_cursor=page.next_cursor)


async def get_prompt(
    callers: CallerResolver, context: RequestContext, params: GetPromptRequestParams
) -> GetPromptResult:
    """The question as a message of the user, with the expert to ask."""
    text = await _call("write_prompt", callers, context, slug=params.name, arguments=params.arguments or {})
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])


async def complete(callers: CallerResolver, context: RequestContext, params: CompleteRequestParams) -> CompleteResult:
    """The slugs that have the typed letters, for the address of an expert. Nothing else can be completed."""
    is_slug = isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == resources.EXPERT_TEMPLATE
    if not is_slug or params.argument.name != "expert":
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    slugs, total = await _call("complete_slug", callers, context, typed=params.argument.value)
    return CompleteResult(completion=Completion(values=slugs, total=total, has_more=total > len(slugs)))


async def _call(name: str, callers: CallerResolver, context: RequestContext, **given: Any) -> Any:
    """What this function of `calls.expert_listings` gives for the key of the request. Raises `MCPError`."""
    try:
        strict_json.check_json(given)
        key = await in_thread(callers.look_up, context)
        check_capability(key, *list_experts.TOOL.capabilities)
        work = await asyncio.to_thread(importlib.import_module, "api.mcp.handlers.expert_listings")
        return await in_thread(getattr(work, name), key=key, **given)
    except Exception as raised:
        raise as_protocol_error(raised) from None
