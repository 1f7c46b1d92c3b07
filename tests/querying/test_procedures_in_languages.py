"""Procedures in other languages than English: the list comes whole, or the answer is not called high."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from language.procedure_questions import AskedFor, what_is_asked_for
from plugins.models import Plugin
from querying.types.answer import Outcome
from querying.types.confidence import Confidence
from tests.cover import give_document
from tests.querying.test_other_languages import ask

pytestmark = pytest.mark.django_db(transaction=True)
HANDBOOKS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "procedures" / "languages.json").read_text(encoding="utf-8")
)
# Of three questions for the steps in each language, so many get all of them; the others are not sure.
WHOLE = {"de": 3, "es": 3, "fr": 2, "hi": 3, "pt": 3, "zh": 2}


def make_plugin(owner: User, text: str) -> Plugin:
    plugin = Plugin.objects.create(owner=owner, name="K", slug="k", domain="coffee", system_prompt="Help.")
    give_document(plugin, title=text.partition("\n")[0].removeprefix("# "), text=text)
    return plugin


@pytest.mark.parametrize("language", WHOLE)
def test_a_procedure_comes_whole_and_a_fact_without_the_list(alice: User, language: str):
    handbook = HANDBOOKS[language]
    plugin = make_plugin(alice, handbook["text"])
    answers = [ask(plugin, question) for question in handbook["procedures"]]
    whole = [handbook["last_step"] in one.text for one in answers]
    assert sum(whole) >= WHOLE[language]
    assert all(is_whole or one.confidence != Confidence.HIGH for is_whole, one in zip(whole, answers, strict=True))
    for question, said in handbook["facts"]:
        answer = ask(plugin, question)
        assert handbook["last_step"] not in answer.text, question
        assert answer.outcome == Outcome.REFUSED or said in answer.text or answer.confidence != Confidence.HIGH


def test_in_a_language_without_words_for_it_one_item_of_a_list_is_not_sure(alice: User):
    text = (
        "# Macchina da caffè\n\n## Pulizia della macchina\n\n- Togliere il filtro dalla macchina.\n"
        "- Sciogliere la polvere nell'acqua.\n- Sciacquare il serbatoio.\n\n## Garanzia\n\n"
        "La garanzia della macchina dura due anni dalla data di acquisto.\n"
    )
    answer = ask(make_plugin(alice, text), "Come si toglie il filtro dalla macchina?")
    assert answer.outcome == Outcome.ANSWERED
    assert "Togliere il filtro" in answer.text
    assert answer.confidence != Confidence.HIGH


@pytest.mark.parametrize(
    ("language", "question", "asked_for"),
    [
        ("de", "Wie lange dauert das Entkalken?", AskedFor.FACT),
        ("de", "Wann und wie wird entkalkt?", AskedFor.FACT),
        ("de", "Anleitung zum Entkalken", AskedFor.STEPS),
        ("de", "Entkalken", AskedFor.TOPIC),
        ("fr", "Comment s’appelle ce voyant ?", AskedFor.FACT),
        ("es", "¿CÓMO se limpia?", AskedFor.STEPS),
        ("zh", "请问怎么除垢", AskedFor.STEPS),
        ("zh", "除垢要多久", AskedFor.FACT),
        ("it", "Come si pulisce?", AskedFor.UNKNOWN),
    ],
)
def test_the_longest_word_that_asks_and_the_first_one_decides(language: str, question: str, asked_for: AskedFor):
    assert what_is_asked_for(question, language) is asked_for
