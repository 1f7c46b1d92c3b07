"""Documents on the pages of projects and of a person: added, watched, tried again, searched and deleted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from conversations.models import Project
from knowledge.ingest import ingest
from knowledge.models import BaseKind, Document, KnowledgeBase
from knowledge.personal_knowledge_base import personal_knowledge_base
from tests.workspace.conftest import read_text
from workspace.document_search import excerpt

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
LIMITATION = "# Limitation\n\nA claim in contract is barred six years after the breach."


@pytest.fixture(params=["project", "own"])
def root(request: pytest.FixtureRequest, alice: User) -> str:
    """Where documents are added: an empty project, and one's own."""
    if request.param == "own":
        return "/knowledge"
    return f"/projects/{Project.objects.create_with_base(owner=alice, name='Mill').pk}"


def shown(client: Client, address: str, **query: str) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def test_files_come_in_and_one_that_is_refused_stops_no_other(alice: User, browse: Browse, root: str) -> None:
    client = browse(alice)
    files = [SimpleUploadedFile("notes.md", LIMITATION.encode()), SimpleUploadedFile("virus.exe", b"MZ\x90\x00")]
    page = client.post(f"{root}/files", {"files": files}, follow=True).content.decode()
    assert "notes.md is in, and waits to be read." in page
    assert "virus.exe:" in page
    document = Document.objects.get()
    assert document.knowledge_base.kind == (BaseKind.PERSONAL if root == "/knowledge" else BaseKind.PROJECT)
    assert document.knowledge_base.owner == alice


def test_a_script_learns_what_became_of_each_file(alice: User, browse: Browse, root: str) -> None:
    file = SimpleUploadedFile("notes.md", LIMITATION.encode())
    response = browse(alice).post(f"{root}/files", {"files": [file]}, headers={"accept": "application/json"})
    assert response.json()["results"] == [{"name": "notes.md", "is_in": True, "said": "is in, and waits to be read."}]
    nothing = browse(alice).post(f"{root}/files", headers={"accept": "application/json"})
    assert nothing.json()["results"] == [{"name": "", "is_in": False, "said": "No file was chosen."}]


def test_text_and_addresses_come_in_or_stay_in_their_form(alice: User, browse: Browse, root: str) -> None:
    client = browse(alice)
    assert client.post(f"{root}/text", {"title": "Limitation", "text": LIMITATION}).status_code == 302
    refused = client.post(f"{root}/text", {"title": "", "text": "kept words"})
    assert (refused.status_code, "kept words" in refused.content.decode()) == (400, True)
    addresses = "https://example.org/a\nftp://example.org/b"
    refused = client.post(f"{root}/addresses", {"addresses": addresses})
    assert refused.status_code == 400
    assert "ftp://example.org/b: This is not the address of a web page." in refused.content.decode()
    assert sorted(Document.objects.values_list("title", flat=True)) == ["Limitation", "https://example.org/a"]


def test_the_list_asks_for_news_while_something_is_read(alice: User, browse: Browse, root: str) -> None:
    client = browse(alice)
    client.post(f"{root}/text", {"title": "Limitation", "text": LIMITATION})
    waiting = shown(client, f"{root}/documents")
    assert "every 2s" in waiting
    assert "waits for its turn" in waiting
    assert "<html" not in waiting
    ingest(Document.objects.get().pk)
    ready = shown(client, f"{root}/documents")
    assert "every 2s" not in ready
    page = Document.objects.get().pages.get()
    assert f'href="/source/{page.pk}"' in ready
    assert client.get(f"/source/{page.pk}").status_code == 200


def test_what_failed_is_tried_again(alice: User, browse: Browse, root: str) -> None:
    client = browse(alice)
    client.post(f"{root}/files", {"files": [SimpleUploadedFile("scan.pdf", b"%PDF-1.7 not really")]})
    document = Document.objects.get()
    ingest(document.pk)
    page = shown(client, root)
    assert "The document is damaged" in page
    address = f"{root}/documents/{document.pk}/retry"
    assert f'action="{address}"' in page
    assert client.post(address).status_code == 302
    document.refresh_from_db()
    assert document.status == "queued"


def test_a_document_is_deleted_once_that_is_confirmed(alice: User, browse: Browse, root: str) -> None:
    client = browse(alice)
    client.post(f"{root}/text", {"title": "Limitation", "text": LIMITATION})
    address = f"{root}/documents/{Document.objects.get().pk}/delete"
    assert "This cannot be undone." in shown(client, address)
    assert Document.objects.present().exists()
    assert client.post(address).status_code == 302
    assert not Document.objects.present().exists()
    assert client.get(address).status_code == 404


def test_a_search_shows_passages_with_the_words_that_were_asked_for(alice: User, browse: Browse) -> None:
    read_text(personal_knowledge_base(alice), "Limitation", LIMITATION)
    page = shown(browse(alice), "/knowledge", q="When is a claim barred?")
    assert '<b class="kn-hit">claim</b> in contract is <b class="kn-hit">barred</b>' in page
    assert "<mark>" not in page
    assert "No passage for" in shown(browse(alice), "/knowledge", q="zymurgy quixotry")


def test_a_search_stays_in_its_place(alice: User, bob: User, shared: Project, browse: Browse) -> None:
    read_text(personal_knowledge_base(alice), "Limitation", LIMITATION)
    question = "What does Marrow pay within thirty days?"
    assert "nineteen" in shown(browse(bob), f"/projects/{shared.pk}", q=question)
    for person, root in ((alice, "/knowledge"), (bob, "/knowledge")):
        assert "nineteen" not in shown(browse(person), root, q=question)
    assert "barred" not in shown(browse(alice), f"/projects/{shared.pk}", q="claim six years after breach")


def test_an_excerpt_shows_where_most_of_the_words_are() -> None:
    text = f"{'Nothing here. ' * 60}The claim is barred after six years. {'Nothing there. ' * 60}"
    part = excerpt(text, {"claim", "bar", "six"})
    assert "The claim is barred after six years." in part
    assert part.startswith("… ")
    assert part.endswith(" …")
    assert len(part) < 440
    assert excerpt("Short.", {"claim"}) == "Short."


def test_the_number_of_statements_does_not_grow(alice: User, project: Project, browse: Browse) -> None:
    client, counts = browse(alice), []
    for number in (1, 3):
        Document.objects.exclude(title="Settlement").delete()
        for each in range(number):
            base = KnowledgeBase.objects.get()
            Document.objects.create(knowledge_base=base, title=f"Annex {each}", source_type="text", status="failed")
        with CaptureQueriesContext(connection) as asked:
            shown(client, f"/projects/{project.pk}")
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 14
