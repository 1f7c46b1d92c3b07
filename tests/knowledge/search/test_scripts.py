"""Handbooks in other scripts than Latin, each of ten pages with a question to each, found by their words alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from accounts.models import User
from knowledge.models import ChunkTerms, KnowledgeBase
from knowledge.search import term_statistics
from knowledge.search.bm25 import BM25_B, BM25_K1
from knowledge.search.hybrid import search
from language.terms import terms, terms_of_old_index
from tests.knowledge import factories

pytestmark = pytest.mark.django_db
HANDBOOKS = Path(__file__).with_name("handbooks")
# By language: how many of its questions find their page first.
FOUND_FIRST = {"ar": 9, "hi": 10, "ru": 10, "zh": 10}


def read_handbook(language: str) -> tuple[list[str], list[str]]:
    """Its pages, and the question to each."""
    lines = (HANDBOOKS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return lines[::2], lines[1::2]


def plain_bm25(pages: Sequence[str], question: str, *, words: Callable[[str], list[str]]) -> int:
    """The index of the page that the textbook's formula puts first; −1 where no word is found."""
    counted = [Counter(words(page)) for page in pages]
    mean = sum(map(Counter.total, counted)) / len(pages)
    weights = {}
    for word in set(words(question)):
        containing = sum(word in page for page in counted)
        weights[word] = math.log1p((len(pages) - containing + 0.5) / (containing + 0.5))

    def score(page: Counter[str]) -> float:
        norm = BM25_K1 * (1 - BM25_B + BM25_B * page.total() / mean)
        return sum(weight * page[word] / (page[word] + norm) for word, weight in weights.items())

    scores = [score(page) for page in counted]
    return scores.index(max(scores)) if max(scores) else -1


def first_page(base: KnowledgeBase, question: str) -> str:
    found = search(knowledge_bases=[factories.at(base)], text=question, embedding={}, limit=1)
    return found[0].content if found else ""


@pytest.mark.parametrize("language", sorted(FOUND_FIRST))
def test_pages_are_found_at_least_as_often_as_by_plain_bm25(alice: User, language: str) -> None:
    pages, questions = read_handbook(language)
    assert len(pages) == len(questions) == 10
    base = factories.make_base(alice)
    factories.store_chunks(base, factories.make_document(base, "1"), pages)
    found = sum(first_page(base, question) == page for page, question in zip(pages, questions, strict=True))
    plain = sum(plain_bm25(pages, question, words=terms_of_old_index) == at for at, question in enumerate(questions))
    assert found >= plain
    assert found == FOUND_FIRST[language]


def test_what_was_counted_before_its_script_had_stems_is_still_found(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = factories.make_base(alice)
    document = factories.make_document(base, "1")
    with monkeypatch.context() as patched:
        patched.setattr(term_statistics, "terms_of", terms_of_old_index)
        factories.store_chunks(base, document, ["договор аренды склада", "пароли сотрудников"])
    assert ChunkTerms.objects.count() == 2
    assert first_page(base, "склада") == "договор аренды склада"
    factories.store_chunks(base, document, ["ремонт складов"])
    assert first_page(base, "ремонта складу") == "ремонт складов"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("договор", "договорами"),
        ("अधिकारी", "अधिकारियों"),
        ("الموظف", "موظفين"),
        ("συμβάσεις", "συμβάσεων"),
        ("புத்தகம்", "புத்தகங்கள்"),
    ],
)
def test_forms_of_a_word_have_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []
    assert terms_of_old_index(one) != terms_of_old_index(other)
