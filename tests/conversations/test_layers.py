"""A question that reads its asker's own documents besides a plugin's: who may, what is quoted, what stays behind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, User
from conversations.models import Project
from conversations.private_document_search import DocumentScope, private_layers
from knowledge.models import Document, KnowledgeBase
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.data_export import personal_rows
from privacy.plugin_deletion import delete_plugin
from privacy.project_deletion import delete_project
from privacy.storage_sweep import sweep_storage
from privacy.tasks import erase_old_questions
from querying.models import Query
from querying.query_log.quotations import WITHHELD_TEXT, withhold_quotations
from querying.question import caller_access
from querying.question.caller_access import AccessEnded, check_access
from querying.question.resume import resume_from_token
from querying.types.answer import Outcome
from querying.types.question import Caller
from tests.api.callers import signed_in
from tests.conversations.layered import NO_ANSWER, ask, give, personal, project, webhook
from tests.cover import handbook, plugin, published
from webhooks.models import Delivery, Webhook

__all__ = ["handbook", "personal", "plugin", "project", "published", "webhook"]
pytestmark = pytest.mark.django_db


def test_the_plugin_and_ones_own_documents_answer_together(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    question, answer = ask(published, bob)
    assert [layer.knowledge_base_id for layer in question.layers] == [personal.pk]
    assert "75 mm" in answer.text
    assert "Marrow House" in {citation.passage.document_title for citation in answer.citations}
    _, of_plugin = ask(published, bob, text="What is the nominal cover of a beam in severe exposure?")
    assert "45 mm" in of_plugin.text
    _, without = ask(published, bob, layers=())
    assert "75 mm" not in without.text


def test_a_project_is_a_layer_as_long_as_one_is_in_it(published: Plugin, project: Project, bob: User) -> None:
    layers = private_layers(bob, project=project)
    assert "75 mm" in ask(published, bob, layers=layers)[1].text
    assert private_layers(bob, project=project, scope=DocumentScope.PERSONAL) == ()
    project.set_members({})
    assert private_layers(bob, project=project) == ()
    question, answer = ask(published, bob, layers=layers)
    assert "75 mm" not in answer.text
    with pytest.raises(AccessEnded):
        check_access(question)


def test_a_layer_is_read_as_it_stood(published: Plugin, personal: KnowledgeBase, bob: User) -> None:
    layers = private_layers(bob)
    later = give(personal, "The footings of Marrow House get a nominal cover of 90 mm since the second letter.")
    assert "90 mm" not in ask(published, bob, layers=layers)[1].text
    _, answer = ask(published, bob)
    assert str(later.pk) in {str(citation.passage.document_id) for citation in answer.citations}


def limited(bob: User, plugin: Plugin) -> ApiKey:
    return ApiKey.objects.issue(owner=bob, name="x", capabilities=["query", "read"], plugins=[plugin])[0]


def without_read(bob: User, plugin: Plugin) -> ApiKey:
    return ApiKey.objects.issue(owner=bob, name="x", capabilities=["query", "author"])[0]


@pytest.mark.parametrize("make_key", [limited, without_read])
def test_such_a_key_never_reaches_a_layer(
    published: Plugin, personal: KnowledgeBase, bob: User, make_key: Callable[[User, Plugin], ApiKey]
) -> None:
    key = make_key(bob, published)
    assert private_layers(key) == ()
    question, answer = ask(published, key, layers=private_layers(bob))  # though somebody handed it the layers
    assert "75 mm" not in answer.text
    with pytest.raises(AccessEnded):
        check_access(question)


def test_a_key_that_may_ask_and_read_does(published: Plugin, personal: KnowledgeBase, bob: User) -> None:
    key, _ = ApiKey.objects.issue(owner=bob, name="x", capabilities=["query", "read"])
    assert "75 mm" in ask(published, key)[1].text


def test_nobody_else_reads_a_layer_that_they_name(
    published: Plugin, personal: KnowledgeBase, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slow answer is stopped for them; here they get one.
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", float("inf"))
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    layers = private_layers(bob)
    for stranger in (alice, operator):
        assert "75 mm" not in ask(published, stranger, layers=layers)[1].text
    public = Caller(name="public", user_id=bob.pk, is_public_caller=True)
    assert "75 mm" not in ask(published, bob, layers=layers, caller=public)[1].text


def test_what_must_be_public_of_the_plugin_need_not_be_in_ones_own_documents(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    Plugin.objects.update(public_only=True)
    published.refresh_from_db()
    publish(published, by=published.owner)
    assert "75 mm" in ask(published, bob)[1].text
    _, of_plugin = ask(published, bob, text="How far apart do spacers of mortar stand?")
    assert "metre" not in of_plugin.text


def test_templates_are_left_out(published: Plugin, personal: KnowledgeBase, bob: User) -> None:
    Document.objects.filter(knowledge_base=personal).update(is_template=True)
    assert "75 mm" not in ask(published, bob)[1].text


# --- What stays behind ------------------------------------------------------------------------------------------


def test_nobody_else_is_answered_from_a_plugins_playbook(
    published: Plugin, handbook: Document, alice: User, bob: User
) -> None:
    """Also without documents of one's own: it says what the plugin's people would give way on."""
    Document.objects.filter(pk=handbook.pk).update(is_template=True, doc_type="playbook")
    spacers = "How far apart do spacers made of mortar stand?"
    assert "one metre" in ask(published, alice, text=spacers)[1].text
    for principal, is_private in ((bob, False), (bob, True), (alice, True)):
        _, answer = ask(published, principal, text=spacers, layers=(), is_private=is_private)
        assert (answer.outcome, answer.nearest) == (Outcome.REFUSED, ()), (principal, is_private)


def test_the_plugins_people_see_neither_words_nor_counts(
    published: Plugin, personal: KnowledgeBase, alice: User, bob: User, webhook: Webhook
) -> None:
    Delivery.objects.all().delete()
    ask(published, bob)
    _, refused = ask(published, bob, text=f"{NO_ANSWER} Marrow House asks.")
    assert refused.outcome == Outcome.REFUSED
    assert Query.objects.filter(plugin=None, release=None, user=bob).count() == 2
    client = signed_in(alice)
    panes = [reverse(f"admin:builder_{pane}", args=[published.pk]) for pane in ("inbox", "analytics", "sandbox")]
    for address in [*panes, reverse("admin:index"), reverse("admin:querying_query_changelist")]:
        page = client.get(address)
        assert page.status_code == 200, address
        assert b"Marrow" not in page.content, address
    assert client.get(f"/api/plugins/{published.slug}/queries").json()["results"] == []
    assert client.get(f"/api/plugins/{published.slug}/analytics").json()["total"] == 0
    assert not Delivery.objects.exists()
    assert not Query.objects.visible_to(alice).exists()


def test_those_who_run_the_site_see_none_of_it_either(published: Plugin, personal: KnowledgeBase, bob: User) -> None:
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    ask(published, bob)
    ask(published, bob, layers=(), text=NO_ANSWER)
    assert Query.objects.visible_to(bob).count() == 2
    assert [row.question for row in Query.objects.visible_to(operator)] == [NO_ANSWER]
    client = Client()
    client.force_login(operator)
    listed = client.get(reverse("admin:querying_query_changelist")).content.decode()
    assert ("diver" in listed, "Marrow" in listed) == (True, False)


def test_whoever_asked_reads_the_answer_again_until_they_lose_a_layer(
    published: Plugin, project: Project, bob: User
) -> None:
    ask(published, bob, layers=private_layers(bob, project=project))
    assert "75 mm" in withhold_quotations(Query.objects.all(), viewer=bob)[0].answer
    project.set_members({})
    [row] = withhold_quotations(Query.objects.all(), viewer=bob)
    assert row.answer == WITHHELD_TEXT
    assert not [citation for citation in row.citations if "Marrow" in citation.get("excerpt", "")]


def test_a_question_is_kept_as_long_as_this_site_keeps_questions(
    published: Plugin, personal: KnowledgeBase, bob: User, settings: Any
) -> None:
    settings.KEEP_QUESTIONS_DAYS = 30
    ask(published, bob)
    sweep_storage()  # it is no orphan, though it has no plugin
    assert erase_old_questions() == 0
    Query.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert erase_old_questions() == 1
    assert Query.objects.get().question == ""


def test_nothing_is_left_of_what_read_a_project_that_is_deleted(published: Plugin, project: Project, bob: User) -> None:
    ask(published, bob, layers=private_layers(bob, project=project))
    ask(published, bob, layers=(), text=NO_ANSWER)
    delete_project(project)
    assert sorted(Query.objects.values_list("question", flat=True)) == ["", NO_ANSWER]


def test_nothing_is_left_of_what_somebody_asked_who_leaves(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    ask(published, bob)
    assert personal_rows(bob, "querying.Query.user").exists()
    delete_account(bob)
    assert not Query.objects.exists()


def test_a_question_back_is_answered_with_the_same_layers(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    text = "What is the nominal cover of a beam?"
    question, answer = ask(published, bob, text=text)
    assert answer.clarification is not None
    resumed = resume_from_token(question, token=answer.clarification.token, answer="severe")
    assert resumed.layers == question.layers
    with pytest.raises(Exception, match="does not belong"):
        resume_from_token(dataclasses.replace(question, layers=()), token=answer.clarification.token, answer="severe")


def test_nothing_of_a_deleted_plugin_is_left_where_layers_were_read(
    published: Plugin, personal: KnowledgeBase, bob: User
) -> None:
    question, answer = ask(published, bob, text="What is the nominal cover of a beam in severe exposure?")
    assert question.layers
    assert "45 mm" in answer.text
    delete_plugin(published)
    row = Query.objects.get(pk=question.id)
    assert row.erased_at
    assert "45 mm" not in f"{row.answer} {row.citations}"
