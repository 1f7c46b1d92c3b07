"""`POST /api/sandbox/{plugin}`: a question to the draft, or to a release, by those who work on the plugin.

The events are those of `POST /api/v1/query`, and a last one, `details`, with what only they may see.
"""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Principal, User
from api.fields import validated
from api.plugins.lookup import get_plugin
from api.query.questions import make_caller, make_options, make_question
from api.releases.views import get_release
from api.sandbox.serializers import SANDBOX_EVENT, DetailsSerializer, SandboxAnswerSerializer, SandboxSerializer
from api.views import AuthorView
from lexic.database import release_connections
from lexic.http.error_handlers import error_response
from plugins.models import Plugin
from querying import json_format, releases
from querying.models import Query
from querying.presentation import sse
from querying.presentation.question_run import QuestionRun, model_work, run_to_end, stream_with_final_event
from querying.question.user_limits import check_user_limit
from querying.releases import DRAFT
from querying.types.events import AnswerFailed
from querying.types.question import Question


class SandboxView(AuthorView):
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]

    def check_replay(self, request: Request) -> None:
        get_plugin(request, self.kwargs["plugin"], for_reading=True)

    def replayed(self, response: HttpResponse) -> HttpResponse:
        """Without the prompt for whoever may not change the plugin any more."""
        found = get_plugin(self.request, self.kwargs["plugin"], for_reading=True)
        if response.status_code == 200 and not Plugin.objects.editable_by(self.principal).contains(found):
            answer = json.loads(response.content)
            if answer["details"]["prompt"] is not None:
                answer["details"] |= {"prompt": None, "promptWithheld": True, "dropped": []}
                response.content = json.dumps(answer, ensure_ascii=False).encode()
        return response

    @extend_schema(
        request=SandboxSerializer,
        responses={(200, "application/json"): SandboxAnswerSerializer, (200, "text/event-stream"): SANDBOX_EVENT},
    )
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        """Ask the draft, or a release, as somebody who works on the plugin. Server-sent events as at `/api/v1/query`,
        and at the end `details`; with `stream: false` the whole answer as JSON.
        """
        with release_connections():
            found = get_plugin(request, plugin, for_reading=True)
            body = validated(SandboxSerializer(data=request.data))
            question = _make_sandbox_question(self.principal, found, body)
            reader = self.user
            may_change = Plugin.objects.editable_by(self.principal).contains(found)

        def build_details(run: QuestionRun) -> dict[str, Any]:
            return _details_json(run, reader=reader, may_change=may_change)

        if sse.wants_stream(request, body):
            return sse.event_stream_response(stream_with_final_event(question, build_final_event=build_details))
        run = run_to_end(question)
        if run.failure:
            return error_response(AnswerFailed(run.failure))
        assert run.answer is not None
        answer = json_format.answer_as_json(run.answer, question=question)
        return Response({**answer, "details": build_details(run)})


def _make_sandbox_question(principal: Principal, plugin: Plugin, body: dict[str, Any]) -> Question:
    """Raises `UnknownRelease`, `InvalidResumeToken`, and the error of a person's limit."""
    options, version = make_options(body.get("options")), body["version"]
    release = releases.snapshot(plugin) if version == DRAFT else get_release(plugin, version)
    question = make_question(body, options=options, release=release, caller=make_caller(principal))
    if isinstance(principal, User):  # the limits of a key have been checked already
        check_user_limit(principal)
    return question


def _details_json(run: QuestionRun, *, reader: User, may_change: bool) -> dict[str, Any]:
    row = Query.objects.filter(pk=run.question.id).only("timings", "latency_ms").first()
    work = model_work(run, user=reader, may_change=may_change)
    details = {
        "type": "details",
        "queryId": run.question.id,
        "release": str(run.question.release),
        "model": run.llm.name,
        "latencyMs": row.latency_ms if row else None,
        "timings": row.timings if row else {},
        "prompt": work.prompt,
        "promptWithheld": work.prompt_withheld,
        "dropped": [vars(one) for one in work.dropped],
    }
    return dict(DetailsSerializer(details).data)
