"""A plugin whose chat is open to anybody: what is not public is nowhere on the public site either."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.models import Document, Page
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from marketplace.plugin_page.sample_answers import current_sample, is_sample_offered
from marketplace.sharing.shareability import CannotBeShared, check_shareable, shared_release
from plugins.models import Plugin
from querying.models import Query
from tests.querying.question.planning.notebook import MARK, OPEN, notebook
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
DOCTOR = "What did the doctor advise for the knee?"
GLUED = "What is the oak bench glued with?"


@pytest.fixture
@remembered
def notes(alice: User) -> Plugin:
    made = notebook(alice, public_chat=True)
    # A public document that is superseded is shown among the sources as such.
    Document.objects.filter(title=f"{MARK} rules").update(is_public=False)
    update_listing(made)
    return made


def test_visitors_who_try_it_on_its_page_read_what_the_chat_reads(client: Client, notes: Plugin) -> None:
    for question in (DOCTOR, GLUED):
        said = client.post("/marketplace/notes/try", {"question": question}).content.decode()
        assert MARK not in said
        row = Query.objects.get(question=question)
        read = Document.objects.filter(chunks__in=[one["chunk"] for one in row.passages])
        assert set(read.values_list("title", flat=True)) <= OPEN.keys()
    Plugin.objects.update(public_chat=False)
    said = client.post("/marketplace/notes/try", {"question": DOCTOR}).content.decode()
    assert MARK in said, "whose author tells nothing apart is read whole"


def test_titles_of_what_is_private_are_on_no_public_page(client: Client, notes: Plugin) -> None:
    page = client.get("/marketplace/notes").content.decode()
    api = client.get("/api/marketplace/notes").content.decode()
    for said in (page, api, client.get("/marketplace/notes/releases/1.0.0").content.decode()):
        assert MARK not in said
    assert "Oak bench" in page
    assert "Oak bench" in api
    assert Listing.objects.get().sources == 3


def test_a_sample_answer_is_made_and_shown_from_what_is_public(notes: Plugin) -> None:
    for question in (DOCTOR, GLUED):
        GoldenQuestion.objects.create(plugin=notes, question=question, is_public=True)
    sample = current_sample(notes)
    assert (sample["question"], MARK in json.dumps(sample)) == (GLUED, False)
    assert is_sample_offered(notes, sample)
    Document.objects.filter(title="Oak bench").update(is_public=False)
    assert not is_sample_offered(notes, sample)


def test_pages_of_what_is_private_stay_closed_when_it_is_shared(client: Client, notes: Plugin) -> None:
    Plugin.objects.update(is_shared=True)
    opened = Page.objects.visible_to(None)
    assert {page.document.title for page in opened} == OPEN.keys()
    private = Page.objects.get(document__title=f"{MARK} diary")
    assert client.get(f"/source/{private.pk}").status_code == 302
    Plugin.objects.update(public_chat=False)
    assert Page.objects.visible_to(None).count() == 6


def test_a_copy_would_hold_what_is_private_so_there_is_none(notes: Plugin) -> None:
    with pytest.raises(CannotBeShared, match="3 of its documents are not public"):
        check_shareable(notes)
    Plugin.objects.update(is_shared=True)
    with pytest.raises(CannotBeShared):
        shared_release("notes")
    Document.objects.update(is_public=True, is_template=False)
    check_shareable(notes)
    assert shared_release("notes").plugin == notes
