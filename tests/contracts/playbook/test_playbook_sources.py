from __future__ import annotations

import uuid

import pytest

from accounts.models import User
from contracts.playbook.playbook_sources import UnknownPlaybook, find_playbook, playbook_documents, shipped_keys
from contracts.playbook.playbook_types import UnfitPlaybook
from knowledge.models import Document
from tests.contracts.documents import give_contract
from tests.contracts.playbook.test_parse_playbook import PLAYBOOK
from tests.remembered import remembered


@pytest.fixture
@remembered
def playbook(alice: User) -> Document:
    document = give_contract(alice, title="Short", text=PLAYBOOK, is_template=True)
    document.doc_type = "playbook"
    document.save()
    return document


def test_a_document_is_a_playbook_with_its_page(playbook: Document, alice: User) -> None:
    found = find_playbook(str(playbook.pk), principal=alice)
    assert (found.playbook.name, found.playbook.version) == ("Short", "2.1")
    assert found.page_id == playbook.pages.get().pk
    assert found.playbook.text == playbook.pages.get().text
    assert list(playbook_documents(alice)) == [playbook]


def test_charlie_finds_only_what_ships(playbook: Document, charlie: User) -> None:
    with pytest.raises(UnknownPlaybook):
        find_playbook(str(playbook.pk), principal=charlie)
    assert list(playbook_documents(charlie)) == []
    assert [find_playbook(key, principal=charlie).key for key in shipped_keys()] == [
        "nda-checklist",
        "services-agreement",
    ]


@pytest.mark.parametrize("key", ["no such thing", str(uuid.UUID(int=5)), "../shipped/nda-checklist"])
def test_others_are_unknown(key: str, alice: User) -> None:
    with pytest.raises(UnknownPlaybook):
        find_playbook(key, principal=alice)


def test_a_document_that_searches_find_is_no_playbook(alice: User) -> None:
    document = give_contract(alice, title="Open", text=PLAYBOOK)
    with pytest.raises(UnfitPlaybook, match="not marked as a template"):
        find_playbook(str(document.pk), principal=alice)
