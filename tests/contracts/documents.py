"""Contracts for tests: pages made in code, and documents of Alice's that have been read."""

from __future__ import annotations

from accounts.models import User
from contracts.clauses.parsed_contract import ContractPage
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import BaseKind, Document, KnowledgeBase

NDA = """# MUTUAL NON-DISCLOSURE AGREEMENT

This Agreement is made on 14 February 2024 between Aldgate Pumps Ltd, a company registered in England, and Brightwater \
Systems GmbH ("Brightwater").

## 1. Definitions

1.1 "Confidential Information" means any business or technical information that a party discloses and marks as \
confidential.

1.2 Confidential Information does not include information that is public, that the Receiving Party knew before, or \
that it developed independently.

## 2. Obligations

The Receiving Party shall keep the Confidential Information secret and shall use it only for the purpose of evaluating \
the project. The Receiving Party may disclose Confidential Information to its employees and advisers who need to \
know it.

## 3. Term

This Agreement remains in force for three (3) years from its date. The duty of confidentiality survives for two years \
after this Agreement ends.

## 4. Return of information

On request the Receiving Party shall return or destroy all Confidential Information within thirty (30) days.

## 5. Governing law

This Agreement is governed by the laws of England and Wales.
"""


def page(text: str, *, number: int = 1) -> ContractPage:
    return ContractPage(id=number, number=number, text=text)


def give_contract(owner: User, *, title: str = "Aldgate NDA", text: str = NDA, is_template: bool = False) -> Document:
    """The text as a document of a project's base of this person's, which has been read."""
    base, _ = KnowledgeBase.objects.get_or_create(
        owner=owner, kind=BaseKind.PROJECT, name="Aldgate", defaults={"embedder": "local"}
    )
    document = add_text(knowledge_base=base, title=title, text=text, file_name=f"{title}.md", enqueue=False).document
    if is_template:
        Document.objects.filter(pk=document.pk).update(is_template=True)
    ingest(document.pk)
    document.refresh_from_db()
    base.refresh_from_db()
    return document
