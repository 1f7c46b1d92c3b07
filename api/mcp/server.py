"""The server: what it says about itself, and which module answers which request."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.utils.encoding import force_bytes
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextResourceContents,
)

from accounts.models import ApiKey, Capability
from api.mcp import prompts_and_resources, resources
from api.mcp.principals import PAGE_CAPABILITIES, CallerResolver, RequestContext, check_capability
from api.mcp.protocol_errors import as_logged_error, as_protocol_error
from api.mcp.tools import (
    ask_expert,
    ask_experts,
    fetch,
    get_source,
    list_experts,
    review_text,
    search,
    search_sources,
    walk_tree,
)
from api.mcp.tools.tool import McpTool, McpToolCall, ToolResult, make_error_result
from lexic.database import in_thread
from lexic.http import strict_json
from lexic.version import version
from querying.question.clarifications import RESUME_TOKEN_MAX_AGE

NAME = "lexic"
INSTRUCTIONS = (
    "Lexic answers questions from documents and decision trees that human experts have checked. Call list_experts to "
    "see who can be asked, then ask_expert. Every [Source N] in an answer was verified against the page it names: "
    "keep these marks when you pass an answer on. When an expert refuses, nothing verified was found: say so, and do "
    "not answer from memory instead."
)

# The order in which clients see them.
_ORDER = (ask_expert, ask_experts, review_text, search_sources, get_source, walk_tree, list_experts, search, fetch)
TOOLS: dict[str, McpTool] = {module.TOOL.name: module.TOOL for module in _ORDER}
TOOL_DEFINITIONS = {name: tool.definition() for name, tool in TOOLS.items()}
# Tools and templates are the same for everybody, and change only with a new version of the server.
_LIST_CACHE_HINT = CacheHint(ttl_ms=300_000, scope="public")
# Prompts and resources are the plugins that this key may ask now.
_EXPERTS_CACHE_HINT = CacheHint(ttl_ms=10_000, scope="private")


def build_server(callers: CallerResolver) -> Server[Any]:
    """A server that finds out with `callers` whose call it is. It keeps nothing between two requests."""
    server: Server[Any] = Server(
        NAME,
        title="Lexic",
        version=version(),
        instructions=INSTRUCTIONS,
        website_url=settings.PUBLIC_URL,
        cache_hints={
            "tools/list": _LIST_CACHE_HINT,
            "prompts/list": _EXPERTS_CACHE_HINT,
            "resources/list": _EXPERTS_CACHE_HINT,
            "resources/templates/list": _LIST_CACHE_HINT,
        },
        get_tool_input_schema=lambda name: TOOL_DEFINITIONS[name].input_schema if name in TOOLS else None,
        on_list_tools=_list_tools,
        on_call_tool=_bind_resolver(callers, _call_tool),
        on_list_prompts=_bind_resolver(callers, prompts_and_resources.list_prompts),
        on_get_prompt=_bind_resolver(callers, prompts_and_resources.get_prompt),
        on_completion=_bind_resolver(callers, prompts_and_resources.complete),
        on_list_resources=_bind_resolver(callers, prompts_and_resources.list_resources),
        on_list_resource_templates=_list_templates,
        on_read_resource=_bind_resolver(callers, _read_resource),
    )
    # A client carries state for us between two rounds. It is sealed with keys made of those that sign everything
    # else, so that any process can open it, and bound to the caller who was asked.
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [hashlib.sha256(b"lexic.mcp:" + force_bytes(secret)).digest() for secret in secrets]
    security = RequestStateSecurity(keys=keys, ttl=RESUME_TOKEN_MAX_AGE, bind_principal=callers.principal_id)
    server.middleware.append(RequestStateBoundary(security, default_audience=NAME))
    return server


def capabilities_for(message: Mapping[str, Any]) -> tuple[Capability, ...]:
    """The capabilities of which a key needs one for this message. Empty where it needs none, or where the tool checks
    that itself."""
    params = message.get("params")
    named = params.get("name") if isinstance(params, dict) else None
    if message.get("method") == "tools/call" and isinstance(named, str) and named in TOOLS:
        return TOOLS[named].capabilities
    uri = params.get("uri") if isinstance(params, dict) else None
    reads_page = message.get("method") == "resources/read" and str(uri).startswith(resources.PAGES)
    return PAGE_CAPABILITIES if reads_page else ()


def _bind_resolver(callers: CallerResolver, handler: Callable[..., Any]) -> Callable[[RequestContext, Any], Any]:
    """The handler with its resolver. The blocking work of each request gets a thread of its own."""

    async def handle(context: RequestContext, params: Any) -> Any:
        async with ThreadSensitiveContext():
            return await handler(callers, context, params)

    return handle


async def _list_tools(context: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=list(TOOL_DEFINITIONS.values()))


async def _call_tool(callers: CallerResolver, context: RequestContext, params: CallToolRequestParams) -> ToolResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(code=INVALID_PARAMS, message=f"There is no tool {params.name[:60]!r}.")
    try:
        return await tool.run(await _authorize_call(tool, callers, context, params))
    except Exception as error:
        return make_error_result(as_logged_error(error))


async def _authorize_call(
    tool: McpTool, callers: CallerResolver, context: RequestContext, params: CallToolRequestParams
) -> McpToolCall:
    """Raises what `callers` raises, `MissingCapability` and `InvalidInput`."""
    key = await in_thread(callers.resolve, context)
    check_capability(key, *tool.capabilities)
    strict_json.check_json(params.arguments or {})
    arguments = tool.read(params.arguments or {})
    return McpToolCall(key=key, arguments=arguments, params=params, context=context, callers=callers)


async def _list_templates(
    context: RequestContext, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)


async def _read_resource(
    callers: CallerResolver, context: RequestContext, params: ReadResourceRequestParams
) -> ReadResourceResult:
    try:
        key = await in_thread(callers.resolve, context)
        text = await _resource_text(params.uri, key)
    except Exception as raised:
        raise as_protocol_error(raised, uri=params.uri) from None
    contents = TextResourceContents(uri=params.uri, text=text, mime_type=resources.MIME_TYPE)
    return ReadResourceResult(contents=[contents])


async def _resource_text(uri: str, key: ApiKey) -> str:
    """Raises `UnknownPlugin`, `MissingCapability`, and what `find_source` raises."""
    strict_json.check_json(uri)
    if uri.startswith(resources.EXPERTS):
        check_capability(key, *list_experts.TOOL.capabilities)
        work = await asyncio.to_thread(importlib.import_module, "api.mcp.handlers.expert_listings")
        description: str = await in_thread(work.describe_expert, uri, key=key)
        return description
    sources = await asyncio.to_thread(importlib.import_module, "api.mcp.handlers.sources")
    source = await in_thread(sources.find_source, uri, key=key)
    text: str = source.text
    return text
