"""`/a2a/{plugin}`: a plugin as an agent, and its card at the well-known address below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import ApiKey
from api.a2a import protocol_errors, task_json
from api.a2a.agent_card import agent_card
from api.a2a.jsonrpc import VERSION_HEADER, read_id, read_request, rpc_error
from api.a2a.messages import read_message
from api.a2a.stream import stream_task
from api.a2a.task_list import list_tasks
from api.a2a.tasks import AskedMessage, get_task, save_task
from api.authentication import ApiKeyAuthentication
from api.negotiation import IgnoreAcceptNegotiation
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.throttling import AnonymousThrottle, ApiKeyThrottle
from lexic.database import release_connections
from lexic.errors import InvalidInput, LexicError
from lexic.http.error_handlers import handle_api_exception, to_lexic_error
from plugins.models import Plugin
from querying import pipeline
from querying.presentation import sse
from querying.releases import UnknownPlugin, find_plugin
from querying.types.events import Failed

_CARD_SECONDS = 300


class AgentView(APIView):
    """The JSON-RPC endpoint. An error in a request whose id could be read is a response with the status 200, as clients
    of the protocol expect. An unknown agent, a bad key and a failure of the server also have their HTTP status."""

    authentication_classes = [ApiKeyAuthentication]
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = IgnoreAcceptNegotiation
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]

    @extend_schema(exclude=True)  # the protocol describes it, and the card says where it is
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)
        rpc = read_request(request.data, version=request.headers.get(VERSION_HEADER, ""))
        with release_connections():
            found = find_plugin(plugin, principal=request.auth)
            if rpc.method in _ASKING:
                asked = read_message(rpc.params, plugin=found, key=request.auth)
            else:
                return JsonResponse(rpc.result(_METHODS[rpc.method](rpc.params, found, request.auth)))
        if rpc.method == "SendStreamingMessage":
            return sse.event_stream_response(stream_task(asked, rpc, key=request.auth))
        return JsonResponse(rpc.result(_answer_task(asked, key=request.auth)))

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]
        error = to_lexic_error(exc)
        plain = handle_api_exception(exc, {"request": self.request})  # it logs, and has the headers
        body = rpc_error(error, request_id=self._request_id())
        is_of_http = error.status in (401, 403) or error.status >= 500 or isinstance(error, UnknownPlugin)
        is_answer = body["id"] is not None and not is_of_http
        headers = {name: value for name, value in plain.items() if name != "Content-Type"}
        return JsonResponse(body, status=200 if is_answer else error.status, headers=headers)

    def _request_id(self) -> Any:
        try:
            return read_id(self.request.data)
        except Exception:  # the body may be what is wrong
            return None


class AgentCardView(APIView):
    """For anybody where the plugin is listed; else for keys that may ask it."""

    authentication_classes = [ApiKeyAuthentication]
    permission_classes = [AllowAny]
    throttle_classes = [AnonymousThrottle]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(exclude=True)
    def get(self, request: Request, plugin: str) -> HttpResponseBase:
        listed = Plugin.objects.listed().filter(slug=plugin).first()
        found = listed or _published(plugin, request.auth)
        response = JsonResponse(agent_card(found))
        response["Cache-Control"] = f"{'public' if listed else 'private'}, max-age={_CARD_SECONDS}"
        return response


def _published(slug: str, key: Any) -> Plugin:
    """A plugin that this key alone may know of. Raises `UnknownPlugin`."""
    if not isinstance(key, ApiKey) or not (found := find_plugin(slug, principal=key)).is_published:
        raise UnknownPlugin
    return found


def _answer_task(asked: AskedMessage, *, key: ApiKey) -> dict[str, Any]:
    """The task once it is answered, asks back, or has failed."""
    last = async_to_sync(pipeline.answer)(asked.question)
    if isinstance(last, Failed):
        save_task(asked, key=key, answer=None)
        return {"task": asked.task(status=task_json.failed_status(last, ids=asked.ids))}
    answer, question = last.answer, asked.question
    save_task(asked, key=key, answer=answer)
    task = asked.task(status=task_json.answer_status(answer, question=question, ids=asked.ids))
    if not answer.clarification:
        task["artifacts"] = [task_json.answer_artifact(answer, question=question)]
    return {"task": task}


# --- What is answered without asking ---------------------------------------------------------------------

_Method = Callable[[dict[str, Any], Plugin, ApiKey], dict[str, Any]]


def _get_task(params: dict[str, Any], plugin: Plugin, key: ApiKey) -> dict[str, Any]:
    length = params.get("historyLength")
    return task_json.stored_task(get_task(_read_task_id(params), plugin=plugin, key=key), history=length != 0)


def _cancel_task(params: dict[str, Any], plugin: Plugin, key: ApiKey) -> dict[str, Any]:
    task = get_task(_read_task_id(params), plugin=plugin, key=key)
    if not task.waits_for_input:
        raise protocol_errors.TaskNotCancelable
    task.is_cancelled = True
    task.save(update_fields=["is_cancelled"])
    return task_json.stored_task(task)


def _subscribe(params: dict[str, Any], plugin: Plugin, key: ApiKey) -> dict[str, Any]:
    get_task(_read_task_id(params), plugin=plugin, key=key)
    raise protocol_errors.UnsupportedOperation(
        "Nothing is being done for this task.", hint="GetTask says how it stands."
    )


def _refuse(error: type[LexicError]) -> _Method:
    def refuse(params: dict[str, Any], plugin: Plugin, key: ApiKey) -> dict[str, Any]:
        raise error

    return refuse


def _read_task_id(params: dict[str, Any]) -> str:
    if not isinstance(params.get("id"), str):
        raise InvalidInput("id is missing.", hint="It is the task's.", param="id")
    found: str = params["id"]
    return found


_ASKING = ("SendMessage", "SendStreamingMessage")
_PUSH = ("Create", "Get", "Delete")
_METHODS: dict[str, _Method] = {
    "GetTask": _get_task,
    "CancelTask": _cancel_task,
    "SubscribeToTask": _subscribe,
    "ListTasks": lambda params, plugin, key: list_tasks(params, plugin=plugin, key=key),
    "GetExtendedAgentCard": _refuse(protocol_errors.NoExtendedCard),
    "ListTaskPushNotificationConfigs": _refuse(protocol_errors.PushNotSupported),
    **{f"{verb}TaskPushNotificationConfig": _refuse(protocol_errors.PushNotSupported) for verb in _PUSH},
}
