from __future__ import annotations

import pytest

from contracts.clauses.parse_contract import DocumentNotReady, parse_contract, parse_nda, parse_pages
from contracts.clauses.parsed_contract import ContractMetadata
from knowledge.documents.lifecycle import add_text
from knowledge.models import Document, Page
from tests.contracts.documents import NDA, give_contract, page


def said(metadata: ContractMetadata) -> dict[str, list[str]]:
    return {name: [span.text for span in spans] for name, spans in metadata.quoted.items()}


def test_jl_044_a_contract_is_parsed_into_metadata_and_clauses(nda: Document) -> None:
    parsed = parse_contract(nda)
    assert said(parsed.metadata) == {
        "title": ["# MUTUAL NON-DISCLOSURE AGREEMENT"],
        "parties": ["Aldgate Pumps Ltd", "Brightwater Systems GmbH"],
        "date": ["14 February 2024"],
        "term": ["This Agreement remains in force for three (3) years from its date."],
        "governingLaw": ["England and Wales"],
    }
    assert parsed.as_dict(max_clauses=2)["clauses"] == parsed.as_dict()["clauses"][:2]
    assert parsed.as_dict(max_clauses=2)["clausesTotal"] == len(parsed.clauses) > 2
    shown = parsed.as_dict(clip=40)
    assert set(shown) == {"metadata", "clauses", "clausesTotal"}
    assert [clause["number"] for clause in shown["clauses"]] == ["", "1.1", "1.2", "2", "3", "4", "5"]
    assert all(len(clause["text"]) <= 40 for clause in shown["clauses"])
    assert shown["clauses"][1]["isClipped"]


def test_what_is_said_of_a_contract_stands_on_its_page(nda: Document) -> None:
    texts = dict(Page.objects.filter(document=nda).values_list("pk", "text"))
    quoted = [span for spans in parse_nda(nda).metadata.quoted.values() for span in spans]
    assert quoted
    assert all(texts[span.page_id][span.start : span.end] == span.text for span in quoted)


def test_an_nda_says_what_is_confidential_and_for_how_long(nda: Document) -> None:
    metadata = said(parse_nda(nda).metadata)
    assert metadata["definition"][0].startswith('1.1 "Confidential Information" means')
    assert metadata["obligationTerm"] == [
        "The duty of confidentiality survives for two years after this Agreement ends."
    ]


def test_what_a_contract_does_not_say_is_absent() -> None:
    parsed = parse_pages([page("1. Price. The Buyer pays.\n2. Goods. Pumps.\n3. Delivery. At once.")])
    assert parsed.metadata == ContractMetadata()


def test_a_contract_is_read_as_it_stood_at_a_revision(nda: Document) -> None:
    revision = nda.knowledge_base.revision
    give_contract(nda.knowledge_base.owner, title="Another", text=NDA.replace("three (3)", "nine (9)"))
    assert parse_contract(nda, revision=revision) == parse_contract(nda)
    with pytest.raises(DocumentNotReady):
        parse_contract(nda, revision=revision - 1)


def test_a_document_that_is_still_read_cannot_be_parsed(nda: Document) -> None:
    waiting = add_text(knowledge_base=nda.knowledge_base, title="New", text="1. One.", enqueue=False).document
    with pytest.raises(DocumentNotReady):
        parse_contract(waiting)
