"""The decisions of operators on a report. Each is carried out once, however often it is requested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from lexic.errors import Conflict
from marketplace.listings.review_counts import update_review_counts
from marketplace.models import Report, ReportQuerySet, Review
from marketplace.publishing.withdraw import withdraw_from_marketplace
from marketplace.reviews import moderation_mails
from plugins.models import Plugin


class ReportHasNoReview(Conflict):
    """This report is about a plugin, not about a review."""

    code = "no_review"
    hint = "Withdraw the plugin, or close the report without action."


class ReportNotDecided(Conflict):
    """Nobody has decided this report yet."""

    code = "not_decided"


@dataclass(frozen=True, kw_only=True)
class ModerationDecision:
    """`reports` are those that it decided, none where they were decided before. `is_mail_sent` is whether the mail to
    the person it concerns went out; None where there was nothing to tell."""

    reports: tuple[Report, ...]
    is_mail_sent: bool | None = None


def hide_review(report: Report, *, by: User) -> ModerationDecision:
    """Hides the review, tells its author, and decides every open report of it. Raises `ReportHasNoReview`."""
    if report.review_id is None:
        raise ReportHasNoReview
    with transaction.atomic():
        review = Review.objects.select_for_update().get(pk=report.review_id)
        decided = _decide_reports(_open_reports_about_same(report), outcome=Report.Outcome.HIDDEN, by=by)
        is_news = bool(decided) and not review.is_hidden
        if is_news:
            _set_review_hidden(review, is_hidden=True)
    author = review.author if is_news else None
    told = moderation_mails.send_review_hidden(review, author, reason=report.get_reason_display()) if author else None
    return ModerationDecision(reports=decided, is_mail_sent=told)


def withdraw_plugin(report: Report, *, by: User) -> ModerationDecision:
    """Withdraws the plugin and keeps it withdrawn, tells its owner, and decides this report and every other one of
    the plugin itself that waits. Its owner may publish it again once that is lifted (`unblock_publishing`)."""
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=report.plugin_id)
        together = (
            _open_reports_about_same(report) if report.review_id is None else Report.objects.open().filter(pk=report.pk)
        )
        decided = _decide_reports(together, outcome=Report.Outcome.WITHDRAWN, by=by)
        # Also where its owner was quicker to withdraw it: they would put it back.
        is_news = bool(decided) and not plugin.is_held
        if is_news:
            plugin.block_publishing()
            withdraw_from_marketplace(plugin)
    told = moderation_mails.send_plugin_withdrawn(plugin, reason=report.get_reason_display()) if is_news else None
    return ModerationDecision(reports=decided, is_mail_sent=told)


def unblock_publishing(plugin: Plugin) -> bool | None:
    """What was withdrawn may be published again, which its owner is told. Whether the mail went out; None where there
    was nothing to lift."""
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update(of=["self"]).select_related("owner").get(pk=plugin.pk)
        if not plugin.is_held:
            return None
        plugin.unblock_publishing()
    return moderation_mails.send_hold_lifted(plugin)


def dismiss_report(report: Report, *, by: User) -> ModerationDecision:
    """There is nothing to do about this one. Others of the same thing may say something else, so they wait on."""
    with transaction.atomic():
        this = Report.objects.open().filter(pk=report.pk)
        return ModerationDecision(reports=_decide_reports(this, outcome=Report.Outcome.DISMISSED, by=by))


def reopen_report(report: Report) -> None:
    """The report waits again; a review that it hid is shown again, unless its author deleted it. A plugin stays
    withdrawn, and is held until that is lifted. Raises `ReportNotDecided`."""
    with transaction.atomic():
        report = Report.objects.select_for_update(of=["self"]).get(pk=report.pk)
        if report.is_open:
            raise ReportNotDecided
        review = report.review
        if review and review.author_id and not review.is_deleted and report.outcome == Report.Outcome.HIDDEN:
            _set_review_hidden(review, is_hidden=False)
        report.outcome, report.decided_by, report.decided_at = Report.Outcome.OPEN, None, None
        # Whoever reported it is forgotten by now, so it stands for itself.
        report.fingerprint = f"report:{report.pk.hex}"
        report.save(update_fields=["outcome", "decided_by", "decided_at", "fingerprint"])


# What may be done, by the word that the buttons send.
MODERATION_ACTIONS: dict[str, Callable[..., ModerationDecision]] = {
    "hide": hide_review,
    "withdraw": withdraw_plugin,
    "dismiss": dismiss_report,
}


def _open_reports_about_same(report: Report) -> ReportQuerySet:
    return Report.objects.open().about_the_same(report)


def _decide_reports(reports: ReportQuerySet, *, outcome: str, by: User) -> tuple[Report, ...]:
    decided = list(reports.select_for_update(of=["self"]))
    for report in decided:
        report.outcome, report.decided_by, report.decided_at = outcome, by, timezone.now()
        report.fingerprint = ""
    Report.objects.bulk_update(decided, ["outcome", "decided_by", "decided_at", "fingerprint"])
    return tuple(decided)


def _set_review_hidden(review: Review, *, is_hidden: bool) -> None:
    review.is_hidden = is_hidden
    review.save(update_fields=["is_hidden"])
    update_review_counts(review.plugin_id)
