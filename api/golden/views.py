"""Golden questions: questions with an expected outcome, as rows, as a file, and as runs."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.etags import etag_response, make_etag, require_match
from api.fields import EmptySerializer, validated
from api.golden import serializers
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import page_response
from api.plugins.lookup import get_plugin
from api.uploads import UploadParser
from api.views import AuthorView, first_or_raise, put_like
from evaluation import tasks
from evaluation.golden import golden_file, run_progress
from evaluation.golden.golden_dataset import NoGoldenQuestions
from evaluation.models import EvaluationRun, GoldenQuestion, GoldenQuestionQuerySet
from lexic.errors import LexicError, NotFound
from plugins.models import Plugin

_PASSED_BY_RESULT = {"failed": False, "new": None, "passed": True}


class UnknownGoldenQuestion(NotFound):
    """This plugin has no such golden question."""

    code = "unknown_golden_question"


class UnknownGoldenRun(NotFound):
    """This plugin has no such run."""

    code = "unknown_run"


class QueueUnavailable(LexicError):
    """The queue cannot be reached, so nothing was run."""

    code = "queue_unavailable"
    status = 503
    hint = "Try again in a moment."


class GoldenQuestionsView(AuthorView):
    ordering = ("pk",)

    @extend_schema(parameters=[serializers.GoldenParameters], responses=serializers.GoldenQuestionSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The golden questions, in the order in which they were made."""
        questions = get_plugin(request, plugin).golden_questions.all()
        filtered = _filter_questions(questions, serializers.GoldenParameters.read(request))
        return page_response(self, filtered, serializers.GoldenQuestionSerializer, has_parameters=True)

    @extend_schema(request=serializers.GoldenQuestionSerializer, responses={201: serializers.GoldenQuestionSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """Fix what must come out: a refusal, or an answer that cites these places and has these words."""
        found = get_plugin(request, plugin)
        body = serializers.GoldenQuestionSerializer(data=request.data, context={"plugin": found})
        validated(body)
        return _question_response(request, body.save(), status=201)


class GoldenQuestionView(AuthorView):
    @extend_schema(responses=serializers.GoldenQuestionSerializer)
    def get(self, request: Request, plugin: str, golden: int) -> Response:
        """One golden question, and how it went when it was last run as it stands."""
        questions = get_plugin(request, plugin).golden_questions
        return _question_response(request, first_or_raise(questions.filter(pk=golden), UnknownGoldenQuestion))

    @extend_schema(
        request=serializers.GoldenQuestionSerializer(partial=True), responses=serializers.GoldenQuestionSerializer
    )
    def patch(self, request: Request, plugin: str, golden: int) -> Response:
        """Once it says something else, its last result no longer counts."""
        found = get_plugin(request, plugin)
        with transaction.atomic():
            locked = _lock_question(request, found, golden)
            body = serializers.GoldenQuestionSerializer(
                locked, data=request.data, partial=True, context={"plugin": found}
            )
            validated(body)
            body.save()
        return _question_response(request, locked)

    put = put_like(patch)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, golden: int) -> Response:
        """Runs that asked it keep what came out."""
        found = get_plugin(request, plugin)
        found.check_deletable()
        with transaction.atomic():
            _lock_question(request, found, golden).delete()
        return Response(status=204)


class GoldenExportView(AuthorView):
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, plugin: str) -> HttpResponse:
        """All golden questions, one JSON object a line."""
        found = get_plugin(request, plugin)
        lines = "".join(f"{line}\n" for line in golden_file.export_golden_questions(found))
        response = HttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{found.slug}-golden.jsonl"'
        return response


class GoldenImportView(AuthorView):
    parser_classes = [UploadParser]

    @extend_schema(request=serializers.GoldenImportSerializer, responses=serializers.GoldenImportResultSerializer)
    def post(self, request: Request, plugin: str) -> Response:
        """Take in a file as the export gives it, all or nothing. Questions that are there are brought up to date."""
        found = get_plugin(request, plugin)
        file = validated(serializers.GoldenImportSerializer(data=request.data))["file"]
        return Response(serializers.GoldenImportResultSerializer(golden_file.import_golden_file(found, file)).data)


class GoldenRunsView(AuthorView):
    ordering = ("-started", "pk")

    @extend_schema(responses=serializers.RunRowSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The runs that are finished, the newest first."""
        runs = EvaluationRun.objects.filter(plugin=get_plugin(request, plugin)).select_related("release")

        return page_response(self, runs.defer("result", "calibration"), serializers.RunRowSerializer)

    @extend_schema(request=EmptySerializer, responses={202: serializers.ProgressSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A worker asks the draft all golden questions. While one run is under way this starts no other. See how far it
        is at `…/golden-runs/progress`."""
        found = get_plugin(request, plugin)
        EmptySerializer.check(request)
        if not found.golden_questions.exists():
            raise NoGoldenQuestions
        current = run_progress.get_progress(found.pk)
        is_running = current and not current.failed and not current.is_stalled
        if not is_running and not tasks.enqueue_golden(found.pk):
            raise QueueUnavailable
        response = Response(_run_progress(found), status=202)
        response["Location"] = f"/api/plugins/{found.slug}/golden-runs/progress"
        return response


class GoldenProgressView(AuthorView):
    @extend_schema(responses=serializers.ProgressSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How far the run under way is; else that the last one is finished, or that there was none."""
        return Response(_run_progress(get_plugin(request, plugin)))


class GoldenRunView(AuthorView):
    @extend_schema(responses=serializers.RunSerializer)
    def get(self, request: Request, plugin: str, run: int) -> Response:
        """A finished run: its figures, and how each question went."""
        found = get_plugin(request, plugin)
        runs = EvaluationRun.objects.filter(plugin=found, pk=run).select_related("release")
        return Response(serializers.RunSerializer(first_or_raise(runs, UnknownGoldenRun)).data)


def _run_progress(plugin: Plugin) -> dict[str, Any]:
    current = run_progress.get_progress(plugin.pk)
    last = EvaluationRun.objects.filter(plugin=plugin).exclude(questions=[]).only("questions").first()
    count = len(last.questions) if last else 0
    body: dict[str, Any] = {"status": "finished" if last else "none", "done": count, "total": count}
    body |= {"isQuiet": False, "error": "", "run": last.pk if last else None}
    if current is not None:
        status = "failed" if current.failed else "running" if current.started else "waiting"
        body |= {"status": status, "done": current.done, "total": current.total}
        body |= {"isQuiet": current.is_stalled, "error": current.failed}
    return serializers.ProgressSerializer(body).data


def _lock_question(request: Request, plugin: Plugin, pk: int) -> GoldenQuestion:
    """The row, locked until the transaction ends. Raises `UnknownGoldenQuestion` and `PreconditionFailed`."""
    locked = first_or_raise(plugin.golden_questions.select_for_update().filter(pk=pk), UnknownGoldenQuestion)
    require_match(request, _question_etag(locked))
    return locked


def _question_etag(golden: GoldenQuestion) -> str:
    """A tag of everything that is shown, as a golden question has no date of its last change."""
    return make_etag(json.dumps(serializers.GoldenQuestionSerializer(golden).data, sort_keys=True, default=str))


def _question_response(request: Request, golden: GoldenQuestion, *, status: int = 200) -> Response:
    return etag_response(
        request, serializers.GoldenQuestionSerializer(golden).data, etag=_question_etag(golden), status=status
    )


def _filter_questions(questions: GoldenQuestionQuerySet, parameters: dict[str, Any]) -> GoldenQuestionQuerySet:
    if "result" in parameters:
        questions = questions.filter(last_passed=_PASSED_BY_RESULT[parameters["result"]])
    if "expectation" in parameters:
        questions = questions.filter(expectation=parameters["expectation"])
    return questions.filter(question__icontains=parameters["q"]) if "q" in parameters else questions
