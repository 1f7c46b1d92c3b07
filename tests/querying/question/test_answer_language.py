"""In which language the asker is answered, and that every door says the same."""

from __future__ import annotations

import asyncio
import json

import pytest

from accounts.models import ApiKey, User
from lexic.phrases import counted_phrase, in_language, phrase
from plugins.models import Plugin
from querying import pipeline
from querying.question.answer_language import answer_language
from querying.releases import resolve
from querying.types.events import Done, Status
from querying.types.question import Caller, Question, Turn
from tests.cover import plugin, published

__all__ = ["plugin", "published"]

pytestmark = pytest.mark.django_db(transaction=True)
NOTHING_VERIFIED = "keine geprüften Informationen"
TAXES = "Wer bezahlt eigentlich die Steuern für das Grundstück in München?"


def ask(release: object, text: str, *, context: tuple[Turn, ...] = ()) -> Question:
    return Question(text=text, release=release, caller=Caller(name="test"), context=context)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the minimum cover for a beam exposed to weather?", "en-gb"),
        ("Wie groß ist die Mindestdeckung eines Balkens im Freien?", "de"),
        ("¿Cuál es el recubrimiento mínimo de una viga a la intemperie?", "es"),
        ("Quel est l'enrobage minimal d'une poutre exposée aux intempéries ?", "fr"),
        ("मौसम के संपर्क में आने वाली बीम का न्यूनतम कवर कितना है?", "hi"),
        ("Qual é o cobrimento mínimo de uma viga exposta ao tempo?", "pt-br"),
        ("ما أقل غطاء خرساني لعارضة معرضة للطقس؟", "ar"),
        ("暴露在户外的梁的最小保护层厚度是多少？", "zh-hans"),
        ("Quale copriferro minimo serve per una trave esposta alle intemperie?", "en-gb"),  # no catalogue
        ("45 mm?", "en-gb"),
    ],
)
def test_a_question_is_answered_in_its_language_where_that_is_sure(text: str, language: str) -> None:
    assert answer_language(ask(None, text)) == language


def test_a_short_text_is_answered_in_the_language_of_what_was_said_before() -> None:
    before = (Turn(role="user", content=TAXES), Turn(role="assistant", content="?"))
    assert answer_language(ask(None, "25 %", context=before)) == "de"


def test_a_phrase_is_said_with_what_it_was_made_of() -> None:
    said = phrase("No passage mentions %(words)s.", words="“Steuer”")
    assert said == "No passage mentions “Steuer”."
    assert in_language(said, "de") == "Keine Textstelle erwähnt “Steuer”."
    found = counted_phrase("%(count)s passage found", "%(count)s passages found", count=3)
    assert found == "3 passages found"
    assert in_language(found, "fr") == "3 passages trouvés"
    assert in_language("Written by an author.", "fr") == "Written by an author."


def test_arabic_has_its_words_for_one_two_few_and_many() -> None:
    found = [
        in_language(counted_phrase("%(count)s passage found", "%(count)s passages found", count=count), "ar")
        for count in (1, 2, 3, 11)
    ]
    assert found == ["عُثر على مقطع واحد", "عُثر على مقطعين", "عُثر على 3 مقاطع", "عُثر على 11 مقطعًا"]


def test_refusals_and_status_texts_follow_the_question(published: Plugin, alice: User) -> None:
    question = ask(resolve(published.slug, principal=alice), TAXES)

    async def collect() -> list[object]:
        return [event async for event in pipeline.stream(question)]

    events = asyncio.run(collect())
    messages = [event.message for event in events if isinstance(event, Status)]
    assert "Die Frage wird gelesen" in messages
    last = events[-1]
    assert isinstance(last, Done)
    assert NOTHING_VERIFIED in last.answer.text
    assert last.answer.reason == "no_evidence"


def test_every_door_refuses_in_the_language_of_the_question(published: Plugin, alice: User, client: object) -> None:
    key = ApiKey.objects.issue(owner=alice, name="agent")[1]
    headers = {"authorization": f"Bearer {key}", "accept-language": "en"}
    plain = {"content_type": "application/json", "headers": headers}
    slug = published.slug
    rest = client.post("/api/v1/query", {"plugin": slug, "query": TAXES}, **plain)  # type: ignore[attr-defined]
    assert NOTHING_VERIFIED in rest.json()["answer"]
    assert rest.json()["reason"] == "no_evidence"
    chat = {"model": slug, "messages": [{"role": "user", "content": TAXES}]}
    spoken = client.post("/v1/chat/completions", chat, **plain)  # type: ignore[attr-defined]
    assert NOTHING_VERIFIED in spoken.json()["choices"][0]["message"]["content"]
    responses = client.post("/v1/responses", {"model": slug, "input": TAXES}, **plain)  # type: ignore[attr-defined]
    assert NOTHING_VERIFIED in json.dumps(responses.json(), ensure_ascii=False)
