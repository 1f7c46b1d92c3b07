"""Deletes a document that somebody keeps for themselves or for a project, with what was said from it."""

from __future__ import annotations

from django.db import transaction

from agents.models import AgentRun
from contracts.models import ContractReview
from knowledge.documents.lifecycle import delete_document
from knowledge.models import Document, KnowledgeBase
from privacy.plugin_deletion import erase_answers_quoting


@transaction.atomic
def delete_private_document(document: Document) -> None:
    """Takes it out of its private base with the contract reviews that read it, and erases the private answers and the
    journals that quote it."""
    # Before anything is erased: whoever writes such an answer now waits, or has written it.
    KnowledgeBase.objects.select_for_update().get(pk=document.knowledge_base_id)
    delete_document(document)
    ContractReview.objects.that_read_document(document).delete_with_pins()
    erase_answers_quoting([str(document.pk)])
    AgentRun.objects.reading_base(document.knowledge_base_id).naming_document(document.pk).erase_content()
