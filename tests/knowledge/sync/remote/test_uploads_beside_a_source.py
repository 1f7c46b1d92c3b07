"""What people upload stays theirs, though a source has something of the same name or address."""

from __future__ import annotations

import io

import pytest

from knowledge.documents.lifecycle import add_file, add_url
from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync.remote.source_settings import create_source, delete_source
from knowledge.sync.runner import run_sync
from tests.knowledge.bases import alive
from tests.knowledge.sync.remote.servers import Site

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(base: KnowledgeBase, site: Site) -> Source:
    """A public site, which has been synced."""
    site.page("/", '<title>Start</title><p>Welcome.</p><a href="/rules.html">rules</a>')
    site.page("/rules.html", "<title>Rules</title><p>Wear boots.</p>")
    made = create_source(base, kind="website", location=f"{site.url}/", is_public=True)
    run_sync(made)
    return made


def upload(base: KnowledgeBase, content: bytes) -> Document:
    return add_file(knowledge_base=base, file_name="rules.html", stream=io.BytesIO(content), enqueue=False).document


def test_an_upload_with_the_name_of_a_synced_file_is_a_private_document_of_its_own(
    base: KnowledgeBase, source: Source, site: Site
) -> None:
    synced = Document.objects.get(title="Rules")
    uploaded = upload(base, b"<p>Salaries of the team.</p>")
    assert uploaded.pk != synced.pk
    assert (uploaded.is_public, uploaded.url, uploaded.title) == (False, "", "rules")
    synced.refresh_from_db()
    assert (synced.status, synced.sha256) == ("ready", synced.ready_sha256)
    assert "Wear boots." in alive(base)
    # Another upload of the name is another version of the first one.
    assert upload(base, b"<p>Salaries of next year.</p>").pk == uploaded.pk
    # When the site drops the page, the upload stays.
    del site.answers["/rules.html"]
    assert len(run_sync(source).removed) == 1
    assert Document.objects.present().contains(uploaded)


def test_an_address_that_a_source_has_read_is_fetched_as_a_document_of_its_own(
    base: KnowledgeBase, source: Source, site: Site
) -> None:
    synced = Document.objects.get(title="Rules")
    added = add_url(knowledge_base=base, url=synced.url, title="Our rules", enqueue=False)
    assert added.is_new
    assert (added.document.source_type, added.document.is_public) == ("url", False)
    synced.refresh_from_db()
    assert (synced.title, synced.status) == ("Rules", "ready")


def test_what_a_source_left_when_it_was_removed_counts_as_uploaded(base: KnowledgeBase, source: Source) -> None:
    delete_source(source)
    uploaded = upload(base, b"<p>Wear gloves.</p>")
    assert uploaded.title == "Rules"
