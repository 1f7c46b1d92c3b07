"""The server: what it says of itself, and which of our modules answers what."""

from __future__ import annotations

import hashlib
import logging
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
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextResourceContents,
)

from api.mcp import resources
from api.mcp.principals import CallerResolver, RequestContext, check_capability
from api.mcp.threads import in_thread
from api.mcp.tools import ask_expert, get_source, list_experts, search_sources, walk_tree
from api.mcp.tools.tool import Tool, ToolCall, ToolResult, make_error_result
from lexic.errors import LexicError
from lexic.http import strict_json
from lexic.http.error_handlers import to_lexic_error
from lexic.version import version
from querying.question.clarifications import RESUME_TOKEN_MAX_AGE

logger = logging.getLogger(__name__)

NAME = "lexic"
INSTRUCTIONS = (
    "Lexic answers questions from documents and decision trees that human experts have checked. Call list_experts to "
    "see who can be asked, then ask_expert. Every [Source N] in an answer was verified against the page it names: "
    "keep these marks when you pass an answer on. When an expert refuses, nothing verified was found: say so, and do "
    "not answer from memory instead."
)

# The order in which clients see them.
TOOLS = {
    tool.name: tool
    for tool in (ask_expert.TOOL, search_sources.TOOL, get_source.TOOL, walk_tree.TOOL, list_experts.TOOL)
}
_TOOL_DEFINITIONS = {name: tool.advertised() for name, tool in TOOLS.items()}
# They are the same for everybody, and change with a new version of the server only.
_LIST_CACHE_HINT = CacheHint(ttl_ms=300_000, scope="public")


def build_server(door: CallerResolver) -> Server[Any]:
    """A server whose callers come in by this door. It keeps nothing between two requests."""
    server: Server[Any] = Server(
        NAME,
        title="Lexic",
        version=version(),
        instructions=INSTRUCTIONS,
        website_url=settings.PUBLIC_URL,
        cache_hints={
            "tools/list": _LIST_CACHE_HINT,
            "resources/list": _LIST_CACHE_HINT,
            "resources/templates/list": _LIST_CACHE_HINT,
        },
        get_tool_input_schema=_input_schema,
        on_list_tools=_list_tools,
        on_call_tool=_bind_resolver(door, _call_tool),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_bind_resolver(door, _read_resource),
    )
    server.middleware.append(RequestStateBoundary(_request_state_security(door), default_audience=NAME))
    return server


def _bind_resolver(door: CallerResolver, handler: Callable[..., Any]) -> Callable[[RequestContext, Any], Any]:
    """The handler with its door, in a thread of its own for the blocking work of each request."""

    async def handle(context: RequestContext, params: Any) -> Any:
        async with ThreadSensitiveContext():
            return await handler(door, context, params)

    return handle


def _request_state_security(door: CallerResolver) -> RequestStateSecurity:
    """What a client carries for us between two rounds is sealed with the keys that sign everything else, so that
    any process can open it, and bound to whoever was asked."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [hashlib.sha256(b"lexic.mcp:" + force_bytes(secret)).digest() for secret in secrets]
    return RequestStateSecurity(keys=keys, ttl=RESUME_TOKEN_MAX_AGE, bind_principal=door.name_of)


def _input_schema(name: str) -> Mapping[str, Any] | None:
    tool = _TOOL_DEFINITIONS.get(name)
    return tool.input_schema if tool else None


async def _list_tools(context: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=list(_TOOL_DEFINITIONS.values()))


async def _call_tool(door: CallerResolver, context: RequestContext, params: CallToolRequestParams) -> ToolResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(code=INVALID_PARAMS, message=f"There is no tool {params.name[:60]!r}.")
    try:
        return await tool.run(await _authorize_call(tool, door, context, params))
    except Exception as error:
        return make_error_result(_as_logged_error(error))


async def _authorize_call(
    tool: Tool, door: CallerResolver, context: RequestContext, params: CallToolRequestParams
) -> ToolCall:
    """Raises what the door raises, `MissingCapability` and `InvalidInput`."""
    key = await in_thread(door.admit, context)
    check_capability(key, *tool.needs)
    strict_json.check_json(params.arguments or {})
    arguments = tool.read(params.arguments or {})
    return ToolCall(key=key, arguments=arguments, params=params, context=context, door=door)


async def _list_resources(context: RequestContext, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """None by name: a resource is a citation that was given, or a page that was found."""
    return ListResourcesResult(resources=[])


async def _list_templates(
    context: RequestContext, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)


async def _read_resource(
    door: CallerResolver, context: RequestContext, params: ReadResourceRequestParams
) -> ReadResourceResult:
    try:
        key = await in_thread(door.admit, context)
        text = await in_thread(resources.read_resource, params.uri, key=key)
    except Exception as error:
        told = _as_logged_error(error)
        code = INTERNAL_ERROR if told.status >= 500 else INVALID_PARAMS
        raise MCPError(code=code, message=told.message, data={"uri": params.uri, **told.as_dict()}) from None
    contents = TextResourceContents(uri=params.uri, text=text, mime_type=resources.MIME_TYPE)
    return ReadResourceResult(contents=[contents])


def _as_logged_error(error: Exception) -> LexicError:
    """The error in our words; what nobody foresaw goes to the log with its traceback, and never to the caller."""
    told = to_lexic_error(error)
    if told.status >= 500:
        logger.error("%s: %s", told.code, told.hint, exc_info=None if isinstance(error, LexicError) else error)
    return told
