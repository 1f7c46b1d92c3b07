"""What comes along with a message from the page: documents, a pasted text, a model; and examples to begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from agents.models import AgentRun
from conversations.models import ChatSession, Project
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.cover import give_document, handbook, plugin, published
from tests.workspace.conftest import read_text
from tests.workspace.test_conversations import PAID, shown
from tests.workspace.test_live import ASK, STREAM, asked
from workspace.conversation_start import conversation_examples

__all__ = ["asked", "handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs begin, and nobody works on them."""
    monkeypatch.setattr("agents.execution.background_runs.start", lambda run: None)


@pytest.fixture
def own(bob: User) -> Document:
    return read_text(personal_knowledge_base(bob), "Limitation", "A claim is barred after six years.")


def post(client: Client, project: Project, **fields: Any) -> Any:
    return client.post(ASK, {"question": PAID, "project": str(project.pk), **fields}, headers=STREAM)


def test_documents_of_the_project_and_ones_own_come_along(
    bob: User, asked: Project, own: Document, at_rest: None, browse: Browse
) -> None:
    client, settlement = browse(bob), Document.objects.get(title="Settlement")
    page = shown(client, "/chats/new", project=str(asked.pk), document=str(settlement.pk))
    assert f'name="documents" value="{settlement.pk}" checked' in page
    assert f'name="documents" value="{own.pk}">' in page
    assert post(client, asked, documents=[str(own.pk), str(settlement.pk), "no id"]).status_code == 200
    run = AgentRun.objects.get()
    assert [one["documentId"] for one in run.message.metadata["attachments"]] == [str(own.pk), str(settlement.pk)]
    assert f'href="/chats/new?project={asked.pk}&amp;document={settlement.pk}"' in shown(
        client, f"/projects/{asked.pk}"
    )


def test_a_pasted_text_becomes_a_document_that_comes_along(
    bob: User, asked: Project, at_rest: None, browse: Browse
) -> None:
    assert post(browse(bob), asked, text=f"Marrow pays in May{' and June' * 9}.\n\nAll.").status_code == 200
    document = Document.objects.get(title=f"Marrow pays in May{' and June' * 4} and")
    assert document.knowledge_base == asked.knowledge_base
    assert AgentRun.objects.get().message.metadata["attachments"][0]["documentId"] == str(document.pk)


def test_what_may_not_come_along_stops_the_message_and_is_kept(
    bob: User, charlie: User, asked: Project, own: Document, browse: Browse
) -> None:
    foreign = read_text(personal_knowledge_base(charlie), "Diary", "Charlie's own words.")
    client = browse(bob)
    for documents, status in (([str(foreign.pk)], 404), ([str(uuid4())], 404), ([str(uuid4()) for _ in range(6)], 400)):
        assert post(client, asked, documents=documents).status_code == status
    fields = {"question": "kept words", "project": str(asked.pk), "documents": [str(own.pk), str(uuid4())]}
    page = client.post(ASK, {**fields, "text_name": "Pasted name"}).content.decode()
    assert ">kept words</textarea>" in page
    assert f'value="{own.pk}" checked' in page
    assert 'value="Pasted name"' in page
    assert "Diary" not in shown(client, "/chats/new", project=str(asked.pk), document=str(foreign.pk))
    assert not ChatSession.objects.exists()


def test_thinking_and_a_model_are_offered_where_there_is_one(
    bob: User, asked: Project, at_rest: None, browse: Browse, settings: Any
) -> None:
    address = f"/chats/new?project={asked.pk}"
    assert "Think longer" not in shown(browse(bob), address)
    settings.LEXIC_LLM = "openai"
    page = shown(browse(bob), address)
    assert ("Think longer" in page, 'name="model"' in page) == (True, False)
    settings.AGENTS.models["sonnet"] = "big-model"
    try:
        assert "<option>sonnet</option>" in shown(browse(bob), address)
        settings.OPENAI_API_KEY = "key"
        assert post(browse(bob), asked, thinks="1", model="sonnet").status_code == 200
    finally:
        settings.AGENTS.models["sonnet"] = ""
    run = AgentRun.objects.get()
    assert (run.thinks, run.thinking_tokens, "big-model" in run.model) == (True, 10_000, True)
    assert post(browse(bob), asked, model="other").status_code == 400


def give_template(plugin: Plugin, title: str, text: str = "To {{ tenant }}", doc_type: str = "") -> Document:
    document = give_document(plugin, title=title, text=f"{title}\n\n{text}")
    Document.objects.filter(pk=document.pk).update(is_template=True, doc_type=doc_type)
    return document


def test_three_examples_are_of_the_documents_and_the_templates(
    alice: User, dana: User, asked: Project, published: Plugin
) -> None:
    text = "# Agreement\n\n## 1. Purpose\n\nThe parties discuss pumps.\n\n## 2. Term\n\nIt ends in May."
    contract = read_text(asked.knowledge_base, "Agreement with Stone", text)
    for title, doc_type in (("Notice", ""), ("A playbook", "playbook")):
        give_template(published, title, doc_type=doc_type)
    publish(published, by=alice)
    found = conversation_examples(alice, project=asked, plugin=published)
    assert [(one.text, one.document) for one in found] == [
        ("What does “Agreement with Stone” say about Purpose?", None),
        ("Review “Agreement with Stone”", contract.pk),
        ("Draft a document: Notice", None),
    ]
    texts = [one.text for one in conversation_examples(dana, project=asked, plugin=None)]
    assert texts == [found[0].text, "What does “Agreement with Stone” say?", "What does “Settlement” say?"]
    assert conversation_examples(alice, project=None, plugin=published) == []
    # What the plugin's author closes to others is named to none of them.
    published.public_only = True
    published.save()
    publish(published, by=alice)
    assert "Notice" in str(conversation_examples(alice, project=asked, plugin=published))
    assert "Notice" not in str(conversation_examples(dana, project=asked, plugin=published))


def test_only_a_template_that_would_be_filled_in_is_an_example(
    alice: User, bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    give_template(published, "Form", text="Nothing is open in it.")
    publish(published, by=alice)
    give_template(published, "Letter")
    address = f"/chats/new?project={asked.pk}"
    assert "Draft a document" not in shown(browse(bob), address), "no blanks, or not of the release"
    publish(published, by=alice)
    assert "Draft a document: Letter" in shown(browse(bob), address)
    Document.objects.filter(title="Letter").update(is_template=False)
    own = read_text(personal_knowledge_base(bob), "My lease", "The lease ends on {{ last day }}.")
    Document.objects.filter(pk=own.pk).update(is_template=True)
    assert "Draft a document: My lease" in shown(browse(bob), address)


def test_the_statements_of_the_examples_do_not_grow_with_the_templates(
    bob: User, alice: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    client, counts = browse(bob), []
    for number in (1, 2):
        give_template(published, f"Form {number}", text="Nothing is open in it.")
        give_template(published, f"Letter {number}")
        publish(published, by=alice)
        with CaptureQueriesContext(connection) as made:
            assert "Letter 1" in shown(client, f"/chats/new?project={asked.pk}")
        counts.append(len(made))
    assert counts[0] == counts[1] <= 24
