"""What waited in the inbox closes by itself once a release answers it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ApiKey, User
from knowledge.models import Document
from marketplace.publishing.close_answered_questions import close_answered_questions
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Dismissal, ExpertRequest, Feedback, Query
from tests.cover import give_document, handbook, plugin

__all__ = ["handbook", "plugin"]
pytestmark = pytest.mark.django_db

COLOUR, CUP = "Which colour do helmets of visitors have?", "Who won the world cup?"
HELMETS = "# Helmets\n\nHelmets of visitors have the colour orange.\n"


def refused(plugin: Plugin, question: str, **columns: Any) -> Query:
    given = {"release_name": "x@1.0.0", "outcome": "refused", "created_at": timezone.now() - timedelta(days=1)}
    return Query.objects.create(plugin=plugin, question=question, **given | columns)


def waiting(plugin: Plugin) -> list[Query]:
    since = timezone.now() - timedelta(days=30)
    return list(Query.objects.filter(plugin=plugin).needing_attention(since=since).order_by("pk"))


def published_with_helmets(plugin: Plugin, alice: User) -> None:
    give_document(plugin, title="Helmets", text=HELMETS)
    publish(plugin, by=alice)


def test_what_the_release_answers_closes_and_nothing_else(plugin: Plugin, handbook: Document, alice: User) -> None:
    answered, open_still = refused(plugin, COLOUR), refused(plugin, CUP)
    follow_up = refused(plugin, COLOUR, context=[{"role": "user", "content": "?"}])
    published_with_helmets(plugin, alice)
    assert close_answered_questions(plugin.pk) == 1
    assert {one.pk for one in waiting(plugin)} == {open_still.pk, follow_up.pk}
    dismissal = Dismissal.objects.get()
    assert (dismissal.query, dismissal.by, dismissal.is_automatic) == (answered, None, True)
    assert close_answered_questions(plugin.pk) == 0


def test_what_people_called_wrong_or_wait_for_stays(plugin: Plugin, handbook: Document, alice: User) -> None:
    Feedback.objects.create(query=refused(plugin, COLOUR), verdict="down")
    ExpertRequest.objects.create(query=refused(plugin, COLOUR))
    published_with_helmets(plugin, alice)
    assert close_answered_questions(plugin.pk) == 0
    assert len(waiting(plugin)) == 2


def test_what_visitors_may_not_be_told_stays_open(plugin: Plugin, handbook: Document, alice: User) -> None:
    refused(plugin, COLOUR)
    Plugin.objects.filter(pk=plugin.pk).update(public_chat=True)
    plugin.refresh_from_db()
    published_with_helmets(plugin, alice)
    assert close_answered_questions(plugin.pk) == 0
    Document.objects.update(is_public=True)
    assert close_answered_questions(plugin.pk) == 1


def test_a_private_document_does_not_hide_what_visitors_are_told(
    plugin: Plugin, handbook: Document, alice: User
) -> None:
    """Judged as its author, the answer would cite the private document as well."""
    refused(plugin, COLOUR)
    give_document(plugin, title="Helmets of visitors", text=HELMETS.replace("Helmets of", "All helmets of"))
    Plugin.objects.filter(pk=plugin.pk).update(public_chat=True)
    plugin.refresh_from_db()
    published_with_helmets(plugin, alice)
    Document.objects.filter(title="Helmets").update(is_public=True)
    assert close_answered_questions(plugin.pk) == 1


def test_a_key_that_reads_more_than_visitors_is_judged_by_itself(
    plugin: Plugin, handbook: Document, alice: User, bob: User
) -> None:
    visitors = refused(plugin, COLOUR)
    refused(plugin, COLOUR, api_key=ApiKey.objects.issue(owner=bob, name="agent")[0])
    Plugin.objects.filter(pk=plugin.pk).update(public_chat=True)
    plugin.refresh_from_db()
    published_with_helmets(plugin, alice)
    assert close_answered_questions(plugin.pk) == 1
    assert waiting(plugin) == [visitors]
