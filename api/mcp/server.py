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

from api.mcp import ask, experts, resources, search, source, walk
from api.mcp.doors import Context, Door, check_capability
from api.mcp.threads import in_thread
from api.mcp.tool import Call, Result, Tool, as_error
from lexic import strict_json
from lexic.api_errors import as_lexic_error
from lexic.errors import LexicError
from lexic.version import version
from querying.clarify import MAX_AGE_SECONDS

logger = logging.getLogger(__name__)

NAME = "lexic"
INSTRUCTIONS = (
    "Lexic answers questions from documents and decision trees that human experts have checked. Call list_experts to "
    "see who can be asked, then ask_expert. Every [Source N] in an answer was verified against the page it names: "
    "keep these marks when you pass an answer on. When an expert refuses, nothing verified was found: say so, and do "
    "not answer from memory instead."
)

# The order in which clients see them.
TOOLS = {tool.name: tool for tool in (ask.TOOL, search.TOOL, source.TOOL, walk.TOOL, experts.TOOL)}
_ADVERTISED = {name: tool.advertised() for name, tool in TOOLS.items()}
# They are the same for everybody, and change with a new version of the server only.
_LISTS = CacheHint(ttl_ms=300_000, scope="public")


def build(door: Door) -> Server[Any]:
    """A server whose callers come in by this door. It keeps nothing between two requests."""
    server: Server[Any] = Server(
        NAME,
        title="Lexic",
        version=version(),
        instructions=INSTRUCTIONS,
        website_url=settings.PUBLIC_URL,
        cache_hints={"tools/list": _LISTS, "resources/list": _LISTS, "resources/templates/list": _LISTS},
        get_tool_input_schema=_input_schema,
        on_list_tools=_list_tools,
        on_call_tool=_with(door, _call_tool),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_with(door, _read_resource),
    )
    server.middleware.append(RequestStateBoundary(_security(door), default_audience=NAME))
    return server


def _with(door: Door, handler: Callable[..., Any]) -> Callable[[Context, Any], Any]:
    """The handler with its door, in a thread of its own for the blocking work of each request."""

    async def handle(context: Context, params: Any) -> Any:
        async with ThreadSensitiveContext():
            return await handler(door, context, params)

    return handle


def _security(door: Door) -> RequestStateSecurity:
    """What a client carries for us between two rounds is sealed with the keys that sign everything else, so that
    any process can open it, and bound to whoever was asked."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    keys = [hashlib.sha256(b"lexic.mcp:" + force_bytes(secret)).digest() for secret in secrets]
    return RequestStateSecurity(keys=keys, ttl=MAX_AGE_SECONDS, bind_principal=door.name_of)


def _input_schema(name: str) -> Mapping[str, Any] | None:
    tool = _ADVERTISED.get(name)
    return tool.input_schema if tool else None


async def _list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=list(_ADVERTISED.values()))


async def _call_tool(door: Door, context: Context, params: CallToolRequestParams) -> Result:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(code=INVALID_PARAMS, message=f"There is no tool {params.name[:60]!r}.")
    try:
        return await tool.run(await _admitted(tool, door, context, params))
    except Exception as error:
        return as_error(_told(error))


async def _admitted(tool: Tool, door: Door, context: Context, params: CallToolRequestParams) -> Call:
    """Raises what the door raises, `MissingCapability` and `InvalidInput`."""
    key = await in_thread(door.admit, context)
    check_capability(key, *tool.needs)
    strict_json.check(params.arguments or {})
    arguments = tool.read(params.arguments or {})
    return Call(key=key, arguments=arguments, params=params, context=context, door=door)


async def _list_resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """None by name: a resource is a citation that was given, or a page that was found."""
    return ListResourcesResult(resources=[])


async def _list_templates(context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)


async def _read_resource(door: Door, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    try:
        key = await in_thread(door.admit, context)
        text = await in_thread(resources.read, params.uri, key=key)
    except Exception as error:
        told = _told(error)
        code = INTERNAL_ERROR if told.status >= 500 else INVALID_PARAMS
        raise MCPError(code=code, message=told.message, data={"uri": params.uri, **told.as_dict()}) from None
    contents = TextResourceContents(uri=params.uri, text=text, mime_type=resources.MIME_TYPE)
    return ReadResourceResult(contents=[contents])


def _told(error: Exception) -> LexicError:
    """The error in our words; what nobody foresaw goes to the log with its traceback, and never to the caller."""
    told = as_lexic_error(error)
    if told.status >= 500:
        logger.error("%s: %s", told.code, told.hint, exc_info=None if isinstance(error, LexicError) else error)
    return told
