"""Answers from the front matter of notes, if a question asks for a field by name: "status of the greenhouse?".

A field is asked for by its own name, and the note by words of its title or project; if the question says anything else,
the text answers. The names of fields are data: a note with `priority: high` may be asked for its priority.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from uuid import UUID

from knowledge.models import Document
from language.terms import terms
from language.topic_words import topic_stems
from querying.question.document_access import works_on_plugin
from querying.sanitize import sanitize
from querying.types.question import Question

_COLUMNS = ("title", "doc_date", "project", "doc_status", "tags", "metadata")
_MAX_VALUE_CHARACTERS = 200


def asked_values(question: Question, ids: Collection[UUID]) -> dict[UUID, str]:
    """For each of these documents that the question asks a field of: the field and its value, in words. Those that the
    question names by their titles; where there are none, those that it names by their project. One statement, and one
    more where the asker may read every field."""
    documents = list(Document.objects.filter(pk__in=ids).only(*_COLUMNS))
    all_fields = works_on_plugin(question)
    found = {one: values for one in documents if (values := _asked_fields(question.text, one, all_fields=all_fields))}
    rest = topic_stems(question.text) - {stem for values in found.values() for name in values for stem in _stems(name)}
    titled = [one for one in found if rest and rest <= set(terms(one.title))]
    named = titled or [one for one in found if rest and rest <= set(terms(f"{one.title} {one.project}"))]
    return {one.pk: "; ".join(f"{name} {value}" for name, value in found[one].items()) for one in named}


def _asked_fields(text: str, document: Document, *, all_fields: bool) -> dict[str, str]:
    """The fields whose names the text says, without those whose name is a part of another's."""
    asked = set(terms(text))
    named = {
        name: value
        for name, value in _fields(document, all_fields=all_fields)
        if value and _stems(name) and _stems(name) <= asked
    }
    return {name: value for name, value in named.items() if not any(_stems(name) < _stems(other) for other in named)}


def _fields(document: Document, *, all_fields: bool) -> Iterator[tuple[str, str]]:
    yield "status", _in_words(document.doc_status)
    yield "date", f"{document.doc_date.day} {document.doc_date:%B %Y}" if document.doc_date else ""
    yield "project", _in_words(document.project)
    yield "tags", _in_words(", ".join(document.tags))
    if all_fields:
        for name, value in document.metadata.items():
            yield _in_words(name.replace("_", " ")), _in_words(value)


def _in_words(value: object) -> str:
    if isinstance(value, list):
        value = ", ".join(str(one) for one in value if isinstance(one, str | int | float))
    said = str(value) if isinstance(value, str | int | float) else ""
    return " ".join(sanitize(said).split())[:_MAX_VALUE_CHARACTERS]


def _stems(name: str) -> frozenset[str]:
    return frozenset(terms(name))
