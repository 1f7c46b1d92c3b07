"""Pages of handbooks in five languages, and parts of compounds, are found by their words alone."""

from __future__ import annotations

import pytest

from accounts.models import User
from knowledge.search.compounds import parts_in_bases
from knowledge.search.hybrid import search
from knowledge.search.inflections import without_stop_words
from knowledge.search.query_words import NO_SYNONYMS
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import content_terms
from knowledge.versions.document_languages import record_languages
from querying.retrieval.question_wording import wording_of
from tests.handbooks import LANGUAGES, bm25_first_pages, count_right, plain_words, read_handbook
from tests.knowledge import factories
from tests.knowledge.search.test_inflections import at

pytestmark = pytest.mark.django_db


def first_page(base: BaseRevision, question: str, pages: list[str]) -> int:
    asked = NO_SYNONYMS.words(question)
    wording = wording_of(question, words=asked, bases=[base])
    words = without_stop_words(asked, wording)
    found = search(knowledge_bases=[base], text=words, embedding={}, limit=1, forms=wording.forms)
    return pages.index(found[0].content) + 1 if found else 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_found_at_least_as_often_as_by_plain_bm25(alice: User, language: str) -> None:
    handbook = read_handbook(language)
    assert (len(handbook.pages), len(handbook.questions)) == (20, 10)
    base, pages = factories.make_base(alice), list(handbook.pages)
    record_languages(base, factories.store_chunks(base, factories.make_document(base, "1"), pages))
    revision = at(base)
    assert revision.languages == (language,)
    found = [first_page(revision, question, pages) for question, _ in handbook.questions]
    assert count_right(found, handbook) >= count_right(bm25_first_pages(handbook, plain_words), handbook)


def test_a_compound_is_found_by_its_parts_where_the_documents_have_them(alice: User) -> None:
    base = factories.make_base(alice)
    texts = [
        "Die Frist für die Kündigung der Wohnung beträgt drei Monate.",
        "Die Kündigungen sind mit einer Frist von zwölf Monaten zu erklären, die das Mitglied einhalten muss.",
        "Der Garten darf nur von den Mietern des Erdgeschosses benutzt werden, und nicht von den anderen.",
    ]
    record_languages(base, factories.store_chunks(base, factories.make_document(base, "1"), texts))
    parts = parts_in_bases(["kündigungsfrist", "mietergarten", "sonnenblume", "garten"], [at(base)], "de")
    assert parts == {"kündigungsfrist": ("kündigung", "frist"), "mietergarten": ("mietern", "garten")}
    assert parts_in_bases(["kündigungsfrist"], [at(base)], "en") == {}


def test_no_stop_word_is_a_part_of_a_compound(alice: User) -> None:
    base = factories.make_base(alice)
    texts = ["Das ist die Wohnung, und vor dem Haus stehen die Tonnen."]
    record_languages(base, factories.store_chunks(base, factories.make_document(base, "1"), texts))
    parts = parts_in_bases(["touristen", "vorstand", "gegründet", "ferienwohnung"], [at(base)], "de")
    assert parts == {"ferienwohnung": ("wohnung",)}


def test_a_verb_is_found_in_its_other_forms_and_a_noun_is_no_verb(alice: User) -> None:
    base = factories.make_base(alice)
    texts = [
        "Kinder zahlen an der Kasse die Hälfte, und die Eltern zahlen den vollen Preis für die Karte.",
        "Hunde sind von den Haltern an der Leine zu halten, und zwar auf allen Wegen der Anlage.",
        "Die Räume werden im Winter von der Verwaltung nur an den Tagen der Woche geheizt.",
    ]
    record_languages(base, factories.store_chunks(base, factories.make_document(base, "1"), texts))
    revision = at(base)
    assert first_page(revision, "Was zahlt ein Jugendlicher?", texts) == 1
    assert first_page(revision, "Wann muss man heizen?", texts) == 3
    assert first_page(revision, "Wie ist das Gehalt?", texts) == 0


def test_a_word_with_the_stem_of_a_stop_word_counts(alice: User) -> None:
    base = factories.make_base(alice)
    texts = [
        "मासिक भोजन की सूची हर महीने की पहली तारीख को रसोई के बाहर लगाई जाती है।",
        "कमरे का किराया चार हजार रुपये है और हर महीने की पाँच तारीख तक देना होता है।",
    ]
    record_languages(base, factories.store_chunks(base, factories.make_document(base, "1"), texts))
    assert first_page(at(base), "किराया कितना है?", texts) == 2


def test_stop_words_are_known_without_their_accents() -> None:
    assert content_terms("किराया कब देना है", "hi") == {"किर"}
    assert content_terms("إلى أين", "ar") == frozenset()
