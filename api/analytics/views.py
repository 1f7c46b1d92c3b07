"""The analytics of a plugin: figures of some days, and the questions themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from api.analytics import serializers
from api.pagination import DefaultPagination
from api.plugins.lookup import get_plugin
from api.views import AuthorView
from knowledge.models import Document, DocumentStatus
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.date_range import days_before
from querying.query_log.key_names import key_label, visible_key_names
from querying.query_log.quotations import withhold_quotations
from querying.query_statistics import TIMED_STEPS, QueryStatistics

MAX_KEYS, MAX_DOCUMENTS = 50, 50
_DEFERRED_COLUMNS = ("context", "options", "plan", "passages")


class AnalyticsView(AuthorView):
    @extend_schema(parameters=[serializers.AnalyticsParameters], responses=serializers.FiguresSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How the plugin was asked in some days, and how it answered: outcomes, speed, tokens, keys and sources."""
        found, parameters = get_plugin(request, plugin), serializers.AnalyticsParameters.read(request)
        visible = Query.objects.visible_to(self.user).filter(plugin=found).questions()
        filtered = visible.filtered_by(version=parameters["version"], by=parameters["by"])
        first, last = parameters["first_day"], parameters["last_day"]
        queries = filtered.created_between(first, last)
        figures = {
            "first_day": first,
            "last_day": last,
            "before": filtered.created_between(*days_before(first, last)).count(),
            **_totals_by_day(queries, weekly=parameters["interval"] == "week"),
            "by_key": _busiest_keys(queries, self.user),
            **_cited_documents(queries, found),
        }
        return Response(serializers.FiguresSerializer(figures).data)


class QueriesView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(parameters=[serializers.QueryListParameters], responses=serializers.QueryRowSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """What was asked of the plugin, the newest first. A citation of a knowledge base that you may not open is there
        without its words, with `isWithheld`; the answer that quotes it is left out."""
        found, parameters = get_plugin(request, plugin), serializers.QueryListParameters.read(request)
        conditions = {name: parameters[name] for name in ("outcome", "confidence") if name in parameters}
        queries = (
            Query.objects.visible_to(self.user)
            .filter(plugin=found, **conditions)
            .filtered_by(version=parameters["version"])
            .created_between(parameters["first_day"], parameters["last_day"])
            .select_related("api_key")
            .defer(*_DEFERRED_COLUMNS)
        )
        pages = DefaultPagination()
        page = withhold_quotations(pages.paginate_queryset(queries, request, self) or [], viewer=self.user)
        rows = serializers.QueryRowSerializer(page, many=True, context={"reader": self.user})
        return pages.get_paginated_response(rows.data)


def _totals_by_day(queries: QueryStatistics, *, weekly: bool) -> dict[str, Any]:
    totals: Counter[str] = Counter()
    by_day: dict[Any, dict[str, int]] = defaultdict(dict)
    for day, outcome, count in queries.by_outcome_and_day(weekly=weekly):
        by_day[day][outcome] = count
        totals[outcome] += count
    latency = {day: {"half": half, "most": most} for day, half, most in queries.latency_by_day(weekly=weekly)}
    unknown = {"half": None, "most": None}
    sums = queries.sums()
    return {
        "total": sum(totals.values()),
        "outcomes": totals,
        "confidence": queries.by_confidence(),
        "days": [{"day": day, "outcomes": by_day[day], "latency": latency.get(day, unknown)} for day in sorted(by_day)],
        "steps": {
            step: {"half": sums[f"half_{step}"], "most": sums[f"most_{step}"]} for step in (*TIMED_STEPS, "whole")
        },
        "promptTokens": sums["prompt_tokens"] or 0,
        "completionTokens": sums["completion_tokens"] or 0,
        "cost": sums["cost"],
    }


def _busiest_keys(queries: QueryStatistics, reader: User) -> list[dict[str, Any]]:
    """The busiest first."""
    rows = queries.by_key(limit=MAX_KEYS)
    names = visible_key_names((pk for pk, _, _ in rows), viewer=reader)
    return [
        {
            "key": pk if pk in names else None,
            "name": key_label(pk, names),
            "questions": count,
            "refused": refused,
        }
        for pk, count, refused in rows
    ]


def _cited_documents(queries: QueryStatistics, plugin: Plugin) -> dict[str, Any]:
    """The documents that answers cite, the most cited first, and how many ready ones no answer cites."""
    cited = queries.cited_documents()
    ids = [UUID(pk) for pk, _, _ in cited if pk]
    known = set(Document.objects.present().filter(pk__in=ids[:MAX_DOCUMENTS]).values_list("pk", flat=True))
    ready = Document.objects.of_plugin(plugin).filter(status=DocumentStatus.READY)
    shown = [(UUID(pk) if pk else None, title, count) for pk, title, count in cited[:MAX_DOCUMENTS]]
    return {
        "cited": [
            {"documentId": pk if pk in known else None, "title": title, "answers": count} for pk, title, count in shown
        ],
        "uncited": ready.exclude(pk__in=ids).count(),
    }
