"""The pane of documents: what comes in, how it is watched, and what is done to each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from knowledge.documents.document_rows import (
    BaseAccess,
    document_rows,
    duration_text,
    stage_percentages,
    status_note,
)
from knowledge.documents.lifecycle import replace_file
from knowledge.ingest import ingest
from knowledge.lease import document_lease
from knowledge.models import Document, KnowledgeBase
from knowledge.readers.formats import FORMAT_NAMES
from plugins.models import Plugin
from tests.knowledge.bases import attach
from tests.pages.conftest import HANDBOOK
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
HTMX = {"HX-Request": "true"}
AS_JSON = {"accept": "application/json"}


def at(name: str, plugin: Plugin, document: Document | None = None) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *([document.pk] if document else [])])


def shown(client: Client, address: str, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def file(name: str = "shoes.md", content: bytes = b"Wear shoes.") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


@pytest.fixture
def client(browsing: Browse, alice: User) -> Client:
    """Alice's browser."""
    return browsing(alice)


@pytest.fixture
@remembered
def theirs(charlie: User) -> Document:
    """Of a plugin that is Charlie's."""
    other = Plugin.objects.create(owner=charlie, name="Hats", domain="safety", system_prompt="x")
    base = KnowledgeBase.objects.create(owner=charlie, plugin=other, name="Hats")
    return Document.objects.create(
        knowledge_base=base, title="Rules on hats", source_type="markdown", file_name="hats.md", status="failed"
    )


# --- What comes in --------------------------------------------------------------------------------------


def test_many_files_come_in_at_once_and_a_bad_one_stops_no_other(client: Client, plugin: Plugin) -> None:
    chosen = [file("a.md", b"A."), file("b.exe", b"MZ\x00\x01"), file("c.md", b"C."), file("d.pdf", b"no pdf")]
    response = client.post(at("knowledge_files", plugin), {"files": chosen}, follow=True)
    assert said(response) == [
        "2 are in, and are read one after another.",
        f"b.exe: This type of document is not supported. Upload a {FORMAT_NAMES} file.",
        "d.pdf: The file is called .pdf but is not one. "
        "Open the document in its own program, save it again and upload the new file.",
    ]
    assert set(Document.objects.filter(status="queued").values_list("title", flat=True)) == {"a", "c"}


def test_a_script_hears_what_became_of_each(client: Client, plugin: Plugin) -> None:
    chosen = [file("a.md"), file("boots.md", b""), file("a.md")]
    results = client.post(at("knowledge_files", plugin), {"files": chosen}, headers=AS_JSON).json()["results"]
    assert results == [
        {"name": "a.md", "is_in": True, "said": "is in, and waits to be read."},
        {
            "name": "boots.md",
            "is_in": False,
            "said": "The document is empty. Upload a document that holds text.",
        },
        {"name": "a.md", "is_in": True, "said": "is in already, and is being read."},
    ]


def test_the_same_bytes_and_a_newer_version_are_told_apart(client: Client, plugin: Plugin, handbook: Document) -> None:
    address = at("knowledge_files", plugin)
    same = client.post(address, {"files": file("copy.md", HANDBOOK.encode())}, follow=True)
    newer = client.post(address, {"files": file("boots.md")}, follow=True)
    assert said(same) == ["copy.md was here already, word for word."]
    assert said(newer) == ["boots.md is being read again; the earlier version answers until then."]
    assert Document.objects.count() == 1


def test_a_file_that_is_too_large_is_refused(client: Client, plugin: Plugin, settings: Any) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 10
    response = client.post(at("knowledge_files", plugin), {"files": file()}, follow=True)
    assert "larger than" in said(response)[0]
    assert Document.objects.count() == 1


def test_no_file_at_all_is_said(client: Client, plugin: Plugin) -> None:
    assert said(client.post(at("knowledge_files", plugin), follow=True)) == ["No file was chosen."]


@pytest.mark.parametrize(
    "name", ["x" * 5000 + ".md", "../../etc/passwd.md", "<img src=x>.md", "\u202etxt.md", "é\n.md"]
)
def test_a_strange_name_is_a_name(client: Client, plugin: Plugin, name: str) -> None:
    response = client.post(at("knowledge_files", plugin), {"files": file(name)}, follow=True)
    added = Document.objects.exclude(title="Rules on boots").get()
    assert len(added.file_name) <= 300
    assert "<img src=x" not in response.content.decode()
    assert len(said(response)[0]) < 200


def test_text_is_pasted(client: Client, plugin: Plugin) -> None:
    said_text = {"title": "Gloves", "text": "# Gloves\n\nGloves are worn."}
    assert said(client.post(at("knowledge_text", plugin), said_text, follow=True)) == [
        "Gloves is in, and waits to be read."
    ]
    assert Document.objects.filter(title="Gloves", source_type="markdown").exists()


def test_text_without_a_title_stays_in_the_form(client: Client, plugin: Plugin) -> None:
    content = client.post(at("knowledge_text", plugin), {"title": "", "text": "Gloves are worn."}).content.decode()
    assert "This field is required." in content
    assert "Gloves are worn." in content
    assert Document.objects.count() == 1


def test_each_address_is_a_document_and_a_wrong_one_stays_in_the_form(client: Client, plugin: Plugin) -> None:
    lines = "https://example.org/a\n\njavascript:alert(1)\n https://example.org/b \nhttps://example.org/a"
    response = client.post(at("knowledge_urls", plugin), {"addresses": lines})
    assert set(Document.objects.filter(source_type="url").values_list("url", flat=True)) == {
        "https://example.org/a",
        "https://example.org/b",
    }
    form = response.context["addresses_form"]
    assert form["addresses"].value() == "javascript:alert(1)"
    assert form.errors["addresses"][0].startswith("javascript:alert(1): This is not the address of a web page.")


def test_too_many_addresses_are_refused_together(client: Client, plugin: Plugin) -> None:
    lines = "\n".join(f"https://example.org/{number}" for number in range(51))
    assert "at most 50 at a time" in client.post(at("knowledge_urls", plugin), {"addresses": lines}).content.decode()
    assert Document.objects.count() == 1


# --- The list -------------------------------------------------------------------------------------------


def make(plugin: Plugin, count: int, **fields: Any) -> None:
    base = plugin.knowledge_base
    for number in range(count):
        said_fields = {"title": f"Manual {number:03}", "source_type": "pdf", "status": "ready", **fields}
        Document.objects.create(knowledge_base=base, **said_fields)


def test_the_list_asks_for_news_only_while_something_is_read(client: Client, plugin: Plugin) -> None:
    listed = at("knowledge_list", plugin)
    assert "every 2s" not in shown(client, listed)
    make(plugin, 1, status="reading")
    assert "every 2s" in shown(client, listed)
    Document.objects.update(status="ready")
    assert "every 2s" not in shown(client, listed, poll=1)


def test_what_moves_comes_first_then_what_waits_then_what_failed(client: Client, plugin: Plugin) -> None:
    for title, status in [("D", "ready"), ("C", "failed"), ("B", "queued"), ("A", "embedding")]:
        make(plugin, 1, title=title, status=status)
    rows = client.get(at("knowledge", plugin)).context["rows"]
    assert [row.document.title for row in rows] == ["A", "B", "C", "D", "Rules on boots"]


def test_the_list_is_searched_filtered_and_in_pages(client: Client, plugin: Plugin) -> None:
    make(plugin, 30)
    make(plugin, 1, title="Broken", status="failed", file_name="manual-broken.pdf")

    def titles(**query: Any) -> list[str]:
        context = client.get(at("knowledge_list", plugin), query).context
        return [row.document.title for row in context["rows"]]

    assert len(titles()) == 25
    assert len(titles(page=2)) == 7
    assert titles(page="x") == titles()
    assert titles(q="manual", state="failed") == ["Broken"]
    assert titles(q="MANUAL 00", page=99) == [f"Manual 00{number}" for number in range(10)]
    assert titles(state="nonsense") == titles()
    assert titles(q="\x00%_'") == []


def test_nothing_found_and_nothing_there_are_told_apart(client: Client, plugin: Plugin) -> None:
    assert "Nothing found." in shown(client, at("knowledge", plugin), q="xyzzy")
    Document.objects.all().delete()
    assert "No documents yet." in shown(client, at("knowledge", plugin))


@pytest.mark.parametrize("name", ["knowledge", "knowledge_list"])
def test_a_list_takes_the_same_queries_for_any_number_of_rows(client: Client, plugin: Plugin, name: str) -> None:
    counts = []
    for number in (1, 10):
        make(plugin, number, status="reading", updated_at=timezone.now())
        Document.objects.filter(status="reading").update(updated_at=timezone.now() - timedelta(hours=1))
        with CaptureQueriesContext(connection) as queries:
            client.get(at(name, plugin))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 30


def test_documents_of_attached_bases_are_shown_and_not_changed_here(
    client: Client, plugin: Plugin, theirs: Document
) -> None:
    attach(theirs.knowledge_base, plugin)
    content = shown(client, at("knowledge", plugin))
    assert "Rules on hats" in content
    assert "from Hats, attached" in content
    # Its text comes out in quotations, not page by page.
    assert at("knowledge_document", plugin, theirs) not in content
    assert client.get(at("knowledge_document", plugin, theirs)).status_code == 404
    for name in ("again", "stop", "remove", "replace"):
        assert client.post(at(f"knowledge_{name}", plugin, theirs)).status_code == 404
    theirs.refresh_from_db()
    assert (theirs.status, theirs.removed_in) == ("failed", None)


def test_a_failure_is_said_in_plain_words_with_what_was_kept(
    client: Client, plugin: Plugin, handbook: Document
) -> None:
    make(plugin, 1, status="failed", error="The document is locked with a password. Remove it.")
    content = shown(client, at("knowledge", plugin))
    assert "The document is locked with a password. Remove it. Nothing else was affected." in content
    Document.objects.filter(pk=handbook.pk).update(status="failed", error="It is damaged.")
    assert "It is damaged. The earlier version keeps answering." in shown(client, at("knowledge", plugin))


@pytest.mark.parametrize(
    ("others_move", "status", "words"),
    [
        (False, "queued", "Nothing was read for 5 minutes."),
        (True, "queued", ""),
        (True, "reading", "No news for 5 minutes."),
    ],
)
def test_what_stands_still_is_said(
    client: Client, plugin: Plugin, theirs: Document, others_move: bool, status: str, words: str
) -> None:
    make(plugin, 1, status=status)
    Document.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
    if others_move:
        Document.objects.filter(pk=theirs.pk).update(status="embedding", updated_at=timezone.now())
    row = client.get(at("knowledge", plugin)).context["rows"][0]
    assert row.problem.startswith(words)
    assert bool(row.problem) == bool(words)


def test_a_reader_that_is_silent_over_a_long_page_is_no_alarm(client: Client, plugin: Plugin, theirs: Document) -> None:
    """Its reader holds the lease, which it renews while it works."""
    make(plugin, 1, status="queued")
    Document.objects.filter(pk=theirs.pk).update(status="reading")
    Document.objects.update(updated_at=timezone.now() - timedelta(minutes=6))
    theirs.refresh_from_db()
    with document_lease(theirs.pk) as is_ours:
        assert is_ours
        assert client.get(at("knowledge", plugin)).context["rows"][0].problem == ""
        assert document_rows([theirs], BaseAccess(readable=[], editable=[]))[0].problem == ""
    assert "Nothing was read" in client.get(at("knowledge", plugin)).context["rows"][0].problem


def test_between_two_documents_there_is_no_alarm(client: Client, plugin: Plugin, theirs: Document) -> None:
    """The one before has just become ready, and nobody holds a lease yet."""
    make(plugin, 1, status="queued")
    Document.objects.update(updated_at=timezone.now() - timedelta(minutes=2))
    Document.objects.filter(pk=theirs.pk).update(status="ready", updated_at=timezone.now() - timedelta(seconds=30))
    assert client.get(at("knowledge", plugin)).context["rows"][0].problem == ""


def test_what_waits_says_how_many_come_before(client: Client, plugin: Plugin, theirs: Document) -> None:
    make(plugin, 3, status="queued")
    Document.objects.filter(pk=theirs.pk).update(status="queued", updated_at=timezone.now() - timedelta(hours=1))
    queued = Document.objects.filter(status="queued", knowledge_base=plugin.knowledge_base)
    for minutes, one in enumerate(queued.order_by("title")):
        Document.objects.filter(pk=one.pk).update(updated_at=timezone.now() - timedelta(seconds=30 - minutes))
    rows = client.get(at("knowledge", plugin)).context["rows"]
    assert [row.note for row in rows if row.document.status == "queued"] == [
        "waits for its turn · next",
        "waits for its turn · 1 document before it",
        "waits for its turn · 2 documents before it",
    ]


# --- How far it has come --------------------------------------------------------------------------------


def document(**fields: Any) -> Document:
    return Document(**{"title": "Manual", "source_type": "pdf", **fields})


def test_stages_are_percents() -> None:
    assert stage_percentages(document(status="queued", pages_done=192, pages_total=192)) == (0, 0, 0, 0)
    assert stage_percentages(document(status="queued", pages_done=71, pages_total=192)) == (36, 0, 0, 0)
    assert stage_percentages(document(status="reading", pages_done=71, pages_total=192)) == (36, 0, 0, 0)
    assert stage_percentages(document(status="reading")) == (0, 0, 0, 0)
    assert stage_percentages(document(status="chunking", pages_done=192, pages_total=192)) == (100, 0, 0, 0)
    assert stage_percentages(document(status="embedding", chunks_done=88, chunks_total=96)) == (100, 100, 91, 0)
    assert stage_percentages(document(status="ready")) == (100, 100, 100, 100)


def test_how_far_it_has_come_in_words() -> None:
    soon = timezone.now() + timedelta(seconds=121)
    passed = timezone.now() - timedelta(seconds=1)
    reading = {"status": "reading", "pages_done": 71, "pages_total": 192}
    assert status_note(document(**reading, expected_at=soon)) == "page 71 of 192 · about 2 minutes of reading left"
    slow = {**reading, "expected_at": timezone.now() + timedelta(minutes=11, seconds=5)}
    told = "page 71 of 192 · 11 pages a minute · about 11 minutes of reading left"
    assert status_note(document(**slow)) == told
    slower = {**reading, "expected_at": timezone.now() + timedelta(minutes=242, seconds=5)}
    told = "page 71 of 192 · a page in 2 minutes · about 4 hours of reading left"
    assert status_note(document(**slower)) == told
    assert status_note(document(**reading, expected_at=passed)) == "page 71 of 192"
    assert status_note(document(**{**reading, "status": "queued"})) == "71 of 192 pages read · waits for its turn"
    assert status_note(document(status="queued", pages_done=9, pages_total=9)) == "waits for its turn"
    assert status_note(document(status="reading")) == "opening it"
    embedding = {"status": "embedding", "pages_total": 1, "chunks_done": 5, "chunks_total": 1200}
    assert status_note(document(**embedding, expected_at=soon)) == "1 page · 5 of 1,200 passages · about 2 minutes left"
    since = {"effective_from": timezone.localdate().replace(year=2000, month=7, day=1)}
    assert status_note(document(status="ready", page_count=114, **since)) == "114 pages · in force since 1 Jul 2000"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "a few seconds"),
        (38, "about 40 seconds"),
        (70, "about 1 minute"),
        (600, "about 10 minutes"),
        (8000, "about 2 hours"),
    ],
)
def test_an_estimate_is_as_exact_as_it_deserves(seconds: float, words: str) -> None:
    assert duration_text(seconds) == words


# --- What is done to one --------------------------------------------------------------------------------


def test_reading_again(client: Client, plugin: Plugin, handbook: Document) -> None:
    response = client.post(at("knowledge_again", plugin, handbook), follow=True)
    assert said(response) == ["“Rules on boots” waits to be read again."]
    handbook.refresh_from_db()
    assert handbook.status == "queued"


def test_a_retry_of_a_running_document_leaves_it_running(client: Client, plugin: Plugin, handbook: Document) -> None:
    Document.objects.update(status="embedding", chunks_done=7)
    response = client.post(at("knowledge_again", plugin, handbook), follow=True)
    assert said(response) == ["“Rules on boots” is being read already."]
    handbook.refresh_from_db()
    assert (handbook.status, handbook.chunks_done) == ("embedding", 7)


def test_stopping_a_newer_version(client: Client, plugin: Plugin, handbook: Document) -> None:
    replace_file(handbook, file_name="shoes.md", stream=file(), enqueue=False)
    response = client.post(at("knowledge_stop", plugin, handbook), {"from": "document"}, follow=True)
    assert response.redirect_chain[-1][0] == at("knowledge_document", plugin, handbook)
    assert said(response) == ["“Rules on boots” is as it was: the earlier version keeps answering."]
    handbook.refresh_from_db()
    assert (handbook.status, handbook.file_name) == ("ready", "boots.md")


def test_stopping_one_that_never_answered(client: Client, plugin: Plugin) -> None:
    make(plugin, 1, status="reading")
    running = Document.objects.get(status="reading")
    response = client.post(at("knowledge_stop", plugin, running), {"from": "document"}, follow=True)
    assert said(response) == ["“Manual 000” was not added."]
    assert not Document.objects.filter(pk=running.pk).exists()


def test_what_is_ready_cannot_be_stopped(client: Client, plugin: Plugin, handbook: Document) -> None:
    response = client.post(at("knowledge_stop", plugin, handbook), follow=True)
    assert said(response)[0].startswith("This document has been read already.")


def test_an_action_in_the_list_brings_the_list_back_with_what_was_said(
    client: Client, plugin: Plugin, handbook: Document
) -> None:
    content = client.post(at("knowledge_again", plugin, handbook), headers=HTMX).content.decode()
    assert 'id="documents"' in content
    assert "waits to be read again." in content
    assert "<html" not in content


def test_replacing(client: Client, plugin: Plugin, handbook: Document) -> None:
    address = at("knowledge_replace", plugin, handbook)
    response = client.post(address, {"file": file("shoes.md")}, follow=True)
    assert said(response) == ["The new version waits to be read; the earlier version answers until then."]
    ingest(handbook.pk)
    handbook.refresh_from_db()
    assert (handbook.status, handbook.file_name) == ("ready", "shoes.md")
    assert handbook.pages.get(removed_in=None).text == "Wear shoes."


def test_a_file_of_another_type_replaces_only_where_that_is_said(
    client: Client, plugin: Plugin, handbook: Document
) -> None:
    """A picture in place of a table is a slip; the earlier file could only be had back by uploading it again."""
    address, before = at("knowledge_replace", plugin, handbook), Document.objects.values().get()
    (message,) = said(client.post(address, {"file": file("rules.csv", b"boot,months\nsteel,24\n")}, follow=True))
    assert "another type (table (CSV)) than the document (Markdown)" in message
    assert Document.objects.values().get() == before
    client.post(address, {"file": file("rules.csv", b"boot,months\nsteel,24\n"), "any_type": "on"})
    handbook.refresh_from_db()
    assert (handbook.status, handbook.source_type) == ("queued", "csv")


@pytest.mark.parametrize("chosen", [{}, {"file": ("a.exe", b"MZ\x00\x01")}, {"file": ("a.md", b"")}])
def test_a_replacement_that_cannot_be_changes_nothing(
    client: Client, plugin: Plugin, handbook: Document, chosen: Any
) -> None:
    before = Document.objects.values().get()
    files = {name: file(*of) for name, of in chosen.items()}
    assert said(client.post(at("knowledge_replace", plugin, handbook), files, follow=True))
    assert Document.objects.values().get() == before


def test_removing_is_confirmed_first(client: Client, plugin: Plugin, handbook: Document) -> None:
    address = at("knowledge_remove", plugin, handbook)
    assert "No release reads it" in shown(client, address)
    assert Document.objects.present().exists()
    response = client.post(address, follow=True)
    assert said(response) == ["Removed “Rules on boots”. The draft no longer answers from it."]
    assert not Document.objects.present().exists()
    assert client.get(address).status_code == 404


def test_what_a_release_reads_is_said_to_stay(client: Client, published: Plugin, handbook: Document) -> None:
    assert "Releases that read it keep what they had" in shown(client, at("knowledge_remove", published, handbook))


# --- Who may do it --------------------------------------------------------------------------------------


def test_the_state_of_a_document_that_is_done_brings_the_strip_above_with_it(
    client: Client, plugin: Plugin, handbook: Document
) -> None:
    assert 'hx-swap-oob="outerHTML:.ready"' in shown(client, at("knowledge_standing", plugin, handbook))
    Document.objects.update(status="reading")
    assert "hx-swap-oob" not in shown(client, at("knowledge_standing", plugin, handbook))


DOCUMENT_PAGES = ["document", "standing", "remove"]
ACTIONS = ["again", "stop", "replace", "remove", "document"]


def everywhere(plugin: Plugin, document: Document) -> list[tuple[str, str]]:
    pages = [("get", at(name, plugin)) for name in ("knowledge", "knowledge_list", "knowledge_find")]
    pages += [("get", at(f"knowledge_{name}", plugin, document)) for name in DOCUMENT_PAGES]
    pages += [("post", at(f"knowledge_{name}", plugin, document)) for name in ACTIONS]
    return pages + [("post", at(f"knowledge_{name}", plugin)) for name in ("files", "text", "urls")]


def test_to_a_stranger_none_of_it_exists(browsing: Browse, charlie: User, plugin: Plugin, handbook: Document) -> None:
    stranger, before = browsing(charlie), Document.objects.values().get()
    for method, address in everywhere(plugin, handbook):
        assert getattr(stranger, method)(address, {"q": "boots"}).status_code == 404, address
    assert Document.objects.values().get() == before


def test_a_document_of_another_plugin_does_not_exist_under_mine(
    client: Client, plugin: Plugin, theirs: Document
) -> None:
    before = Document.objects.values().get(pk=theirs.pk)
    for name in DOCUMENT_PAGES:
        assert client.get(at(f"knowledge_{name}", plugin, theirs)).status_code == 404, name
    for name in ACTIONS:
        address = at(f"knowledge_{name}", plugin, theirs)
        assert client.post(address, {"title": "Mine", "file": file()}).status_code == 404, name
    assert Document.objects.values().get(pk=theirs.pk) == before


def test_my_own_document_does_not_exist_under_another_plugin_of_mine(
    client: Client, alice: User, handbook: Document
) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    assert client.get(at("knowledge_document", other, handbook)).status_code == 404
    assert client.post(at("knowledge_remove", other, handbook)).status_code == 404


def test_a_viewer_looks_and_changes_nothing(browsing: Browse, bob: User, plugin: Plugin, handbook: Document) -> None:
    plugin.viewers.add(bob)
    viewer, before = browsing(bob), Document.objects.values().get()
    for method, address in everywhere(plugin, handbook):
        changes = method == "post" or address.endswith("/remove/")
        response = getattr(viewer, method)(address, {"q": "boots"})
        assert response.status_code == (404 if changes else 200), address
        assert 'method="post"' not in response.content.decode().split('class="lexic"')[-1] or changes
    assert Document.objects.values().get() == before


def test_only_posts_change_anything(client: Client, plugin: Plugin, handbook: Document) -> None:
    for name in ("again", "stop", "replace"):
        assert client.get(at(f"knowledge_{name}", plugin, handbook)).status_code == 405
    for name in ("files", "text", "urls"):
        assert client.get(at(f"knowledge_{name}", plugin)).status_code == 405
