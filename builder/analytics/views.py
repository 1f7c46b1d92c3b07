"""The pane of figures, and its file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.analytics import charts
from builder.analytics.csv_export import COLUMNS, MAX_ROWS, write_csv
from builder.analytics.forms import DateRangeForm, PluginAnalyticsForm
from builder.analytics.json_export import write_json
from builder.analytics.topics import topics_context
from builder.panes import render_pane
from knowledge.models import Document, DocumentQuerySet
from marketplace.listings.trust_label import MIN_QUESTIONS
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.models import Query
from querying.query_log.date_range import days_before
from querying.query_log.key_names import key_label, visible_key_names
from querying.query_log.quotations import withhold_quotations
from querying.query_statistics import TIMED_STEPS, QueryStatistics
from querying.types.answer import Outcome
from querying.types.confidence import Confidence

_MAX_DOCUMENTS = 8
_MAX_KEYS = 8
_STEP_LABELS = {"retrieve": "searching", "tree": "walking the trees", "weigh": "weighing the evidence"}
_STEP_LABELS |= {"generate": "writing and verifying", "whole": "the whole answer"}


@dataclass(frozen=True, kw_only=True)
class KeyStatistics:
    name: str
    count: int
    refused: int

    @property
    def refused_share(self) -> float:
        return 100 * self.refused / self.count


def show_analytics(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The figures of some days. A fixed number of statements, whatever was asked."""
    context = {**plugin_context(request, plugin), "asked": request.GET.urlencode()}
    return render_pane(request, plugin, "analytics", "builder/analytics/pane.html", context)


def plugin_context(request: SignedInRequest, plugin: Plugin, *, max_documents: int = _MAX_DOCUMENTS) -> dict[str, Any]:
    """All figures of the plugin in the chosen days: those of every plugin, topics, refusals and documents."""
    form = PluginAnalyticsForm(request.GET, plugin=plugin)
    everything = form.queries(user=request.user)
    queries = everything.created_between(*form.days)
    present = Document.objects.of_plugin(plugin)
    return {
        **figures_context(form, everything, user=request.user),
        **documents_context(queries, present=present, most=max_documents),
        **topics_context(queries, *form.days, weekly=form.is_weekly),
    }


def figures_context(form: DateRangeForm, everything: QueryStatistics, *, user: User) -> dict[str, Any]:
    """What the pictures and tables show of the days that are chosen. Eight statements.

    `everything` is what may be counted of any day, for the comparison with the days before.
    """
    queries = everything.created_between(*form.days)
    days = charts.day_statistics(
        *form.days,
        counts=queries.by_outcome_and_day(weekly=form.is_weekly),
        latency=queries.latency_by_day(weekly=form.is_weekly),
        weekly=form.is_weekly,
    )
    by_day = zip(*(day.counts for day in days), strict=True)
    totals = Counter(dict(zip(charts.SERIES, map(sum, by_day), strict=True)))
    sums = queries.sums()
    return {
        "form": form,
        "first": form.days[0],
        "last": form.days[1],
        "days": days,
        "headings": [words for words, _ in charts.SERIES.values()],
        "bars": [("wide", charts.bar_chart(days)), ("narrow", charts.bar_chart(days, width=charts.NARROW_WIDTH))],
        "lines": charts.line_chart(days),
        "total": sum(totals.values()),
        "least_total": MIN_QUESTIONS,
        "shares": _outcome_shares(totals),
        "total_words": f"{sum(totals.values()):,}",
        "tokens": f"{(sums['prompt_tokens'] or 0) + (sums['completion_tokens'] or 0):,}",
        "written": f"{sums['completion_tokens'] or 0:,}",
        "change": _change_text(sum(totals.values()), everything.created_between(*days_before(*form.days)).count()),
        "sums": sums,
        "steps": [(words, sums[f"half_{step}"], sums[f"most_{step}"]) for step, words in _STEP_LABELS.items()],
        "confidence": charts.relative_lengths(queries.by_confidence(), [level.value for level in reversed(Confidence)]),
        "keys": _key_statistics(queries, user),
    }


def download_csv(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The questions of the same days as a file, the newest first."""
    form = PluginAnalyticsForm(request.GET, plugin=plugin)
    return csv_response(form, form.queries(user=request.user), user=request.user, name=plugin.slug)


def download_json(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The same as JSON."""
    form = PluginAnalyticsForm(request.GET, plugin=plugin)
    return json_response(form, form.queries(user=request.user), user=request.user, name=plugin.slug)


def csv_response(form: DateRangeForm, everything: QueryStatistics, *, user: User, name: str) -> HttpResponse:
    """The questions of the chosen days for a spreadsheet, the newest first."""
    rows, names = _exported_rows(form, everything, user=user)
    content = write_csv(rows, steps=TIMED_STEPS, names=names)
    return _as_file(content, content_type="text/csv; charset=utf-8", name=f"{name}-{_range_words(form)}.csv")


def json_response(form: DateRangeForm, everything: QueryStatistics, *, user: User, name: str) -> HttpResponse:
    """The same for programs, with the citations."""
    rows, names = _exported_rows(form, everything, user=user)
    content = write_json(rows, days=form.days, names=names)
    return _as_file(content, content_type="application/json", name=f"{name}-{_range_words(form)}.json")


def _exported_rows(
    form: DateRangeForm, everything: QueryStatistics, *, user: User
) -> tuple[list[Query], dict[UUID, str]]:
    """The rows without what this person may not read, and the names of the keys that they may see."""
    queries = everything.created_between(*form.days).order_by("-created_at")
    needed = queries.only(*COLUMNS, "timings", "api_key", "user", "plugin", "release", "citations", "knowledge")
    rows = withhold_quotations(needed[:MAX_ROWS], viewer=user)
    return rows, visible_key_names((row.api_key_id for row in rows), viewer=user)


def _as_file(content: str, *, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _range_words(form: DateRangeForm) -> str:
    first, last = form.days
    return f"{first}-{last}"


def _outcome_shares(totals: Counter[str]) -> list[tuple[str, int, float]]:
    """The figures above the charts: how many questions ended in which way, and their share of all."""
    whole = sum(totals.values()) or 1
    shown = [Outcome.ANSWERED.value, Outcome.CLARIFY.value, Outcome.REFUSED.value]
    shown += [name for name in charts.SERIES if name not in shown and totals[name]]
    return [(charts.SERIES[name][0], totals[name], 100 * totals[name] / whole) for name in shown]


def _change_text(now: int, before: int) -> str:
    """How that compares with as many days before, in words; empty where there is nothing to compare with."""
    if not before or not now:
        return ""
    if now == before:
        return "as many as before"
    share = f"{abs(now - before) / before:.0%}"
    if share == "0%":
        return "about as many as before"
    return f"{share} {'more' if now > before else 'fewer'} than before"


def documents_context(
    queries: QueryStatistics, *, present: DocumentQuerySet, most: int = _MAX_DOCUMENTS
) -> dict[str, Any]:
    """The documents that carry the answers, and those of `present` that none rests on. Four statements."""
    cited = queries.cited_documents()
    greatest = cited[0][2] if cited else 1
    ids = [known_id for pk, _, _ in cited if pk and (known_id := parse_id(pk))]
    known = {str(pk) for pk in present.filter(pk__in=ids[:most]).values_list("pk", flat=True)}
    never = present.filter(status="ready").exclude(pk__in=ids)
    return {
        "cited": [
            {"pk": pk if pk in known else "", "title": title, "count": count, "length": 100 * count / greatest}
            for pk, title, count in cited[:most]
        ],
        "never_count": never.count(),
        "never": never.order_by("title").only("pk", "title")[:most],
    }


def _key_statistics(queries: QueryStatistics, user: User) -> list[KeyStatistics]:
    rows = queries.by_key(limit=_MAX_KEYS)
    names = visible_key_names((key for key, _, _ in rows), viewer=user)
    return [KeyStatistics(name=key_label(key, names), count=count, refused=refused) for key, count, refused in rows]
