"""A private question is private by itself, whatever its asker has and may read today."""

from __future__ import annotations

import math
import uuid
from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.cache import caches
from django.db import IntegrityError
from django.urls import reverse

from accounts.models import ApiKey, User
from conversations.models import ChatSession, Project
from conversations.private_document_search import private_layers
from conversations.retention import delete_private_conversation
from knowledge.models import KnowledgeBase
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.data_export import personal_rows
from privacy.project_deletion import delete_project
from querying.models import Feedback, MonthlyCost, Query
from querying.query_log.quotations import withhold_quotations
from querying.query_log.spending import (
    SpendingCapReached,
    account_spending,
    check_spending,
    count_spending,
    plugin_spending,
    site_spending,
)
from querying.question import caller_access
from querying.question.clarifications import InvalidResumeToken
from querying.question.resume import resume_from_token
from querying.types.answer import Outcome
from tests.api.callers import signed_in
from tests.conversations.layered import NO_ANSWER, ask, personal, project, webhook
from tests.cover import handbook, plugin, published
from tests.querying.scripted import Scripted
from webhooks.models import Delivery, Webhook

__all__ = ["handbook", "personal", "plugin", "project", "published", "webhook"]
pytestmark = pytest.mark.django_db
WORDS = "What is the nominal cover of a beam in severe exposure, as Quillfeather wonders?"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["process"].clear()


def paid(cost: str, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A model whose every answer costs this much."""
    monkeypatch.setattr("querying.query_log.record_query.cost_of", lambda usage, llm, was_called: Decimal(cost))
    llm = Scripted("The nominal cover is 45 mm [Source 1].")
    llm.is_offline = False
    return llm


def test_a_question_with_layers_is_private_and_stays_so_without_them(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    question, _ = ask(published, bob)
    assert question.is_private
    assert replace(question, layers=()).is_private


def test_without_any_layer_the_plugins_people_find_nothing_of_it(
    published: Plugin, alice: User, bob: User, webhook: Webhook
) -> None:
    Delivery.objects.all().delete()
    question, answer = ask(published, bob, text=WORDS, is_private=True)
    _, refused = ask(published, bob, text=f"{NO_ANSWER} Quillfeather asks.", is_private=True)
    assert (question.layers, answer.outcome, refused.outcome) == ((), Outcome.ANSWERED, Outcome.REFUSED)
    assert Query.objects.filter(plugin=None, release=None, user=bob, is_private=True).count() == 2
    client = signed_in(alice)
    panes = [reverse(f"admin:builder_{pane}", args=[published.pk]) for pane in ("inbox", "analytics", "limits")]
    for address in [*panes, reverse("admin:index"), reverse("admin:querying_query_changelist")]:
        page = client.get(address)
        assert page.status_code == 200, address
        assert b"Quillfeather" not in page.content, address
    assert client.get(f"/api/plugins/{published.slug}/queries").json()["results"] == []
    assert client.get(f"/api/plugins/{published.slug}/analytics").json()["total"] == 0
    assert not Delivery.objects.exists()
    assert not Query.objects.visible_to(alice).exists()
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    assert not Query.objects.visible_to(operator).exists()
    assert Query.objects.visible_to(bob).count() == personal_rows(bob, "querying.Query.user").count() == 2


def test_neither_does_access_that_was_lost_in_between_open_it(
    published: Plugin, project: Project, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", math.inf)  # looked at once more where the answer takes its time
    layers = private_layers(bob, project=project)
    project.set_members({})
    question, _ = ask(published, bob, text=WORDS, layers=layers)
    assert Query.objects.get(pk=question.id).plugin is None
    assert not Query.objects.visible_to(published.owner).exists()


def test_its_asker_reads_the_answer_again(published: Plugin, bob: User) -> None:
    ask(published, bob, text=WORDS, is_private=True)
    [row] = withhold_quotations(Query.objects.all(), viewer=bob)
    assert "45 mm" in row.answer
    assert row.citations
    Plugin.objects.update(is_published=False)


@pytest.mark.parametrize("column", ["plugin", "release"])
def test_the_database_holds_no_private_row_that_names_a_plugin(published: Plugin, column: str) -> None:
    named = {"plugin": published, "release": published.releases.get()}
    with pytest.raises(IntegrityError, match="private_query_names_no_plugin"):
        Query.objects.create(is_private=True, question="?", outcome="answered", **{column: named[column]})


def test_the_database_holds_no_row_with_layers_that_is_not_private() -> None:
    layers = [{"knowledge_base": 1, "revision": 1, "embedder": "local"}]
    with pytest.raises(IntegrityError, match="query_with_layers_is_private"):
        Query.objects.create(layers=layers, question="?", outcome="answered")


def test_what_was_asked_back_in_private_is_not_answered_in_public(published: Plugin, bob: User) -> None:
    question, answer = ask(published, bob, text="What is the nominal cover of a beam?", is_private=True)
    assert answer.clarification
    token = answer.clarification.token
    assert resume_from_token(question, token=token, answer="severe").is_private
    with pytest.raises(InvalidResumeToken):
        resume_from_token(replace(question, is_private=False), token=token, answer="severe")


@pytest.mark.parametrize("by_key", [False, True])
def test_nobody_is_told_what_its_asker_thinks_of_the_answer(published: Plugin, bob: User, by_key: bool) -> None:
    key, secret = ApiKey.objects.issue(owner=bob, name="x", capabilities=["query", "read"])
    question, _ = ask(published, key if by_key else bob, text=WORDS, is_private=True)
    client = signed_in(bob)
    if by_key:
        client.logout()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    said = client.post(f"/api/queries/{question.id}/feedback", {"verdict": "down"}, format="json")
    assert (said.status_code, said.json()["code"]) == (409, "private_answer"), said.content
    assert not Feedback.objects.exists()


# --- What it costs ----------------------------------------------------------------------------------------------


def test_the_plugins_cap_counts_it_in_steps(published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = paid("0.06", monkeypatch)
    question, _ = ask(published, bob, text=WORDS, is_private=True, llm=llm)
    assert plugin_spending(published) == 0, "one question shows nothing"
    ask(published, bob, text=WORDS, is_private=True, llm=llm)
    assert plugin_spending(published) == Decimal("0.10")
    assert MonthlyCost.objects.get().cost == Decimal("0.12")
    assert account_spending(bob) == Decimal("0.12"), "of one's own every cent is shown"
    published.spending_cap = Decimal("0.10")
    published.save()
    caches["process"].clear()
    asked = replace(question, release=published.releases.select_related("plugin").get())
    with pytest.raises(SpendingCapReached, match="This plugin"):
        check_spending(asked, llm=llm)


def test_the_sum_names_nobody_and_no_moment() -> None:
    columns = {field.column for field in MonthlyCost._meta.fields}
    assert columns == {"id", "plugin_id", "user_id", "month", "cost"}


def test_a_public_question_is_counted_once(published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(published, bob, text=WORDS, layers=(), llm=paid("0.06", monkeypatch))
    assert plugin_spending(published) == Decimal("0.06")
    assert not MonthlyCost.objects.exists()


def test_a_conversation_that_is_deleted_lowers_no_cap(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=None, title="Beams")
    llm = paid("0.06", monkeypatch)
    ask(published, bob, text=WORDS, is_private=True, conversation_id=session.pk, llm=llm)
    ask(published, bob, text=WORDS, is_private=True, conversation_id=uuid.uuid4(), llm=llm)
    delete_private_conversation(session)
    assert Query.objects.get().conversation_id != session.pk
    assert account_spending(bob) == Decimal("0.12")


def test_an_account_that_is_deleted_leaves_what_it_spent_to_the_cap_of_the_site(
    published: Plugin, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm = paid("0.06", monkeypatch)
    for person in (bob, charlie):
        session = ChatSession.objects.begin_private(user=person, project=None, title="Beams")
        ask(published, person, text=WORDS, is_private=True, conversation_id=session.pk, llm=llm)
        delete_private_conversation(session)
        ask(published, person, text=WORDS, is_private=True, llm=llm)
        ask(published, person, text=WORDS, layers=(), llm=llm)
        count_spending(person.pk, Decimal("0.01"))
    before = site_spending()
    for person in (bob, charlie):
        delete_account(person)
    assert (before, site_spending()) == (Decimal("0.38"), Decimal("0.38"))
    assert not MonthlyCost.objects.exclude(user=None).exists()


def test_a_call_for_nobody_counts_for_the_site(db: None, bob: User) -> None:
    person = bob.pk
    bob.delete()
    count_spending(None, Decimal("0.01"))
    assert site_spending() == Decimal("0.01")
    assert account_spending(person) == 0


def test_a_project_takes_what_was_asked_in_it_along(
    published: Plugin, project: Project, bob: User, charlie: User
) -> None:
    sessions = [ChatSession.objects.begin_private(user=one, project=project, title="x") for one in (bob, charlie)]
    for session in sessions:
        assert session.user
        ask(published, session.user, text=WORDS, layers=(), is_private=True, conversation_id=session.pk)
    ask(published, bob, text=WORDS, is_private=True)
    delete_project(project)
    assert Query.objects.get().user == bob
