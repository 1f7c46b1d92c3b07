"""Counts the documents that an expert may answer the caller from, and checks the spending caps of experts."""

from __future__ import annotations

from collaboration.collaboration_types import Expert
from knowledge.models import Document
from querying.llm_interface import LLM
from querying.query_log.spending import check_spending
from querying.question.document_access import access_filters
from querying.releases import bases_of
from querying.types.question import Question


def count_sources(question: Question) -> int:
    """The number of documents from which the question may be answered for this caller."""
    allowed = access_filters(question)
    bases = [base.knowledge_base_id for base in bases_of(question)]
    documents = Document.objects.present().filter(knowledge_base__in=bases)
    return (documents.filter(pk__in=allowed.documents().values("pk")) if allowed else documents).count()


def check_caps(experts: list[Expert], *, llm: LLM) -> None:
    """Checks the spending caps before any expert is asked. Raises `SpendingCapReached`."""
    for expert in experts:
        check_spending(expert.question, llm=llm)
