"""Correcting the text of a scanned page in the builder: nothing that was typed is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Document, Page
from knowledge.recognised_text import ReadBy
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
TYPED = "Boots <b>are</b> replaced after 24 months of wear."


@pytest.fixture
def scan(plugin: Plugin) -> Document:
    """The plugin's document, as if its one page had been recognised on a picture."""
    document = Document.objects.get()
    document.pages.update(read_by=ReadBy.OCR, confidence=0.9)
    return document


def live(document: Document) -> Page:
    return document.pages.live().get()


def correct(client: Client, plugin: Plugin, page: Page, text: str) -> Any:
    address = reverse("admin:builder_knowledge_page_text", args=[plugin.pk, page.document_id, page.pk])
    return client.post(address, {"text": text})


def form_of(response: Any) -> tuple[str, str]:
    """Where the form sends what is in it, and that."""
    html = response.content.decode()
    form = re.search(r'<form method="post" action="([^"]+)" data-unsaved="changed">.*?</form>', html, re.DOTALL)
    assert form is not None, html
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", form[0], re.DOTALL)
    assert text is not None
    return form[1], text[1]


def test_text_that_is_refused_stays_in_the_form(plugin: Plugin, browsing: Browse, alice: User, scan: Document) -> None:
    client, page = browsing(alice), live(scan)
    Document.objects.update(status="queued")
    refused = correct(client, plugin, page, TYPED)
    assert "Nothing was changed." in refused.content.decode()
    address, text = form_of(refused)
    assert (address, text) == (
        reverse("admin:builder_knowledge_page_text", args=[plugin.pk, scan.pk, page.pk]),
        TYPED.replace("<", "&lt;").replace(">", "&gt;"),
    )
    Document.objects.update(status="ready")
    assert client.post(address, {"text": TYPED}).status_code == 302
    assert "Write what stands on the page" in correct(client, plugin, page, " … ").content.decode()


def test_text_for_a_page_that_was_replaced_meanwhile_is_offered_to_the_page_in_its_place(
    plugin: Plugin, browsing: Browse, alice: User, scan: Document
) -> None:
    client, page = browsing(alice), live(scan)
    correct(client, plugin, page, "Bob was quicker.")
    ingest(scan.pk)
    newer = live(scan)
    assert newer.pk != page.pk
    refused = correct(client, plugin, page, TYPED)
    assert "Bob was quicker." in refused.content.decode()
    address, _ = form_of(refused)
    assert address == reverse("admin:builder_knowledge_page_text", args=[plugin.pk, scan.pk, newer.pk])
    assert client.post(address, {"text": TYPED}).status_code == 302
    ingest(scan.pk)
    assert live(scan).text == TYPED


def test_text_for_a_page_that_is_gone_can_be_copied(
    plugin: Plugin, browsing: Browse, alice: User, scan: Document
) -> None:
    page = live(scan)
    Page.objects.filter(pk=page.pk).update(removed_in=1)
    html = correct(browsing(alice), plugin, page, TYPED).content.decode()
    assert "copy your text before you leave" in html
    assert "24 months of wear.</textarea>" in html
    assert "Save the text" not in html
