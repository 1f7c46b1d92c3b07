"""What is left of a plugin, a knowledge base or an account once it is deleted: on disk, in the database, for others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from contracts.models import ContractReview
from conversations.models import ChatMessage, ChatSession
from knowledge.models import Document, KnowledgeBase, Page
from marketplace.publishing.publish import publish
from plugins.models import Plugin, Release
from plugins.retention import UnderLegalHold
from privacy.account_deletion import PluginsUnderLegalHold, delete_account
from privacy.plugin_deletion import count_private_answers, delete_knowledge_base, delete_plugin
from privacy.tasks import delete_files
from querying.models import Feedback, Query
from querying.presentation.cited_pages import CitedPages
from tests.builder.conftest import browsing
from tests.cover import handbook, plugin, published
from tests.knowledge.bases import attach
from tests.remembered import remembered
from tests.stored_files import stored_path
from tests.two_transactions import wait_in_turn

__all__ = ["browsing", "handbook", "plugin", "published"]

pytestmark = pytest.mark.django_db
QUOTED = "For severe exposure the nominal cover of a beam is 45 mm."


@pytest.fixture(autouse=True)
def files(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of this test alone, which are old enough to be deleted, and a worker that works at once."""
    settings.LEXIC_FILES_DIR = tmp_path
    monkeypatch.setattr("privacy.plugin_deletion.publish_task", lambda name, *, hashes: delete_files(hashes=hashes))
    return tmp_path


def make_old(folder: Path) -> None:
    import os

    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1))


def ask_about(plugin: Plugin, document: Document, **columns: Any) -> Query:
    page = Page.objects.filter(document=document).first()
    assert page
    start = page.text.index(QUOTED)
    citation = {
        "id": "src_1",
        "document": document.title,
        "documentId": str(document.pk),
        "excerpt": QUOTED,
        "start": start,
        "end": start + len(QUOTED),
        "url": f"https://lexic.test/sources/{page.pk}",
    }
    return Query.objects.create(
        plugin=plugin,
        release_name=f"{plugin.slug}@1.0.0",
        question="How much cover?",
        answer=f"{QUOTED} [Source 1]",
        citations=[citation],
        outcome="answered",
        cost="0.25",
        **columns,
    )


@pytest.fixture
@remembered
def reader(bob: User, published: Plugin) -> Plugin:
    """Bob's plugin, a release of which reads the knowledge base of Alice's."""
    other = Plugin.objects.create(
        owner=bob, name="Beams", slug="beams", domain="structures", system_prompt="You answer."
    )
    attach(published.knowledge_base, other)
    publish(other, by=bob)
    return other


def test_nothing_of_a_deleted_plugin_is_on_disk_or_in_words(
    published: Plugin, handbook: Document, bob: User, files: Path, django_capture_on_commit_callbacks: Any
) -> None:
    asked = ask_about(published, handbook, user=bob)
    Feedback.objects.create(query=asked, user=bob, verdict="down", note="it says 45 mm")
    session = ChatSession.objects.create(plugin=published, user=bob, title="cover")
    ChatMessage.objects.create(session=session, role="user", content="How much?", query_id=asked.pk)
    make_old(files)
    assert stored_path(handbook.sha256).exists()
    with django_capture_on_commit_callbacks(execute=True):
        delete_plugin(published)
    assert not [path for path in files.rglob("*") if path.is_file()]
    asked.refresh_from_db()
    assert (asked.question, asked.answer, asked.citations, asked.plugin) == ("", "", [], None)
    assert (asked.outcome, float(asked.cost or 0), asked.user) == ("answered", 0.25, bob)
    assert Feedback.objects.get().note == ""
    assert not ChatSession.objects.exists()
    assert not Page.objects.exists()


def test_a_file_that_somebody_else_uploaded_too_stays(
    published: Plugin, handbook: Document, bob: User, files: Path, django_capture_on_commit_callbacks: Any
) -> None:
    base = KnowledgeBase.objects.create(owner=bob, name="Bob's")
    Document.objects.create(knowledge_base=base, title="Same", source_type="markdown", sha256=handbook.sha256)
    make_old(files)
    with django_capture_on_commit_callbacks(execute=True):
        delete_plugin(published)
    assert stored_path(handbook.sha256).exists()


def test_what_anothers_pinned_answer_cites_stays_readable_to_them_and_to_nobody_else(
    published: Plugin, handbook: Document, reader: Plugin, alice: User, bob: User, charlie: User
) -> None:
    asked = ask_about(reader, handbook, user=bob)
    before = {
        user.pk: set(Page.objects.visible_to(user).values_list("pk", flat=True)) for user in (alice, bob, charlie)
    }
    delete_plugin(published)
    asked.refresh_from_db()
    pages = CitedPages.load([{"citations": asked.citations}], viewer=bob)
    assert pages.has_excerpt(asked.citations[0])
    assert KnowledgeBase.objects.get().plugin is None
    for user in (alice, bob, charlie):
        assert set(Page.objects.visible_to(user).values_list("pk", flat=True)) == before[user.pk]


def test_when_the_owner_leaves_nobody_reads_a_quotation_of_theirs_any_more(
    published: Plugin,
    handbook: Document,
    reader: Plugin,
    alice: User,
    bob: User,
    files: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    asked = ask_about(reader, handbook, user=bob)
    other = Query.objects.create(
        plugin=reader, release_name="beams@1.0.0", question="mine", answer="x", outcome="refused"
    )
    session = ChatSession.objects.create(plugin=reader, user=bob, title="beams")
    quoted = {"outcome": "answered", "answer": QUOTED, "citations": asked.citations}
    said = ChatMessage.objects.create(
        session=session, role="assistant", content=QUOTED, metadata=quoted, query_id=asked.pk
    )
    make_old(files)
    with django_capture_on_commit_callbacks(execute=True):
        delete_account(alice)
    asked.refresh_from_db()
    said.refresh_from_db()
    other.refresh_from_db()
    assert (asked.answer, asked.citations) == ("", [])
    assert QUOTED not in f"{said.content} {said.metadata}"
    assert (other.question, other.answer) == ("mine", "x")
    assert not [path for path in files.rglob("*") if path.is_file()]


def test_a_deleted_base_takes_the_answers_that_quote_it(plugin: Plugin, handbook: Document, alice: User) -> None:
    asked = ask_about(plugin, handbook)
    KnowledgeBase.objects.update(plugin=None)
    base = KnowledgeBase.objects.get()
    attach(base, plugin)
    delete_knowledge_base(base)
    asked.refresh_from_db()
    assert asked.answer == ""


@pytest.mark.parametrize("is_held", [False, True])
def test_a_deleted_plugin_takes_the_answers_of_those_whose_grant_had_ended(
    plugin: Plugin, handbook: Document, bob: User, is_held: bool
) -> None:
    former = Plugin.objects.create(owner=bob, name="Former", domain="x", system_prompt="x")
    attach(handbook.knowledge_base, former)
    asked = ask_about(former, handbook)
    handbook.knowledge_base.grants.all().end()
    if is_held:
        former.set_legal_hold(by_operator=True)
    delete_plugin(plugin)
    asked.refresh_from_db()
    assert (asked.answer == "", asked.citations == []) == (not is_held, not is_held)


def test_under_legal_hold_nothing_is_deleted(
    published: Plugin, handbook: Document, reader: Plugin, alice: User
) -> None:
    reader.set_legal_hold(by_operator=True)
    with pytest.raises(UnderLegalHold):
        delete_knowledge_base(published.knowledge_base)
    with pytest.raises(PluginsUnderLegalHold, match="Beams"):
        delete_account(alice)
    published.set_legal_hold(by_operator=False)
    stale = Plugin.objects.get(pk=published.pk)
    stale.legal_hold = ""
    with pytest.raises(UnderLegalHold):
        delete_plugin(stale)
    assert Release.objects.count() == 2
    assert Page.objects.exists()


def test_whoever_chatted_with_a_held_plugin_leaves_and_the_chat_stays_without_them(
    published: Plugin, charlie: User
) -> None:
    ChatSession.objects.create(plugin=published, user=charlie, title="cover")
    published.set_legal_hold(by_operator=False)
    delete_account(charlie)
    assert ChatSession.objects.get().user is None


def test_the_page_says_what_goes_what_stays_and_when(
    browsing: Callable[[User], Client], plugin: Plugin, handbook: Document, reader: Plugin, alice: User
) -> None:
    ask_about(plugin, handbook)
    plugin.unpublish()
    page = browsing(alice).get(reverse("admin:plugins_plugin_delete", args=[plugin.pk])).content.decode()
    for words in ("1 release,", "1 tree,", "1 question that it was asked", "within six hours", "stays yours"):
        assert words in page
    assert "0 documents" in page, "its only base stays"


def quote_in_private(person: User, document: Document, *, times: int) -> None:
    """Private answers to this person, and one more that quotes nothing."""
    session = ChatSession.objects.create(user=person, is_private=True, title="cover")
    told = {"outcome": "answered", "answer": QUOTED, "citations": [{"documentId": str(document.pk)}]}
    answers = [{"outcome": "answered"}, *[told] * times]
    ChatMessage.objects.bulk_create(
        ChatMessage(session=session, role="assistant", content=QUOTED, metadata=metadata) for metadata in answers
    )


def test_the_pages_say_what_other_people_lose(
    browsing: Callable[[User], Client], published: Plugin, handbook: Document, alice: User, bob: User
) -> None:
    quote_in_private(bob, handbook, times=12)
    quote_in_private(alice, handbook, times=9)
    ContractReview.objects.create(document=handbook, created_by=bob, playbook_base=handbook.knowledge_base, revision=1)
    page = browsing(alice).get(reverse("your_data")).content.decode()
    assert "at least 10 answers that quote them in private conversations of others" in page
    assert "1 contract review" in page
    published.unpublish()
    page = browsing(alice).get(reverse("admin:plugins_plugin_delete", args=[published.pk])).content.decode()
    assert "at least 20 answers in private conversations that quote its documents" in page
    assert "1 contract review of its documents or by its playbooks" in page


@pytest.mark.parametrize(("asked", "told"), [(0, 0), (1, 0), (9, 0), (10, 10), (101, 100)])
def test_no_count_tells_that_somebody_has_asked_in_private(
    handbook: Document, bob: User, asked: int, told: int
) -> None:
    quote_in_private(bob, handbook, times=asked)
    assert count_private_answers([handbook.knowledge_base_id]) == told


def test_the_account_page_names_plugins_that_lose_documents_and_those_under_hold(
    browsing: Callable[[User], Client], published: Plugin, reader: Plugin, alice: User
) -> None:
    reader.set_legal_hold(by_operator=True)
    page = browsing(alice).get(reverse("your_data")).content.decode()
    assert "Plugins of others read documents of yours" in page
    assert "The account cannot be deleted now" in page
    assert "within six hours" in page


def test_api_deletion_is_refused_under_legal_hold(plugin: Plugin, alice: User) -> None:
    from rest_framework.test import APIClient

    from accounts.models import ApiKey

    plugin.set_legal_hold(by_operator=False)
    secret = ApiKey.objects.issue(owner=alice, name="a", capabilities=["query", "read", "author"])[1]
    agent = APIClient(headers={"Authorization": f"Bearer {secret}"})
    tree = plugin.trees.get()
    for address in (f"/api/plugins/{plugin.slug}", f"/api/plugins/{plugin.slug}/trees/{tree.pk}"):
        etag = agent.get(address)["ETag"]
        answer = agent.delete(address, headers={"If-Match": etag})
        assert (answer.status_code, answer.json()["code"]) == (409, "legal_hold"), address
    assert Plugin.objects.get().trees.exists()


@pytest.mark.django_db(transaction=True)
def test_a_reader_of_its_documents_waits_and_finds_them_gone(
    plugin: Plugin, handbook: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a page that comes in the middle keeps the plugin from being deleted."""

    def delete(hold: Callable[[], None]) -> None:
        monkeypatch.setattr("privacy.plugin_deletion.enqueue_file_deletion", lambda bases: hold())
        delete_plugin(plugin)

    def read() -> bool:
        try:
            Page.objects.create(document=handbook, number=99, text="Late.", source_sha256="0" * 64)
        except IntegrityError:
            return False
        return True

    assert wait_in_turn(delete, read) == (None, False)
    assert not Document.objects.filter(pk=handbook.pk).exists()
