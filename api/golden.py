"""Golden questions: what must come out, kept, carried and run."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.etags import etag_of, require_match, tagged
from api.fields import NothingSerializer, Parameters
from api.golden_body import (
    GoldenParameters,
    GoldenQuestionSerializer,
    LinesSerializer,
    ProgressSerializer,
    RunRowSerializer,
    RunSerializer,
    TakenInSerializer,
)
from api.pagination import Pages
from api.scope import plugin_of
from api.uploads import Uploads
from api.views import AuthorView
from lexic.errors import InvalidInput, LexicError, NotFound
from plugins.models import Plugin
from querying import golden_progress, golden_rows, tasks
from querying.evaluation.golden import NoGoldenQuestions
from querying.models import EvaluationRun, GoldenQuestion, GoldenQuestionQuerySet

MOST_BYTES = 5_000_000
_PASSED = {"failed": False, "new": None, "passed": True}


class NoSuchGoldenQuestion(NotFound):
    """This plugin has no such golden question."""

    code = "unknown_golden_question"


class NoSuchRun(NotFound):
    """This plugin has no such run."""

    code = "unknown_run"


class FileTooLarge(InvalidInput):
    """The file is larger than 5 MB."""

    code = "file_too_large"
    status = 413


class NotText(InvalidInput):
    """The file is not text in UTF-8."""

    code = "not_text"


class NoWorkers(LexicError):
    """The queue cannot be reached, so nothing was run."""

    code = "queue_unavailable"
    status = 503
    hint = "Try again in a moment."


class GoldenQuestionsView(AuthorView):
    ordering = ("pk",)
    pagination_class = Pages

    @extend_schema(parameters=[GoldenParameters], responses=GoldenQuestionSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The golden questions, in the order in which they were made."""
        questions = plugin_of(request, plugin).golden_questions.all()
        pages = self.pagination_class()
        narrowed = _narrowed(questions, GoldenParameters.read(request))
        found = pages.paginate_queryset(narrowed, request, self)
        return pages.get_paginated_response(GoldenQuestionSerializer(found, many=True).data)

    @extend_schema(request=GoldenQuestionSerializer, responses={201: GoldenQuestionSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """Fix what must come out: a refusal, or an answer that cites these places and has these words."""
        found = plugin_of(request, plugin)
        said = GoldenQuestionSerializer(data=request.data, context={"plugin": found})
        said.is_valid(raise_exception=True)
        return _shown(request, said.save(), status=201)


class GoldenQuestionView(AuthorView):
    @extend_schema(responses=GoldenQuestionSerializer)
    def get(self, request: Request, plugin: str, golden: int) -> Response:
        """One golden question, and how it went when it was last run as it stands."""
        return _shown(request, _question(plugin_of(request, plugin), golden))

    @extend_schema(request=GoldenQuestionSerializer(partial=True), responses=GoldenQuestionSerializer)
    def put(self, request: Request, plugin: str, golden: int) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin, golden)

    @extend_schema(request=GoldenQuestionSerializer(partial=True), responses=GoldenQuestionSerializer)
    def patch(self, request: Request, plugin: str, golden: int) -> Response:
        """Once it says something else, its last result no longer counts."""
        found = plugin_of(request, plugin)
        with transaction.atomic():
            locked = _locked(request, found, golden)
            said = GoldenQuestionSerializer(locked, data=request.data, partial=True, context={"plugin": found})
            said.is_valid(raise_exception=True)
            said.save()
        return _shown(request, locked)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, golden: int) -> Response:
        """Runs that asked it keep what came out."""
        found = plugin_of(request, plugin)
        with transaction.atomic():
            _locked(request, found, golden).delete()
        return Response(status=204)


class GoldenExportView(AuthorView):
    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, plugin: str) -> HttpResponse:
        """All golden questions, one JSON object a line."""
        found = plugin_of(request, plugin)
        lines = "".join(f"{line}\n" for line in golden_rows.export(found))
        response = HttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{found.slug}-golden.jsonl"'
        return response


class GoldenImportView(AuthorView):
    parser_classes = [Uploads]

    @extend_schema(request=LinesSerializer, responses=TakenInSerializer)
    def post(self, request: Request, plugin: str) -> Response:
        """Take in a file as the export gives it, all or nothing. Questions that are there are brought up to date."""
        found = plugin_of(request, plugin)
        said = LinesSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        done = golden_rows.import_rows(found, lines=_text(said.validated_data["file"]).split("\n"))
        return Response(TakenInSerializer(done).data)


class GoldenRunsView(AuthorView):
    ordering = ("-started", "pk")
    pagination_class = Pages

    @extend_schema(responses=RunRowSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The runs that are finished, the newest first."""
        runs = EvaluationRun.objects.filter(plugin=plugin_of(request, plugin)).select_related("release")
        Parameters.read(request)
        pages = self.pagination_class()
        found = pages.paginate_queryset(runs.defer("result", "calibration"), request, self)
        return pages.get_paginated_response(RunRowSerializer(found, many=True).data)

    @extend_schema(request=NothingSerializer, responses={202: ProgressSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A worker asks the draft all golden questions. While one run is under way this starts no other. See how far it
        is at `…/golden-runs/progress`."""
        found = plugin_of(request, plugin)
        NothingSerializer.check(request)
        if not found.golden_questions.exists():
            raise NoGoldenQuestions
        under_way = golden_progress.read(found.pk)
        goes_on = under_way and not under_way.failed and not under_way.is_quiet
        if not goes_on and not tasks.enqueue_golden(found.pk):
            raise NoWorkers
        response = Response(_progress(found), status=202)
        response["Location"] = f"/api/plugins/{found.slug}/golden-runs/progress"
        return response


class GoldenProgressView(AuthorView):
    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How far the run under way is; else that the last one is finished, or that there was none."""
        return Response(_progress(plugin_of(request, plugin)))


class GoldenRunView(AuthorView):
    @extend_schema(responses=RunSerializer)
    def get(self, request: Request, plugin: str, run: int) -> Response:
        """A finished run: its figures, and how each question went."""
        found = plugin_of(request, plugin)
        one = EvaluationRun.objects.filter(plugin=found, pk=run).select_related("release").first()
        if one is None:
            raise NoSuchRun
        return Response(RunSerializer(one).data)


def _progress(plugin: Plugin) -> dict[str, Any]:
    now = golden_progress.read(plugin.pk)
    last = EvaluationRun.objects.filter(plugin=plugin).only("questions").first()
    run = last.pk if last else None
    if now is None:
        asked = len(last.questions) if last else 0
        said: dict[str, Any] = {"status": "finished" if last else "none", "done": asked, "total": asked}
        return ProgressSerializer({**said, "isQuiet": False, "error": "", "run": run}).data
    status = "failed" if now.failed else "running" if now.started else "waiting"
    said = {"status": status, "done": now.done, "total": now.total}
    return ProgressSerializer({**said, "isQuiet": now.is_quiet, "error": now.failed, "run": run}).data


def _question(plugin: Plugin, pk: int) -> GoldenQuestion:
    """Raises `NoSuchGoldenQuestion`."""
    question = plugin.golden_questions.filter(pk=pk).first()
    if question is None:
        raise NoSuchGoldenQuestion
    return question


def _locked(request: Request, plugin: Plugin, pk: int) -> GoldenQuestion:
    """Raises `NoSuchGoldenQuestion` and `ChangedSince`."""
    locked = plugin.golden_questions.select_for_update().filter(pk=pk).first()
    if locked is None:
        raise NoSuchGoldenQuestion
    require_match(request, _tag(locked))
    return locked


def _tag(golden: GoldenQuestion) -> str:
    """Of everything that is shown: a golden question has no date of its last change."""
    return etag_of(json.dumps(GoldenQuestionSerializer(golden).data, sort_keys=True, default=str))


def _shown(request: Request, golden: GoldenQuestion, *, status: int = 200) -> Response:
    return tagged(request, GoldenQuestionSerializer(golden).data, etag=_tag(golden), status=status)


def _narrowed(questions: GoldenQuestionQuerySet, said: dict[str, Any]) -> GoldenQuestionQuerySet:
    if "result" in said:
        questions = questions.filter(last_passed=_PASSED[said["result"]])
    if "expectation" in said:
        questions = questions.filter(expectation=said["expectation"])
    return questions.filter(question__icontains=said["q"]) if "q" in said else questions


def _text(file: UploadedFile) -> str:
    """Raises `FileTooLarge` and `NotText`."""
    if (file.size or 0) > MOST_BYTES:
        raise FileTooLarge
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotText from None
