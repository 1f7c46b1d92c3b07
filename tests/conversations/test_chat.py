"""The chat's page: asking, answering what is asked back, and coming back to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from conversations import public_questions as door
from conversations.models import ChatMessage, ChatSession
from knowledge.models import Document
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.conversations.asking import ASK, CHAT, DIVER, OPEN, STREAM, WORN, ask, reply, session_in, streamed
from tests.conversations.conftest import opened
from tests.cover import give_document
from tests.held_streams import stream_of_visitor

pytestmark = pytest.mark.django_db


def test_only_what_is_on_the_air_and_open_to_anybody_has_a_chat(client: Client, chat: Plugin) -> None:
    assert client.get(CHAT).status_code == 200
    for changed in ({"public_chat": False}, {"public_chat": True, "is_published": False}):
        Plugin.objects.update(**changed)
        assert client.get(CHAT).status_code == 404
        assert client.post(ASK, {"question": WORN}).status_code == 404
    assert client.get("/chat/unknown").status_code == 404
    assert ChatSession.objects.count() == 0


def test_a_closed_chat_says_so_and_leads_to_the_page_of_its_plugin(client: Client, chat: Plugin) -> None:
    Plugin.objects.update(public_chat=False, embed_origins=["https://club.example", "https://other.example"])
    response = client.get(CHAT, headers={"referer": "https://club.example/boots"})
    content = response.content.decode()
    assert response.status_code == 404
    assert "The chat is closed" in content
    assert 'href="/marketplace/boots"' in content
    assert "https://club.example" in response["Content-Security-Policy"]  # the widget of that site shows it
    assert "https://other.example" not in response["Content-Security-Policy"]
    for stranger in ("https://club.example.org/", "https://stranger.example/", ""):
        refused = client.get(CHAT, headers={"referer": stranger})
        assert "club.example" not in refused["Content-Security-Policy"]
    said = client.post(ASK, {"question": WORN}, headers={"accept": "text/event-stream"})
    assert (said.status_code, said.json()["code"]) == (404, "unknown_chat")
    Plugin.objects.update(is_published=False)
    assert "The chat is closed" not in client.get(CHAT).content.decode()


def test_an_answer_stands_beside_its_evidence_and_stays(client: Client, chat: Plugin) -> None:
    said = ask(client)
    assert "<mark>Safety boots with a steel toe are worn on every site.</mark>" in said
    assert "1 of 1 citation found word for word" in said
    query = Query.objects.get()
    assert f'href="#source-{query.pk}-1"' in said
    assert said.count("<mark>") == client.get(CHAT).content.decode().count("<mark>")


def test_an_answer_keeps_the_steps_it_took(client: Client, chat: Plugin) -> None:
    for said in (ask(client), client.get(CHAT).content.decode()):
        trace = said.partition('<details class="trace">')[2].partition("</details>")[0]
        assert re.findall(r"<span>([^<]+)</span>", trace) == [
            "Reading the question",
            "Searching the knowledge base: 2 passages found",
            "Writing the answer",
            "Verified against the sources",
        ]
        assert re.search(r'4 steps in <span class="num">[\d.]+ m?s</span></summary>', trace)


def test_a_plan_says_what_it_kept_to(client: Client, chat: Plugin) -> None:
    Document.objects.filter(is_public=True).update(doc_date="2026-03-04")
    assert "<span>Narrowed to 1 March 2026 to 31 March 2026</span>" in ask(client, "Which boots in March 2026?")


def test_what_was_measured_stands_at_the_head(client: Client, chat: Plugin) -> None:
    assert "Measured" not in client.get(CHAT).content.decode()
    measured = {"answered_right": 5, "to_answer": 6, "refused_right": 2, "to_refuse": 2, "label": "measured"}
    chat.listing.__class__.objects.filter(plugin=chat).update(**measured)
    assert 'Measured <span class="num">7/8</span>' in client.get(CHAT).content.decode()


def test_where_nothing_is_public_that_is_said_first(client: Client, chat: Plugin) -> None:
    assert "None of its documents is public yet." not in client.get(CHAT).content.decode()
    Document.objects.update(is_public=False)
    assert "None of its documents is public yet." in client.get(CHAT).content.decode()


def test_a_mark_opens_its_page_for_those_who_may_read_it(
    browsing: Callable[[User], Client], chat: Plugin, alice: User
) -> None:
    assert (
        'class="cite" href="/source/' in ask(browsing(alice)).partition('class="reading pre"')[2].partition("</div>")[0]
    )


def test_it_is_asked_by_nobody_even_when_the_author_asks(
    browsing: Callable[[User], Client], chat: Plugin, alice: User
) -> None:
    said = ask(browsing(alice), "Which boots does Alice wear on Sunday?")
    assert "golden laces" not in said
    row = Query.objects.get()
    assert (row.user, row.api_key, row.plugin) == (None, None, chat)
    diary = Document.objects.get(title="Diary")
    assert not {one["chunk"] for one in row.passages} & set(diary.chunks.values_list("pk", flat=True))


def test_a_refusal_says_why(client: Client, chat: Plugin) -> None:
    said = ask(client, DIVER)
    assert ('data-outcome="refused"' in said, "<b>Why:</b>" in said) == (True, True)


def test_a_refusal_links_the_nearest_pages_that_a_visitor_may_read(client: Client, chat: Plugin) -> None:
    Document.objects.update(is_public=True)
    Plugin.objects.update(is_shared=True)
    said = ask(client, "How much do boots cost?")
    links = re.findall(r'<a href="(/source/\d+[^"]*)" target="_blank">', said)
    assert links
    assert client.get(unescape(links[0])).status_code == 200


def test_a_refusal_quotes_the_nearest_sentence_to_those_who_may_read_its_page(client: Client, chat: Plugin) -> None:
    near = re.compile(r'<blockquote dir="auto">[^<]*boots')
    hidden = ask(client, "How much do boots cost?")
    assert ('data-outcome="refused"' in hidden, bool(near.search(hidden))) == (True, False)
    Document.objects.update(is_public=True)
    Plugin.objects.update(is_shared=True)
    assert near.search(ask(client, "How much do boots cost?"))


def test_answers_quotations_and_refusals_say_their_language(client: Client, chat: Plugin) -> None:
    Document.objects.update(is_public=True)
    answered = ask(client, "When are boots replaced?")
    assert re.search(r'<div class="reading pre" dir="auto" lang="en">[^<]*Boots are replaced', answered)
    assert re.search(r'<blockquote[^>]* dir="auto" lang="en">', answered)
    refused = ask(client, "Wie viel kosten die Schuhe für die Baustelle?")
    assert re.search(r'<p class="reading" dir="auto" lang="de">', refused)
    assert re.search(r'<bdi lang="de">', refused)


def test_a_missing_fact_is_asked_back_and_a_chip_goes_on(client: Client, with_tree: Plugin) -> None:
    asked = ask(client, OPEN)
    assert '<legend class="reading" dir="auto">Where are the boots worn?</legend>' in asked
    said = reply(client, asked, "on site")
    assert "safety boots with a steel toe" in said.lower()
    assert 'class="btn picked"' in said
    assert '<fieldset class="back" disabled>' in said
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert (row.question, row.facts["place"], row.context) == (OPEN, "on site", [])


def test_an_answer_may_be_typed_instead(client: Client, with_tree: Plugin) -> None:
    asked = ask(client, OPEN)
    said = ask(client, "in the office", session=session_in(asked))
    assert 'data-outcome="answered"' in said
    assert "no boots are needed" in said.lower()
    assert list(ChatMessage.objects.filter(role="user").values_list("is_reply", flat=True)) == [False, True]


def test_a_time_that_was_asked_back_may_be_chosen_or_typed(client: Client, chat: Plugin) -> None:
    Document.objects.filter(is_public=True).update(doc_date="2026-03-04")
    asked = ask(client, "What did I finish?")
    assert "Which time do you mean?" in asked
    assert 'value="this month"' in asked
    typed = ask(client, "in March 2026", session=session_in(asked))
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert (row.question, row.facts) == ("What did I finish?", {"time": "in March 2026"})
    assert "Rules on boots" in typed


def test_which_one_is_meant_may_be_typed_and_private_ones_are_no_options(
    client: Client, plugin: Plugin, alice: User
) -> None:
    for name in ("Maplewood", "Northgate", "Harbour"):
        give_document(plugin, title=name, text=f"# {name}\n\nThe {name} Clinic sells boots and provides services.\n")
    opened(plugin, alice)
    hidden = give_document(plugin, title="Hidden", text="# Hidden\n\nThe Hidden Clinic provides secret services.\n")
    Document.objects.filter(pk=hidden.pk).update(is_public=False)
    publish(plugin, by=alice)
    asked = ask(client, "What services does this clinic provide?")
    assert "Which clinic do you mean?" in asked
    assert "Northgate Clinic" in asked
    assert "Hidden" not in asked
    typed = ask(client, "the Northgate one", session=session_in(asked))
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert (row.question, row.facts) == ("What services does this clinic provide?", {"subject": "the Northgate one"})
    assert "The Northgate Clinic sells boots" in typed


def test_something_else_may_be_asked_instead_of_answering(client: Client, with_tree: Plugin) -> None:
    asked = ask(client, OPEN)
    ask(client, "When are boots replaced?", session=session_in(asked))
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert (row.question, row.facts) == ("When are boots replaced?", {})
    assert [turn["content"] for turn in row.context] == [OPEN, "Where are the boots worn?"]


def test_what_was_said_before_goes_along_up_to_a_point(client: Client, chat: Plugin) -> None:
    first = ask(client)
    session = ChatSession.objects.get()
    for number in range(10):
        pair = {"session": session, "query_id": f"00000000-0000-0000-0000-{number:012}"}
        ChatMessage.objects.create(role="user", content=f"{number} " + "x" * 5000, **pair)
        ChatMessage.objects.create(role="assistant", content="y" * 5000, metadata={"outcome": "refused"}, **pair)
    ask(client, "And in the office?", session=session_in(first))
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert [turn["role"] for turn in row.context] == ["user", "assistant"] * door.MAX_CONTEXT_EXCHANGES
    assert {len(turn["content"]) for turn in row.context} == {door.MAX_TURN_CHARACTERS}


def test_what_has_become_private_is_neither_shown_again_nor_used(client: Client, chat: Plugin) -> None:
    said = ask(client)
    Document.objects.update(is_public=False)
    later = client.get(CHAT).content.decode()
    assert "steel toe" not in later
    assert "This answer is no longer shown." in later
    ask(client, "And when?", session=session_in(said))
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert row.context == []


def test_a_conversation_is_as_long_as_one_can_get(client: Client, chat: Plugin, monkeypatch: Any) -> None:
    monkeypatch.setattr(door, "MAX_QUESTIONS", 1)
    said = ask(client)
    refused = client.post(ASK, {"question": "More?", "session": session_in(said)})
    assert (refused.status_code, "has reached its limit of questions" in refused.content.decode()) == (409, True)
    assert ">More?</textarea>" in refused.content.decode()


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({}, 400, "Write a question first."),
        ({"question": "x" * 2001}, 400, "has 2001 characters, and may have 2000. Shorten it"),
        ({"question": "nul\x00"}, 400, "Null characters are not allowed"),
        ({"token": "forged", "answer": "on site"}, 400, "can no longer be answered"),
        ({"token": "x"}, 400, "Choose one of the answers"),
        ({"question": "Hm?", "session": "no id"}, 400, "valid UUID"),
        ({"question": "Hm?", "session": "00000000-0000-0000-0000-000000000000"}, 404, "no such conversation"),
    ],
)
def test_what_cannot_be_asked_is_said_and_leaves_nothing(
    client: Client, chat: Plugin, fields: dict[str, str], status: int, words: str
) -> None:
    refused = client.post(ASK, fields)
    assert (refused.status_code, words in refused.content.decode()) == (status, True)
    told = client.post(ASK, fields, headers=STREAM)
    assert (told.status_code, words in told.json()["error"]) == (status, True)
    assert (Query.objects.count(), ChatSession.objects.count()) == (0, 0)
    assert "20 questions left today" in client.get(CHAT).content.decode()


def test_a_question_that_is_too_long_is_kept_whole(client: Client, chat: Plugin) -> None:
    """A box that takes only so many characters would cut what is pasted, and say nothing."""
    question = "x" * 2500
    refused = client.post(ASK, {"question": question}).content.decode()
    assert f">{question}</textarea>" in refused
    [box] = re.findall(r"<textarea[^>]*>", client.get(CHAT).content.decode())
    assert "maxlength" not in box


def test_pk_029_the_day_has_an_end_and_the_question_is_kept(client: Client, chat: Plugin, settings: Any) -> None:
    settings.VISITOR_PER_DAY = 1
    ask(client)
    refused = client.post(ASK, {"question": "One more?"})
    said = refused.content.decode()
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert ("One more?</textarea>" in said, "Try again in" in said) == (True, True)
    told = client.post(ASK, {"question": "One more?"}, headers=STREAM)
    assert (told.status_code, told.json()["code"], int(told["Retry-After"]) > 0) == (429, "rate_limited", True)
    assert client.post(ASK, {"question": WORN}, REMOTE_ADDR="192.0.2.7").status_code == 303
    assert ChatMessage.objects.filter(content="One more?").count() == 0


def test_an_address_has_a_small_share_of_what_is_answered_at_once(client: Client, chat: Plugin, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"visitor_streams": 1}
    with stream_of_visitor():
        refused = client.post(ASK, {"question": WORN})
        assert (refused.status_code, "This visitor has 1 of 1 questions" in refused.content.decode()) == (429, True)
        assert refused["Retry-After"] == "5"
        assert client.post(ASK, {"question": WORN}, REMOTE_ADDR="192.0.2.7").status_code == 303


def test_a_form_of_elsewhere_asks_nothing(chat: Plugin) -> None:
    assert Client(enforce_csrf_checks=True).post(ASK, {"question": WORN}).status_code == 403
    assert Query.objects.count() == 0


def test_reloaded_it_is_the_page_again(client: Client, chat: Plugin) -> None:
    assert client.get(ASK).headers["Location"] == CHAT


def test_pk_035_what_is_asked_stays_text(client: Client, chat: Plugin) -> None:
    said = ask(client, "<img src=x onerror=alert(1)> boots?")
    assert "<img src=x" not in said
    assert "&lt;img src=x" in said


@pytest.mark.django_db(transaction=True)
def test_with_a_script_it_comes_as_a_stream_that_ends_with_the_servers_own_turn(client: Client, chat: Plugin) -> None:
    came, response = streamed(client, question=WORN, timezone="Europe/Oslo")
    kinds = [event["type"] for event in came]
    assert (kinds[0], kinds[-2:]) == ("status", ["done", "turn"])
    session = ChatSession.objects.get()
    assert response["Content-Location"] == f"{CHAT}/{session.pk}"
    assert "1 of 1 citation found word for word" in came[-1]["html"]
    assert came[-1]["left"].startswith("19 questions left today")
    assert Query.objects.get().options["timezone"] == "Europe/Oslo"
    assert [one.role for one in session.messages.all()] == ["user", "assistant"]


@pytest.mark.django_db(transaction=True)
def test_a_question_back_in_a_stream_has_a_form_that_may_be_sent(client: Client, with_tree: Plugin) -> None:
    html = streamed(client, question=OPEN)[0][-1]["html"]
    assert 'name="csrfmiddlewaretoken"' in html
    assert 'data-outcome="answered"' in reply(client, html, "on site")


@pytest.mark.django_db(transaction=True)
def test_what_is_stopped_leaves_its_question(client: Client, chat: Plugin) -> None:
    client.post(ASK, {"question": WORN}, headers=STREAM)  # nobody reads the answer
    assert "This question was stopped before it was answered." in client.get(CHAT).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_conversation_that_is_forgotten_while_it_answers_keeps_nothing(
    client: Client, chat: Plugin, monkeypatch: Any
) -> None:
    kept = door.to_stored_answer

    def forgotten(asked: Any) -> Any:
        ChatSession.objects.all().delete()
        return kept(asked)

    monkeypatch.setattr(door, "to_stored_answer", forgotten)
    assert streamed(client, question=WORN)[0][-1]["html"] == ""
    assert ChatMessage.objects.count() == 0


def test_a_long_conversation_takes_no_more_statements_than_a_short_one(
    client: Client, chat: Plugin, django_assert_num_queries: Any
) -> None:
    said = ask(client)
    with django_assert_num_queries(11):
        client.get(CHAT)
    ask(client, "When are boots replaced?", session=session_in(said))
    ask(client, DIVER, session=session_in(said))
    with django_assert_num_queries(11):
        client.get(CHAT)
