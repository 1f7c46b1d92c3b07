"""The operators' queue of reports, each with the reported plugin or review."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST, require_safe

from lexic.errors import LexicError
from lexic.scoped_admin import ReadOnlyAdmin, column
from lexic.short_text import shorten
from marketplace.models import Report
from marketplace.reviews import moderation
from marketplace.reviews.review_list import use_summary
from plugins.models import Plugin

# What the buttons and the list's actions say, by their names in `moderation.MODERATION_ACTIONS`.
_DONE_MESSAGES = {
    "hide": "The review is off the page.",
    "withdraw": "The plugin is withdrawn.",
    "dismiss": "No action.",
}
_LOG_MESSAGES = {
    "hide": "Review hidden.",
    "withdraw": "Plugin withdrawn.",
    "dismiss": "No action.",
    "reopen": "Opened again.",
    "lift": "Allowed to be published again.",
}


class OutcomeFilter(admin.SimpleListFilter):
    """What waits, unless something else is asked for."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*Report.Outcome.choices, ("all", "all")]

    def choices(self, changelist: Any) -> Any:
        """Without a choice called "all" that would show only some."""
        chosen = self.value() or Report.Outcome.OPEN
        for value, words in self.lookup_choices:
            address = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": chosen == value, "query_string": address, "display": words}

    def queryset(self, request: HttpRequest, queryset: models.QuerySet[Report]) -> models.QuerySet[Report]:
        chosen = self.value() or Report.Outcome.OPEN
        return queryset.filter(outcome=chosen) if chosen in Report.Outcome.values else queryset


class SubjectFilter(admin.SimpleListFilter):
    title = "what"
    parameter_name = "what"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("plugin", "plugins"), ("review", "reviews")]

    def queryset(self, request: HttpRequest, queryset: models.QuerySet[Report]) -> models.QuerySet[Report]:
        if self.value() in ("plugin", "review"):
            return queryset.filter(review__isnull=self.value() == "plugin")
        return queryset


MAX_SHOWN = 120  # characters of a report in the list


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """Superusers only: to authors there is no such page."""

    list_display = ["said", "thing", "reported_by", column("created_at", "reported"), "state"]
    list_filter = [OutcomeFilter, SubjectFilter, "reason"]
    list_select_related = ["plugin", "review", "reporter"]
    search_fields = ["text", "plugin__name", "plugin__slug", "review__text"]
    search_help_text = "Words of the report, of the review, or the plugin’s name."
    actions = ["hide_chosen", "withdraw_chosen", "dismiss_chosen"]

    # --- Who may ---------------------------------------------------------------------------------------------

    def changeable(self, request: HttpRequest) -> models.QuerySet[Report]:
        """To decide them; there is no form that would change one."""
        return self.visible(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.has_module_permission(request)

    # --- The list --------------------------------------------------------------------------------------------

    @admin.display(description="report", ordering="reason")
    def said(self, report: Report) -> str:
        reason = report.get_reason_display()
        return shorten(f"{reason}: {report.text}", MAX_SHOWN) if report.text else reason

    @admin.display(description="of")
    def thing(self, report: Report) -> str:
        if report.review:
            said = report.review.text or report.review.get_verdict_display() or "deleted by its author"
            return shorten(f"A review of {report.plugin}: {said}", MAX_SHOWN)
        return f"{report.plugin} ({'published' if report.plugin.is_published else 'withdrawn'})"

    @admin.display(description="by")
    def reported_by(self, report: Report) -> str:
        return str(report.reporter or "a visitor")

    @admin.display(description="state", ordering="outcome")
    def state(self, report: Report) -> str:
        return report.get_outcome_display()

    @admin.action(description="Hide the review")
    def hide_chosen(self, request: HttpRequest, queryset: models.QuerySet[Report]) -> None:
        self._decide_reports_of(request, queryset, "hide")

    @admin.action(description="Withdraw the plugin")
    def withdraw_chosen(self, request: HttpRequest, queryset: models.QuerySet[Report]) -> None:
        self._decide_reports_of(request, queryset, "withdraw")

    @admin.action(description="No action")
    def dismiss_chosen(self, request: HttpRequest, queryset: models.QuerySet[Report]) -> None:
        self._decide_reports_of(request, queryset, "dismiss")

    def _decide_reports_of(self, request: HttpRequest, queryset: models.QuerySet[Report], action: str) -> None:
        for report in queryset:
            self._decide(request, report, action)

    # --- One report ------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        decide_view = self.admin_site.admin_view(self.decide_view)
        return [path("<uuid:report>/decide/", decide_view, name="marketplace_report_decide"), *super().get_urls()]

    @method_decorator(require_safe)
    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        report = self.get_object(request, object_id)
        if report is None:
            raise Http404
        same = Report.objects.about_the_same(report).exclude(pk=report.pk).select_related("reporter")
        context = {
            **self.admin_site.each_context(request),
            "title": str(report),
            "opts": self.opts,
            "report": report,
            "others": same[:20],
            "others_count": same.count(),
            "use_summary": use_summary(report.review, latest=report.plugin.version) if report.review else "",
        }
        return TemplateResponse(request, "admin/marketplace/report/detail.html", context)

    @method_decorator(require_POST)
    def decide_view(self, request: HttpRequest, report: UUID) -> HttpResponse:
        found = get_object_or_404(self.visible(request), pk=report)
        action = request.POST.get("action", "")
        if action == "reopen":
            self._reopen(request, found)
        elif action == "lift":
            self._lift(request, found)
        elif action in moderation.MODERATION_ACTIONS:
            self._decide(request, found, action)
        return redirect("admin:marketplace_report_change", found.pk)

    def _decide(self, request: HttpRequest, report: Report, action: str) -> None:
        """Does it, notes who did, and says how it went."""
        try:
            decision = moderation.MODERATION_ACTIONS[action](report, by=request.user)
        except LexicError as error:
            messages.error(request, f"{report}: {error.message_with_hint}")
            return
        if not decision.reports:
            messages.info(request, f"{report}: this was decided before. Nothing was changed.")
            return
        for decided in decision.reports:
            self.log_change(request, decided, _LOG_MESSAGES[action])
        if action == "withdraw":
            self._plugins().log_change(request, report.plugin, "Withdrawn after a report.")
        messages.success(request, _DONE_MESSAGES[action])
        _message_mail_outcome(request, decision.is_mail_sent)

    def _reopen(self, request: HttpRequest, report: Report) -> None:
        try:
            moderation.reopen_report(report)
        except LexicError as error:
            messages.info(request, error.message)
            return
        self.log_change(request, report, _LOG_MESSAGES["reopen"])
        messages.success(request, "The report waits again.")

    def _lift(self, request: HttpRequest, report: Report) -> None:
        is_mail_sent = moderation.unblock_publishing(report.plugin)
        if is_mail_sent is None:
            messages.info(request, "This was lifted before. Nothing was changed.")
            return
        self.log_change(request, report, _LOG_MESSAGES["lift"])
        self._plugins().log_change(request, report.plugin, _LOG_MESSAGES["lift"])
        messages.success(request, "Its owner may publish it again.")
        _message_mail_outcome(request, is_mail_sent)

    def _plugins(self) -> Any:
        return self.admin_site.get_model_admin(Plugin)


def _message_mail_outcome(request: HttpRequest, is_mail_sent: bool | None) -> None:
    if is_mail_sent:
        messages.success(request, "A mail about it is on its way to the person concerned.")
    elif is_mail_sent is False:
        messages.warning(request, "The mail about it could not be sent: tell the person concerned another way.")
