from __future__ import annotations

import pytest

from querying.question.question_language import other_language_notice

ENGLISH = ["The nominal cover of a beam in severe exposure is 45 mm. Footings have at least 50 mm."]
GERMAN = ["Die Betondeckung eines Balkens beträgt bei starker Beanspruchung 45 mm."]


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("Wie groß ist die Betondeckung?", "Die Dokumente"),
        ("Quelle est l'épaisseur minimale ?", "Les documents"),
        ("¿Cuál es el recubrimiento mínimo?", "Los documentos"),
        ("Какова минимальная толщина защитного слоя бетона для балки?", "Документы"),
        ("コンクリートのかぶり厚さは何ミリですか", "文書は"),
    ],
)
def test_a_question_in_another_language_is_told_so_in_its_own(question: str, begins: str) -> None:
    assert other_language_notice(question, ENGLISH).startswith(begins)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What is the nominal cover?", ENGLISH),
        ("Terraform IBM Cloudant VPC", ENGLISH),
        ("Wie groß ist die Betondeckung?", GERMAN),
        ("Wie groß ist die Betondeckung?", [*ENGLISH, *GERMAN]),
        ("Beton?", ENGLISH),
        ("12345", ENGLISH),
        ("Wie groß ist die Betondeckung?", []),
    ],
)
def test_nothing_is_said_where_the_documents_have_the_language_or_it_cannot_be_told(
    question: str, texts: list[str]
) -> None:
    assert other_language_notice(question, texts) == ""
