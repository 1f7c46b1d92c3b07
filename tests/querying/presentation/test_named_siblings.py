"""What is kept of a sibling that a refusal names, and who sees it when the refusal is shown again."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from lexic.conf.languages import ENGLISH
from querying.presentation import named_siblings
from querying.presentation.cited_pages import CitedPages
from querying.presentation.named_siblings import named_sibling, stored_sibling
from querying.types.answer import NearestSibling
from tests.querying.passages import passage

PAGE = "Rules. The river bridge is 12 m wide."
START = PAGE.index("The")
NEAR = passage(PAGE[START:], number=4, start=START, end=len(PAGE), section_path=("Widths",))
WORDS = (PAGE.index("river"), PAGE.index(" is"))
ABOUT = NearestSibling(asked="canal bridge", found="river bridge", passage=NEAR, span=WORDS)
READABLE = CitedPages(texts={NEAR.page_id: PAGE}, readable={NEAR.page_id})


def stored(about: NearestSibling, monkeypatch: pytest.MonkeyPatch, *, language: str = ENGLISH) -> dict[str, Any]:
    monkeypatch.setattr(named_siblings, "answer_language", lambda question: language)
    kept = stored_sibling(about, SimpleNamespace())
    return json.loads(json.dumps(kept))


def test_the_words_of_the_page_are_not_kept_and_are_shown_from_it(monkeypatch: pytest.MonkeyPatch):
    kept = stored(ABOUT, monkeypatch)
    assert "river" not in json.dumps(kept)
    assert list(named_sibling(kept, READABLE)) == [
        "Page 4 of Cover handbook gives this for “river bridge”; you asked about “canal bridge”."
    ]


def test_nobody_else_is_told(monkeypatch: pytest.MonkeyPatch):
    kept = stored(ABOUT, monkeypatch)
    assert list(named_sibling(kept, CitedPages(texts={NEAR.page_id: PAGE}, readable=set()))) == []
    assert list(named_sibling(kept, CitedPages(texts={}, readable={NEAR.page_id}))) == []
    assert list(named_sibling(None, READABLE)) == []
    assert list(named_sibling({"asked": "a", "found": "b", "place": "c"}, READABLE)) == []


def test_a_heading_is_kept_as_the_place_is(monkeypatch: pytest.MonkeyPatch):
    kept = stored(replace(ABOUT, found="Widths", span=None), monkeypatch)
    assert "gives this for “Widths”" in next(named_sibling(kept, READABLE))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Seite 4 von Cover handbook nennt das für „river bridge“; gefragt war nach „canal bridge“."),
        ("zh-hans", "Cover handbook第4页给出的是“river bridge”的内容；您问的是“canal bridge”。"),
    ],
)
def test_it_is_said_in_the_language_of_the_question(monkeypatch: pytest.MonkeyPatch, language: str, said: str):
    assert list(named_sibling(stored(ABOUT, monkeypatch, language=language), READABLE)) == [said]
