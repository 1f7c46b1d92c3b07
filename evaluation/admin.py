"""Operators' lists of golden questions, which are edited in the builder, and of evaluation runs with their figures."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.models import EvaluationRun, GoldenQuestion
from evaluation.reports.console_report import format_figure
from evaluation.reports.figure_labels import FIGURE_LABELS
from lexic import plots
from lexic.scoped_admin import ReadOnlyAdmin
from lexic.short_text import shorten
from plugins.admin_display import key_value_table
from querying.answering import confidence_calibration

_SHOWN_FIGURES = (
    "golden_passed",
    "answered_when_answerable",
    "refused_when_unanswerable",
    "citation_validity",
    "citation_precision",
    "auc",
    "high_confidence_precision",
    "p50_ms",
    "p95_ms",
)


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(ReadOnlyAdmin):
    list_display = ("question_start", "plugin", "expectation", "last_result")
    list_filter = ("last_passed", "expectation", ("plugin", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("plugin",)
    search_fields = ("question",)

    def builder_url(self, obj: Any) -> str:
        return reverse("admin:builder_golden_change", args=[obj.plugin_id, obj.pk])

    @admin.display(description="question", ordering="question")
    def question_start(self, golden: GoldenQuestion) -> str:
        return shorten(golden.question, 80)

    @admin.display(description="last result", ordering="last_passed")
    def last_result(self, golden: GoldenQuestion) -> str:
        return {True: "passed", False: "failed", None: "not run as it stands"}[golden.last_passed]


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ReadOnlyAdmin):
    list_display = ("started", "plugin", "asked_of", "passed")
    list_filter = (("plugin", admin.RelatedOnlyFieldListFilter), ("started", admin.DateFieldListFilter))
    list_select_related = ("plugin", "release__plugin")
    not_in_lists = ("questions", "calibration")
    fieldsets = (
        (None, {"fields": ("plugin", "asked_of", "started", "passed", "failed")}),
        ("Figures", {"fields": ("figures",)}),
        ("Confidence", {"fields": ("curve", "diagram")}),
    )

    @admin.display(description="asked of")
    def asked_of(self, run: EvaluationRun) -> str:
        return str(run.release) if run.release else "the draft"

    @admin.display(description="passed")
    def passed(self, run: EvaluationRun) -> str:
        share, count = run.result.get("golden_passed"), run.result.get("questions", 0)
        return "not asked for answers" if share is None else f"{round(share * count)} of {count}"

    @admin.display(description="failed")
    def failed(self, run: EvaluationRun) -> SafeString | str:
        rows = [
            (one["question"], format_html_join("", "<div>{}</div>", ((reason,) for reason in one["failures"])))
            for one in run.questions
            if not one["passed"]
        ]
        return key_value_table(rows) if rows else "none"

    @admin.display(description="figures")
    def figures(self, run: EvaluationRun) -> SafeString:
        known = ((FIGURE_LABELS[key], run.result.get(key)) for key in _SHOWN_FIGURES)
        return key_value_table((words, format_figure(value)) for words, value in known if value is not None)

    @admin.display(description="curve")
    def curve(self, run: EvaluationRun) -> str:
        fitted = confidence_calibration.parse_calibration(run.calibration)
        if fitted is None:
            return f"Not calibrated. It takes {confidence_calibration.REQUIREMENTS}"
        high = f"High from {fitted.high_from:.2f}." if fitted.high_from else "Nothing may be called high."
        return f"From {fitted.questions} questions on {fitted.date}; error on held-out ones {fitted.ece:.3f}. {high}"

    @admin.display(description="reliability")
    def diagram(self, run: EvaluationRun) -> SafeString | str:
        fitted = confidence_calibration.parse_calibration(run.calibration)
        if fitted is None:
            return "none"
        drawn = plots.render_svg(plots.reliability_plot(fitted.reliability))
        return format_html('<div class="lx-plot">{}</div>', SafeString(drawn))  # drawn from numbers by us
