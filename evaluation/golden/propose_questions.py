"""Golden questions that a plugin's documents suggest, for an expert to accept: each with the page that answers it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from django.db.models import F

from evaluation.models import GoldenQuestion, GoldenQuestionQuerySet
from knowledge.citation_url import source_path
from knowledge.models import Chunk, Document, DocumentStatus
from language.lists import without_bullet
from language.question_generation import question_about
from language.sentences import sentence_spans
from plugins.models import Plugin

MAX_PROPOSED = 10
# How many documents are read for proposals, and how many chunks of each from its beginning.
MAX_DOCUMENTS = 20
MAX_CHUNKS = 40
# The number of a heading, which nobody types in a question: “3 Shore power”, “2.1. Waste”.
_CLAUSE_NUMBER = re.compile(r"^\d+(?:\.\d+)*\.?\s+(?=\D)")


@dataclass(frozen=True, kw_only=True)
class ProposedQuestion:
    """A question, the document (and page, where it has pages) that an answer must cite, the words that it must contain
    ("" for none), and the sentence that says so."""

    question: str
    title: str
    page: int | None
    phrase: str
    excerpt: str
    url: str


def propose_questions(plugin: Plugin) -> list[ProposedQuestion]:
    """At most ten, from different documents as far as there are, none that is asked already. Made of the documents' own
    sentences with figures, then of their headings. Three statements."""
    chunks = chunks_to_ask_about(plugin)
    asked = {question.lower() for question in plugin.golden_questions.values_list("question", flat=True)}
    by_document: dict[object, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document_id, []).append(chunk)
    stated = _taking_turns(_from_sentences(of) for of in by_document.values())
    headed = _taking_turns(_from_headings(of) for of in by_document.values())
    found: dict[str, ProposedQuestion] = {}
    for proposed in (*stated, *headed):
        if proposed.question.lower() not in asked:
            found.setdefault(proposed.question.lower(), proposed)
    return list(found.values())[:MAX_PROPOSED]


def questions_to_try(plugin: Plugin, *, count: int) -> list[str]:
    """Questions that the plugin should answer: golden ones, or else those that its documents suggest."""
    questions = list(answerable_questions(plugin).values_list("question", flat=True)[:count])
    return questions or [one.question for one in propose_questions(plugin)[:count]]


def answerable_questions(plugin: Plugin) -> GoldenQuestionQuerySet:
    """The golden questions that expect an answer without more being said, without those that failed; those that passed
    come first."""
    expected = GoldenQuestion.objects.filter(plugin=plugin, expectation=GoldenQuestion.Expectation.ANSWER, facts={})
    return expected.exclude(last_passed=False).order_by(F("last_passed").desc(nulls_last=True), "pk")


def chunks_to_ask_about(plugin: Plugin) -> list[Chunk]:
    """The first chunks of the plugin's documents that are ready. Two statements."""
    ready = Document.objects.of_plugin(plugin).filter(status=DocumentStatus.READY)
    documents = list(ready.order_by("title", "pk").values_list("pk", flat=True)[:MAX_DOCUMENTS])
    live = Chunk.objects.live().filter(document__in=documents, index__lt=MAX_CHUNKS)
    return list(live.select_related("page", "document").order_by("document__title", "document", "index"))


def proposal(chunk: Chunk, *, question: str, phrase: str, start: int, end: int) -> ProposedQuestion:
    """About these characters of a chunk."""
    return ProposedQuestion(
        question=question,
        title=chunk.document.title,
        page=chunk.page.number if chunk.is_paged else None,
        phrase=phrase,
        excerpt=" ".join(without_bullet(chunk.content[start:end]).split()),
        url=f"{source_path(chunk.page_id, start=chunk.start + start, end=chunk.start + end)}#cited",
    )


def _from_sentences(chunks: Iterable[Chunk]) -> Iterator[ProposedQuestion]:
    for chunk in chunks:
        for start, end in sentence_spans(chunk.content):
            if made := question_about(chunk.content[start:end], text=chunk.content):
                yield proposal(chunk, question=made[0], phrase=made[1], start=start, end=end)


def _from_headings(chunks: Iterable[Chunk]) -> Iterator[ProposedQuestion]:
    for chunk in chunks:
        title, topic = chunk.document.title, chunk.section_path[-1] if chunk.section_path else ""
        topic = _CLAUSE_NUMBER.sub("", topic)
        # A row of a table says little without the names of its columns, and the heading itself says nothing.
        sentences = [
            span for span in sentence_spans(chunk.content) if not chunk.content.startswith(("|", "#"), span[0])
        ]
        if topic and sentences and not _names_the_document(topic, title):
            start, end = sentences[-1]
            question = topic if topic.endswith("?") else f"What does “{title}” say about {topic}?"
            yield proposal(chunk, question=question, phrase="", start=start, end=end)


def _names_the_document(topic: str, title: str) -> bool:
    """A heading such as that of a cover, which says nothing beside the title."""
    heading, name = (" ".join(text.casefold().split()) for text in (topic, title))
    return heading in name or name in heading


def _taking_turns(lists: Iterable[Iterator[ProposedQuestion]]) -> Iterator[ProposedQuestion]:
    """One of each, then another of each."""
    turns = zip_longest(*(islice(one, MAX_PROPOSED) for one in lists))
    return (proposed for turn in turns for proposed in turn if proposed is not None)
