"""What the documents of passages are labelled with, in words for a language model: dates, types, projects, tags.

Only for plugins that plan: their documents are labelled on purpose. Labels help to choose and to order; no citation can
stand on one, because they are on no page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from knowledge.models import Document
from knowledge.search.passages import Passage
from plugins.models import Planner
from querying.sanitize import sanitize
from querying.types.question import Question

_MAX_TAGS, _MAX_LABEL_CHARACTERS = 12, 80
_LABEL_COLUMNS = ("doc_date", "doc_type", "project", "doc_status", "tags")


def labels_by_document(question: Question, passages: Sequence[Passage]) -> Mapping[UUID, str]:
    """The labels of each document that has any; {} where the plugin makes no plans. One statement."""
    if question.release.planner == Planner.OFF or not passages:
        return {}
    documents = Document.objects.filter(pk__in={passage.document_id for passage in passages})
    labelled = {document.pk: _document_label_text(document) for document in documents.only(*_LABEL_COLUMNS)}
    return {pk: words for pk, words in labelled.items() if words}


def _document_label_text(document: Document) -> str:
    labels = {
        "date": document.doc_date.isoformat() if document.doc_date else "",
        "type": document.doc_type,
        "project": document.project,
        "status": document.doc_status,
        "tags": ", ".join(tag for tag in map(_sanitized_label, document.tags[:_MAX_TAGS]) if tag),
    }
    words = ((name, _sanitized_label(label, limit=400)) for name, label in labels.items())
    return "; ".join(f"{name} {word}" for name, word in words if word)


def _sanitized_label(label: str, *, limit: int = _MAX_LABEL_CHARACTERS) -> str:
    """The label on one line, without characters that would end a list or begin a source."""
    return " ".join(sanitize(label).replace(";", ",").replace("[", "(").replace("]", ")").split())[:limit]
