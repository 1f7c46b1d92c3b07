"""The forms of reviews, replies and reports, the queue of reports, and the pane of reviews in the builder."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from builder.readiness import reverse_pane
from marketplace.models import Report, Review
from marketplace.reviews.abuse_reports import MAX_REPORTS_PER_HOUR
from plugins.models import Plugin, Release
from tests.marketplace.reviews.conftest import ask, people, plugin, reviewed

__all__ = ["plugin"]  # fixtures of theirs that are used here too

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
REVIEW, REPORT = "/marketplace/boots/review", "/marketplace/boots/report"
QUEUE = "/admin/marketplace/report/"


@pytest.fixture
def ruth(db: None) -> User:
    return User.objects.create_superuser("ruth@example.org", "correct horse battery", display_name="Ruth")


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def of(review: Review, what: str) -> str:
    return f"/marketplace/boots/reviews/{review.pk}/{what}"


# --- One's own review ---------------------------------------------------------------------------------------------


def test_a_review_is_written_changed_and_deleted(browsing: Browse, plugin: Plugin, visitor: User) -> None:
    ask(plugin, visitor)
    client = browsing(visitor)
    assert "Write a review" in text_of(client.get(REVIEW))
    answer = client.post(REVIEW, {"verdict": "relied", "text": "Exact.\r\nEvery time."})
    assert (answer.status_code, answer["Location"]) == (302, "/marketplace/boots#reviews")
    assert Review.objects.get().text == "Exact.\nEvery time."
    page = text_of(client.get(REVIEW))
    assert "Exact. Every time.</textarea>" in page
    assert re.search(r'value="relied"[^>]* checked', page)
    client.post(REVIEW, {"verdict": "care", "text": ""})
    assert Review.objects.get().verdict == "care"
    client.post(f"{REVIEW}/delete")
    assert not Review.objects.exists()
    assert client.post(f"{REVIEW}/delete").status_code == 404


def test_a_form_that_is_not_right_keeps_what_was_typed(browsing: Browse, plugin: Plugin, visitor: User) -> None:
    ask(plugin, visitor)
    page = text_of(browsing(visitor).post(REVIEW, {"verdict": "stars", "text": "Kept <b>as text</b>."}))
    assert "Kept &lt;b&gt;as text&lt;/b&gt;." in page
    assert "errorlist" in page
    assert not Review.objects.exists()


def test_two_thousand_characters_fit_whatever_ends_a_line(browsing: Browse, plugin: Plugin, visitor: User) -> None:
    ask(plugin, visitor)
    browsing(visitor).post(REVIEW, {"verdict": "relied", "text": "line\r\n" * 399 + "12345"})
    assert len(Review.objects.get().text) == 2000


def test_whoever_has_used_it_too_little_is_told_how_much_is_missing(
    browsing: Browse, plugin: Plugin, visitor: User
) -> None:
    ask(plugin, visitor, times=1)
    for method in ("get", "post"):
        response = getattr(browsing(visitor), method)(REVIEW, {"verdict": "relied"})
        assert response.status_code == 403
        assert "You have asked it 1 question. From 5 questions on" in text_of(response)
    assert not Review.objects.exists()


def test_nobody_reviews_their_own(browsing: Browse, plugin: Plugin, alice: User) -> None:
    response = browsing(alice).get(REVIEW)
    assert (response.status_code, "You work on this plugin" in text_of(response)) == (403, True)


def test_a_review_needs_an_account(plugin: Plugin) -> None:
    response = Client().get(REVIEW)
    assert (response.status_code, response["Location"]) == (302, f"/accounts/login/?next={REVIEW}")


def test_of_a_plugin_that_is_off_the_air_nothing_is_found(
    browsing: Browse, plugin: Plugin, visitor: User, alice: User
) -> None:
    review = reviewed(plugin, visitor)
    plugin.unpublish()
    for address in (REVIEW, REPORT, of(review, "report"), of(review, "reply")):
        for person in (visitor, alice):
            assert browsing(person).get(address).status_code == 404
    assert browsing(visitor).post(f"{REVIEW}/delete").status_code == 404


# --- The reply ----------------------------------------------------------------------------------------------------


def test_an_author_replies_once_and_can_change_it(
    browsing: Browse, plugin: Plugin, visitor: User, alice: User, bob: User
) -> None:
    review = reviewed(plugin, visitor)
    plugin.editors.add(bob)
    browsing(alice).post(of(review, "reply"), {"text": "Thank you."})
    assert "Thank you.</textarea>" in text_of(browsing(bob).get(of(review, "reply")))
    browsing(bob).post(of(review, "reply"), {"text": "Thanks."})
    review.refresh_from_db()
    assert review.reply == "Thanks."


def test_others_cannot_reply(
    browsing: Browse, plugin: Plugin, visitor: User, charlie: User, bob: User, alice: User
) -> None:
    review = reviewed(plugin, visitor)
    plugin.viewers.add(bob)
    for person in (visitor, charlie, bob):
        assert browsing(person).get(of(review, "reply")).status_code == 404
        assert browsing(person).post(of(review, "reply"), {"text": "x"}).status_code == 404
    Review.objects.update(is_hidden=True)
    assert browsing(alice).post(of(review, "reply"), {"text": "x"}).status_code == 404
    review.refresh_from_db()
    assert review.reply == ""


def test_a_review_is_found_only_under_its_own_plugin(
    browsing: Browse, plugin: Plugin, visitor: User, alice: User, charlie: User
) -> None:
    other = Plugin.objects.create(owner=charlie, name="Other", slug="other", domain="x", system_prompt="x")
    other.set_live_release(Release.objects.create(plugin=other, version="1.0.0", system_prompt="x"))
    review = reviewed(plugin, visitor)
    for what in ("reply", "report"):
        assert browsing(charlie).get(f"/marketplace/other/reviews/{review.pk}/{what}").status_code == 404


# --- Reports ------------------------------------------------------------------------------------------------------


def test_anybody_can_report_a_plugin_and_a_review(browsing: Browse, plugin: Plugin, visitor: User) -> None:
    review = reviewed(plugin, visitor, text="Rude <i>words</i>.")
    page = text_of(Client().get(of(review, "report")))
    assert "Rude &lt;i&gt;words&lt;/i&gt;." in page
    assert Client().post(REPORT, {"reason": "rights", "text": "It is mine."}).status_code == 302
    browsing(visitor).post(of(review, "report"), {"reason": "abuse"})
    said = Report.objects.order_by("created_at").values_list("reason", "text", "review", "reporter")
    assert list(said) == [("rights", "It is mine.", None, None), ("abuse", "", review.pk, visitor.pk)]
    assert "127.0.0.1" not in str(Report.objects.values())


def test_a_report_needs_a_reason(plugin: Plugin) -> None:
    assert "Choose what fits best." in text_of(Client().post(REPORT, {"text": "It is mine."}))
    assert not Report.objects.exists()


def test_who_reports_too_much_waits_and_keeps_their_words(plugin: Plugin) -> None:
    client = Client()
    for _ in range(MAX_REPORTS_PER_HOUR):
        client.post(REPORT, {"reason": "other"})
    response = client.post(REPORT, {"reason": "other", "text": "One more thing."})
    page = text_of(response)
    assert (response.status_code, 0 < int(response["Retry-After"]) <= 3600) == (429, True)
    assert "One more thing.</textarea>" in page
    assert "Try again in" in page


def test_a_hidden_review_is_not_there_to_be_reported(plugin: Plugin, visitor: User) -> None:
    review = reviewed(plugin, visitor, is_hidden=True)
    assert Client().get(of(review, "report")).status_code == 404


def test_forms_want_their_token(plugin: Plugin) -> None:
    assert Client(enforce_csrf_checks=True).post(REPORT, {"reason": "other"}).status_code == 403


# --- The queue ----------------------------------------------------------------------------------------------------


@pytest.fixture
def reported(plugin: Plugin, visitor: User) -> Report:
    review = reviewed(plugin, visitor, text="Rude <i>words</i>.", reply="Now, now.", replied_at=timezone.now())
    return Report.objects.create(plugin=plugin, review=review, reason="abuse", text="Look <u>at it</u>.")


def decide(client: Client, report: Report, action: str) -> Any:
    address = reverse("admin:marketplace_report_decide", args=[report.pk])
    return client.post(address, {"action": action}, follow=True)


def test_the_queue_is_for_those_who_run_the_site(
    browsing: Browse, reported: Report, alice: User, charlie: User, visitor: User
) -> None:
    one = reverse("admin:marketplace_report_change", args=[reported.pk])
    for client in (browsing(alice), browsing(charlie), browsing(visitor), Client()):
        for address in (QUEUE, one):
            assert client.get(address).status_code in (302, 403, 404)
        assert decide(client, reported, "hide").status_code in (403, 404, 200)
        assert "Reports" not in text_of(client.get("/admin/", follow=True))
    reported.refresh_from_db()
    assert (reported.outcome, reported.review.is_hidden) == ("open", False)


def test_the_reported_thing_stands_beside_the_report(browsing: Browse, reported: Report, ruth: User) -> None:
    client = browsing(ruth)
    page = text_of(client.get(reverse("admin:marketplace_report_change", args=[reported.pk])))
    for words in (
        "Rude &lt;i&gt;words&lt;/i&gt;.",
        "Look &lt;u&gt;at it&lt;/u&gt;.",
        "Now, now.",
        "Hide the review",
    ):
        assert words in page
    of_plugin = Report.objects.create(plugin=reported.plugin, reason="wrong", fingerprint="x")
    page = text_of(client.get(reverse("admin:marketplace_report_change", args=[of_plugin.pk])))
    assert "Withdraw the plugin" in page
    assert "Hide the review" not in page


def test_a_decision_is_in_the_history_with_who_and_when(
    browsing: Browse, reported: Report, ruth: User, mailoutbox: Any
) -> None:
    client = browsing(ruth)
    assert "The review is off the page." in text_of(decide(client, reported, "hide"))
    assert "was decided before" in text_of(decide(client, reported, "withdraw"))
    reported.refresh_from_db()
    assert (reported.decided_by, reported.plugin.is_published, len(mailoutbox)) == (ruth, True, 1)
    noted = LogEntry.objects.values_list("user", "object_id", "change_message")
    assert list(noted) == [(ruth.pk, str(reported.pk), "Review hidden.")]
    history = text_of(client.get(reverse("admin:marketplace_report_history", args=[reported.pk])))
    assert "Review hidden." in history


def test_a_withdrawal_is_in_the_history_of_the_plugin_too(browsing: Browse, reported: Report, ruth: User) -> None:
    decide(browsing(ruth), reported, "withdraw")
    noted = LogEntry.objects.order_by("pk").values_list("object_id", "change_message")
    assert list(noted) == [
        (str(reported.pk), "Plugin withdrawn."),
        (str(reported.plugin_id), "Withdrawn after a report."),
    ]
    assert not Plugin.objects.get().is_published


def test_a_decision_is_opened_again(browsing: Browse, reported: Report, ruth: User) -> None:
    client = browsing(ruth)
    decide(client, reported, "hide")
    assert "The report waits again." in text_of(decide(client, reported, "reopen"))
    assert not Review.objects.get().is_hidden
    decide(client, reported, "burn")
    assert Report.objects.get().is_open


def test_the_list_shows_what_waits_and_acts_on_it(browsing: Browse, reported: Report, ruth: User) -> None:
    client = browsing(ruth)
    assert "Rude &lt;i&gt;words" in text_of(client.get(QUEUE))
    chosen = {"action": "dismiss_chosen", "_selected_action": [str(reported.pk)]}
    assert "No action." in text_of(client.post(QUEUE, chosen, follow=True))
    reported.refresh_from_db()
    assert (reported.outcome, reported.decided_by) == ("dismissed", ruth)
    assert "Rude" not in text_of(client.get(QUEUE))
    for query in ({"state": "dismissed"}, {"state": "all", "what": "review"}, {"state": "all", "q": "boots"}):
        assert "Rude" in text_of(client.get(QUEUE, query))
    assert "Rude" not in text_of(client.get(QUEUE, {"state": "all", "what": "plugin"}))


@pytest.mark.parametrize("action", ["hide_chosen", "withdraw_chosen"])
def test_the_list_hides_and_withdraws_as_well(
    browsing: Browse, reported: Report, ruth: User, alice: User, action: str
) -> None:
    chosen = {"action": action, "_selected_action": [str(reported.pk)]}
    assert browsing(alice).post(QUEUE, chosen).status_code == 403
    browsing(ruth).post(QUEUE, chosen)
    is_on_the_air, is_hidden = Plugin.objects.get().is_published, Review.objects.get().is_hidden
    assert (is_on_the_air, is_hidden) == ((True, True) if action == "hide_chosen" else (False, False))


def test_the_list_takes_the_same_queries_for_any_number(
    browsing: Browse, reported: Report, ruth: User, django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = browsing(ruth)
    client.get(QUEUE)
    with CaptureQueriesContext(connection) as counted:
        client.get(QUEUE)
    for number, person in enumerate(people(4)):
        Report.objects.create(plugin=reported.plugin, reporter=person, fingerprint=str(number), reason="wrong")
    with django_assert_num_queries(len(counted)):
        client.get(QUEUE)


def test_those_who_run_the_site_see_how_many_wait(browsing: Browse, reported: Report, ruth: User) -> None:
    assert QUEUE in text_of(browsing(ruth).get("/admin/"))


# --- In the builder -----------------------------------------------------------------------------------------------


def test_new_reviews_wait_on_the_dashboard_until_somebody_replies(
    browsing: Browse, plugin: Plugin, visitor: User, alice: User, bob: User
) -> None:
    plugin.viewers.add(bob)
    review = reviewed(plugin, visitor)
    sentence = "1 review of this week has no reply"
    assert sentence in text_of(browsing(alice).get("/admin/"))
    assert sentence not in text_of(browsing(bob).get("/admin/"))
    address = reverse("admin:builder_review_reply", args=[plugin.pk, review.pk])
    assert browsing(bob).post(address, {"text": "x"}).status_code == 404
    page = text_of(browsing(alice).post(address, {"text": "Thank you."}, follow=True))
    assert "Your reply is published." in page
    assert sentence not in text_of(browsing(alice).get("/admin/"))


def test_the_pane_shows_reviews_as_text_and_keeps_what_could_not_be_saved(
    browsing: Browse, plugin: Plugin, visitor: User, alice: User
) -> None:
    review = reviewed(plugin, visitor, text="Rude <i>words</i>.")
    reviewed(plugin, people(1)[0], text="Hidden words.", is_hidden=True)
    client = browsing(alice)
    page = text_of(client.get(reverse_pane(plugin, "reviews")))
    assert "Rude &lt;i&gt;words&lt;/i&gt;." in page
    assert "Hidden words." not in page
    assert visitor.email not in page
    address = reverse("admin:builder_review_reply", args=[plugin.pk, review.pk])
    assert "x</textarea>" in text_of(client.post(address, {"text": "x" * 2001}))


def test_the_pane_takes_the_same_queries_for_any_number(
    browsing: Browse, plugin: Plugin, alice: User, django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client, crowd = browsing(alice), people(9)
    reviewed(plugin, crowd[0])
    client.get(reverse_pane(plugin, "reviews"))
    with CaptureQueriesContext(connection) as counted:
        client.get(reverse_pane(plugin, "reviews"))
    for person in crowd[1:]:
        reviewed(plugin, person)
    with django_assert_num_queries(len(counted)):
        client.get(reverse_pane(plugin, "reviews"))


def test_without_reviews_the_pane_says_where_they_come_from(browsing: Browse, plugin: Plugin, alice: User) -> None:
    assert "No reviews yet." in text_of(browsing(alice).get(reverse_pane(plugin, "reviews")))
