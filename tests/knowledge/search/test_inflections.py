"""Handbooks in German, Spanish and French, each of twenty pages with a question to ten, found by their words alone."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from knowledge.models import Document, KnowledgeBase, TermStem
from knowledge.search.hybrid import search
from knowledge.search.inflections import forms_in_bases, without_stop_words
from knowledge.search.query_words import NO_SYNONYMS
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import Wording
from knowledge.versions.document_languages import UnknownLanguage, record_languages, set_language
from language.language_identification import language_of
from language.stemming import stem_in
from language.stop_words import stop_words_in
from tests.knowledge import factories
from tests.knowledge.search.test_scripts import plain_bm25, read_handbook

pytestmark = pytest.mark.django_db
# By language: how many of its questions find their page first.
FOUND_FIRST = {"de": 10, "es": 10, "fr": 10}


def at(base: KnowledgeBase) -> BaseRevision:
    base.refresh_from_db()
    return BaseRevision(
        knowledge_base_id=base.pk,
        revision=base.revision,
        embedder=base.embedder,
        languages=tuple(base.document_languages),
    )


def store(base: KnowledgeBase, texts: list[str]) -> Document:
    document = factories.make_document(base, "1")
    record_languages(base, factories.store_chunks(base, document, texts))
    document.refresh_from_db()
    return document


def first_page(base: KnowledgeBase, question: str, language: str) -> str:
    words = without_stop_words(NO_SYNONYMS.words(question), Wording(language=language))
    found = search(knowledge_bases=[at(base)], text=words, embedding={}, limit=1)
    return found[0].content if found else ""


def words_in(language: str):
    def words(text: str) -> list[str]:
        found = [word for word in re.findall(r"[^\W\d_]+", text.lower()) if word not in stop_words_in(language)]
        return [stem_in(word, language) for word in found]

    return words


@pytest.mark.parametrize("language", sorted(FOUND_FIRST))
def test_pages_are_found_at_least_as_often_as_by_plain_bm25(alice: User, language: str) -> None:
    pages, questions = read_handbook(language)
    base = factories.make_base(alice)
    assert store(base, pages).language == language
    asked = [(page, question) for page, question in zip(pages, questions, strict=True) if question]
    assert len(asked) == 10
    found = sum(first_page(base, question, language) == page for page, question in asked)
    plain = sum(plain_bm25(pages, question, words=words_in(language)) == pages.index(page) for page, question in asked)
    assert found >= plain
    assert found == FOUND_FIRST[language]


def test_forms_of_a_word_count_as_one_word(alice: User) -> None:
    base = factories.make_base(alice)
    store(base, ["Die Kündigung bedarf der Schriftform.", "Kündigungen gehen an die Personalabteilung.", "Die Küche."])
    found = search(knowledge_bases=[at(base)], text="Kündigungen", embedding={}, limit=3)
    assert ["Kündigung" in one.content for one in found] == [True, True]
    assert found[0].lexical == pytest.approx(found[1].lexical, rel=0.2)
    assert forms_in_bases(["kündigung"], [at(base)]) == {"kündigung": ["kündigungen"]}


def test_a_base_in_english_costs_no_statement(alice: User) -> None:
    base = factories.make_base(alice)
    assert store(base, ["The nominal cover of a beam in severe exposure is 45 mm."]).language == "en"
    assert not TermStem.objects.exists()
    revision = at(base)
    with CaptureQueriesContext(connection) as queries:
        assert forms_in_bases(["beams"], [revision]) == {}
    assert len(queries) == 0


def test_a_language_that_a_person_corrects_is_searched_by_at_once(alice: User) -> None:
    base = factories.make_base(alice)
    document = factories.make_document(base, "1", language="en")
    record_languages(base, factories.store_chunks(base, document, ["Alle Kennwörter gelten drei Monate."]))
    words = NO_SYNONYMS.words("Kennwort")
    assert search(knowledge_bases=[at(base)], text=words, embedding={}, limit=1) == []
    set_language(document, "sv")
    set_language(document, "de")
    assert search(knowledge_bases=[at(base)], text=words, embedding={}, limit=1)
    assert at(base).languages == ("de",)
    set_language(document, "en")
    assert at(base).languages == ()


def test_an_unknown_language_changes_nothing(alice: User) -> None:
    document = factories.make_document(factories.make_base(alice), "1", language="de")
    with pytest.raises(UnknownLanguage):
        set_language(document, "xx")
    document.refresh_from_db()
    assert document.language == "de"


def test_a_language_that_a_person_set_stays_when_the_document_is_read_again(alice: User) -> None:
    base = factories.make_base(alice)
    document = factories.make_document(base, "1", language="sv")
    record_languages(base, factories.store_chunks(base, document, ["Die Kündigung bedarf der Schriftform."]))
    document.refresh_from_db()
    assert document.language == "sv"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie viele Urlaubstage habe ich?", "de"),
        ("¿Qué cubre el seguro dental?", "es"),
        ("मुझे कितने दिन की छुट्टी मिलती है?", "hi"),
        ("我有多少天假期？", "zh"),
        ("Does the plan cover a second opinion before surgery?", "en"),
        ("Terraform IBM Cloudant VPC", ""),
        ("12345", ""),
        ("", ""),
    ],
)
def test_a_language_is_told_where_it_can_be(text: str, language: str) -> None:
    assert language_of(text) == language
