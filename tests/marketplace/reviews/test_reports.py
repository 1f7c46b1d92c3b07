"""Reports come in, and those who run the site decide them, once each."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest

from accounts.models import ApiKey, User
from marketplace.listings.review_counts import update_review_counts
from marketplace.models import Listing, Report
from marketplace.reviews import moderation, moderation_mails
from marketplace.reviews.abuse_reports import MAX_REPORTS_PER_HOUR, Reporter, TooManyReports, submit_report
from marketplace.reviews.save_review import ReviewTextTooLong, TextContainsKey, delete_review
from plugins.models import Plugin
from tests.marketplace.reviews.conftest import counts, people, reviewed

pytestmark = pytest.mark.django_db
VISITOR = Reporter(person=None, address="a" * 32)


@pytest.fixture
def ruth(db: None) -> User:
    """Runs the site."""
    return User.objects.create_superuser("ruth@example.org", "correct horse battery", display_name="Ruth")


def said(plugin: Plugin, *, reporter: Reporter = VISITOR, text: str = "See page 3.", **more: Any) -> Report:
    return submit_report(plugin, reporter=reporter, reason=more.pop("reason", "wrong"), text=text, **more)


# --- Reporting ----------------------------------------------------------------------------------------------------


def test_what_one_person_says_twice_is_one_report(plugin: Plugin, dora: User) -> None:
    for reporter in (VISITOR, Reporter(person=dora, address="b" * 32)):
        first = said(plugin, reporter=reporter, text="See page 3.")
        second = said(plugin, reporter=reporter, text="And page 4.", reason="rights")
        said(plugin, reporter=reporter, text="And page 4.", reason="rights")
        assert (second.pk, second.reason, second.text) == (first.pk, "rights", "And page 4.\n\nSee page 3.")
    assert Report.objects.count() == 2


def test_a_person_is_the_same_wherever_they_are(plugin: Plugin, dora: User) -> None:
    for address in ("a", "b"):
        said(plugin, reporter=Reporter(person=dora, address=address))
    assert Report.objects.get().reporter == dora


def test_a_plugin_and_its_reviews_are_reported_by_themselves(plugin: Plugin, dora: User, charlie: User) -> None:
    said(plugin)
    for review in (reviewed(plugin, dora), reviewed(plugin, charlie)):
        said(plugin, review=review)
        said(plugin, review=review)
    assert Report.objects.count() == 3


def test_what_is_said_again_after_the_decision_waits_again(plugin: Plugin, ruth: User) -> None:
    moderation.dismiss_report(said(plugin), by=ruth)
    said(plugin)
    assert list(Report.objects.order_by("created_at").values_list("outcome", flat=True)) == ["dismissed", "open"]


def test_a_text_that_grows_has_an_end(plugin: Plugin) -> None:
    said(plugin, text="x" * 1500)
    assert len(said(plugin, text="y" * 1500).text) == 2000
    with pytest.raises(ReviewTextTooLong):
        said(plugin, text="x" * 2001)


def test_a_report_holds_no_key(plugin: Plugin, dora: User) -> None:
    _, secret = ApiKey.objects.issue(owner=dora, name="agent")
    with pytest.raises(TextContainsKey):
        said(plugin, text=secret)


def test_one_address_cannot_flood_the_queue(plugin: Plugin, dora: User) -> None:
    for _ in range(MAX_REPORTS_PER_HOUR):
        said(plugin)
    with pytest.raises(TooManyReports) as refused:
        said(plugin)
    assert 0 < refused.value.retry_after <= 3600
    assert said(plugin, reporter=Reporter(person=dora, address=VISITOR.address)).reporter == dora


# --- Deciding -----------------------------------------------------------------------------------------------------


def test_hiding_a_review_decides_every_report_of_it(plugin: Plugin, dora: User, ruth: User, mailoutbox: Any) -> None:
    review = reviewed(plugin, dora)
    update_review_counts(plugin.pk)
    first = said(plugin, review=review)
    said(plugin, review=review, reporter=Reporter(person=ruth, address=""))
    said(plugin)
    decision = moderation.hide_review(first, by=ruth)
    review.refresh_from_db()
    assert (len(decision.reports), decision.is_mail_sent, review.is_hidden) == (2, True, True)
    assert Report.objects.open().count() == 1
    assert {(one.outcome, one.decided_by, one.fingerprint) for one in decision.reports} == {("hidden", ruth, "")}
    assert counts(plugin) == (0, 0, 0)
    [mail] = mailoutbox
    assert mail.to == [dora.email]
    assert "See page 3" not in mail.body


def test_a_decision_is_made_once(plugin: Plugin, dora: User, ruth: User, alice: User, mailoutbox: Any) -> None:
    report = said(plugin, review=reviewed(plugin, dora))
    moderation.hide_review(report, by=ruth)
    report.refresh_from_db()
    for action in moderation.MODERATION_ACTIONS.values():
        decision = action(report, by=alice)
        assert (decision.reports, decision.is_mail_sent) == ((), None)
    plugin.refresh_from_db()
    report.refresh_from_db()
    assert (report.outcome, report.decided_by, plugin.is_published, len(mailoutbox)) == ("hidden", ruth, True, 1)


def test_a_withdrawn_plugin_is_off_every_list_and_its_owner_is_told(
    plugin: Plugin, ruth: User, alice: User, mailoutbox: Any
) -> None:
    Plugin.objects.filter(pk=plugin.pk).update(name="Boots\nBcc: everybody@example.org")
    decision = moderation.withdraw_plugin(said(plugin, reason="rights", text="Mine."), by=ruth)
    plugin.refresh_from_db()
    assert (decision.is_mail_sent, plugin.is_published, Listing.objects.public().count()) == (True, False, 0)
    assert plugin.releases.count() == 1
    [mail] = mailoutbox
    assert (mail.to, mail.subject) == ([alice.email], "“Boots Bcc: everybody@example.org” was withdrawn")
    assert "it shows what somebody else owns" in mail.body
    assert "Mine." not in mail.body


def test_a_plugin_that_was_withdrawn_already_is_not_withdrawn_again(
    plugin: Plugin, dora: User, ruth: User, mailoutbox: Any
) -> None:
    of_review = said(plugin, review=reviewed(plugin, dora))
    moderation.withdraw_plugin(said(plugin), by=ruth)
    mailoutbox.clear()
    decision = moderation.withdraw_plugin(of_review, by=ruth)
    assert ([one.outcome for one in decision.reports], decision.is_mail_sent, mailoutbox) == (
        ["withdrawn"],
        None,
        [],
    )


def test_a_review_can_be_the_reason_to_withdraw_its_plugin(plugin: Plugin, dora: User, ruth: User) -> None:
    report = said(plugin, review=reviewed(plugin, dora))
    said(plugin)
    moderation.withdraw_plugin(report, by=ruth)
    plugin.refresh_from_db()
    assert (plugin.is_published, Report.objects.open().get().review) == (False, None)


def test_nothing_to_do_is_said_of_one_report(plugin: Plugin, ruth: User) -> None:
    first = said(plugin)
    other = said(plugin, reporter=Reporter(person=ruth, address=""))
    moderation.dismiss_report(first, by=ruth)
    assert list(Report.objects.open()) == [other]


def test_a_report_of_a_plugin_hides_no_review(plugin: Plugin, ruth: User) -> None:
    with pytest.raises(moderation.ReportHasNoReview):
        moderation.hide_review(said(plugin), by=ruth)


def test_what_was_decided_can_be_opened_again(plugin: Plugin, dora: User, ruth: User) -> None:
    review = reviewed(plugin, dora)
    reports = [said(plugin, review=review), said(plugin, review=review, reporter=Reporter(person=ruth, address=""))]
    moderation.hide_review(reports[0], by=ruth)
    for one in reports:
        moderation.reopen_report(one)
    review.refresh_from_db()
    assert (review.is_hidden, Report.objects.open().count(), counts(plugin)) == (False, 2, (1, 0, 0))
    with pytest.raises(moderation.ReportNotDecided):
        moderation.reopen_report(reports[0])
    assert len(moderation.hide_review(reports[1], by=ruth).reports) == 2


def test_a_review_that_its_author_deleted_meanwhile_stays_away(plugin: Plugin, dora: User, ruth: User) -> None:
    review = reviewed(plugin, dora)
    report = said(plugin, review=review)
    moderation.hide_review(report, by=ruth)
    review.refresh_from_db()
    delete_review(review)
    moderation.reopen_report(report)
    review.refresh_from_db()
    assert (review.is_hidden, review.is_deleted, counts(plugin)) == (True, True, (0, 0, 0))
    assert Report.objects.open().get() == report


def test_a_mail_that_cannot_be_sent_undoes_nothing(plugin: Plugin, ruth: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: Any, **options: Any) -> None:
        raise smtplib.SMTPServerDisconnected("gone")

    monkeypatch.setattr(moderation_mails, "send_letter", away)
    decision = moderation.withdraw_plugin(said(plugin), by=ruth)
    plugin.refresh_from_db()
    assert (decision.is_mail_sent, plugin.is_published) == (False, False)


def test_only_those_who_run_the_site_see_reports(plugin: Plugin, ruth: User, alice: User, bob: User) -> None:
    for person in people(3):
        said(plugin, reporter=Reporter(person=person, address=""))
    assert [Report.objects.visible_to(one).count() for one in (ruth, alice, bob)] == [3, 0, 0]
