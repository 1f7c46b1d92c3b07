"""What waits for the author: brought together by topic, dismissed for good, shown without who asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, User
from builder.inbox import replies
from builder.inbox.topics import InboxQuery, Topic, get_topics
from builder.readiness import readiness
from evaluation.ask_draft import ask_draft
from evaluation.golden.propose_questions import propose_questions
from evaluation.models import GoldenQuestion
from evaluation.plugin_counts import counts_by_plugin
from knowledge.documents.expert_answers import add_expert_answer
from knowledge.documents.file_store import open_stored
from knowledge.models import Chunk, Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.infrastructure_errors import StorageUnavailable
from marketplace.publishing.publish import publish
from marketplace.publishing.publishing_gate import gate_result
from plugins.models import Plugin
from querying.llm_interface import ProviderFailed
from querying.models import Dismissal, ExpertRequest, Feedback, Query
from tests.cover import give_document

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]

BOOTS, BOOTS_TOO, CUP = (
    "How often are boots replaced?",
    "How often must boots be replaced?",
    "Who won the world cup?",
)


def asked(plugin: Plugin, question: str = BOOTS, *, ago: float = 0, **columns: Any) -> Query:
    at = timezone.now() - timedelta(days=ago, seconds=1)
    given = {"release_name": "boots@draft", "outcome": "refused", "created_at": at}
    return Query.objects.create(plugin=plugin, question=question, **given | columns)


def called_wrong(query: Query, user: User, note: str = "") -> Feedback:
    return Feedback.objects.create(query=query, user=user, verdict="down", note=note)


def pane(client: Client, plugin: Plugin, **chosen: Any) -> Any:
    response = client.get(reverse("admin:builder_inbox", args=[plugin.pk]), chosen)
    assert response.status_code == 200
    return response


def counts(response: Any) -> list[tuple[str, int]]:
    return [(row.topic.question, row.topic.count) for row in response.context["rows"]]


def dismiss(client: Client, plugin: Plugin, page: Any, *, row: int = 0) -> Any:
    said = {"queries": page.context["rows"][row].ids, "until": page.context["until"], "days": 30}
    return client.post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), said, follow=True)


def test_refused_doubtful_and_wrong_answers_wait_and_good_ones_do_not(plugin: Plugin, alice: User) -> None:
    refused = asked(plugin)
    low = asked(plugin, outcome="answered", confidence="low")
    wrong = asked(plugin, outcome="answered", confidence="high")
    called_wrong(wrong, alice)
    good = asked(plugin, outcome="answered", confidence="high")
    Feedback.objects.create(query=good, user=alice, verdict="up")
    asked(plugin, outcome="clarify")
    asked(plugin, ago=31)
    waiting = Query.objects.needing_attention(since=timezone.now() - timedelta(days=30))
    assert set(waiting) == {refused, low, wrong}


def test_questions_about_the_same_thing_are_one_topic(plugin: Plugin, alice: User) -> None:
    called_wrong(asked(plugin, BOOTS_TOO, outcome="answered", confidence="high"), alice)
    for ago in (3, 2):
        asked(plugin, ago=ago)
    asked(plugin, CUP, outcome="answered", confidence="low")
    boots, cup = get_topics(plugin, days=30)
    assert (boots.question, boots.wordings) == (BOOTS, [BOOTS_TOO])
    assert (boots.count, boots.refused_count, boots.low_confidence_count, boots.wrong_count) == (3, 2, 0, 1)
    assert (cup.question, cup.count, cup.refused_count, cup.low_confidence_count) == (CUP, 1, 0, 1)


def test_what_is_asked_often_and_lately_stands_first(plugin: Plugin) -> None:
    for _ in range(3):
        asked(plugin, CUP, ago=25)
    asked(plugin, BOOTS)
    assert [topic.question for topic in get_topics(plugin, days=30)] == [BOOTS, CUP]
    for _ in range(10):
        asked(plugin, CUP, ago=20)
    assert [topic.question for topic in get_topics(plugin, days=30)] == [CUP, BOOTS]


def test_the_pane_shows_the_nearest_passages_and_what_was_said(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document
) -> None:
    chunk = Chunk.objects.filter(document=handbook).first()
    assert chunk
    passages = [{"chunk": chunk.pk, "score": 0.42, "cosine": 0.5, "lexical": 1.0}]
    query = asked(plugin, outcome="answered", passages=passages)
    called_wrong(query, alice, note="It is 36 months by now.")
    content = pane(browsing(alice), plugin).content.decode()
    for words in (BOOTS, "1 called wrong", "Rules on boots", "0.42", "It is 36 months by now.", "Dismiss"):
        assert words in content
    assert reverse("admin:builder_sandbox_keep", args=[plugin.pk, query.pk]) in content


def test_a_golden_question_is_written_from_a_topic(browsing: Browse, alice: User, plugin: Plugin) -> None:
    query = asked(plugin)
    client, address = browsing(alice), reverse("admin:builder_sandbox_keep", args=[plugin.pk, query.pk])
    assert BOOTS in client.get(address, headers={"HX-Request": "true"}).content.decode()
    client.post(address, {"question": BOOTS, "expectation": "refuse", "words": ""})
    assert GoldenQuestion.objects.get().question == BOOTS
    assert counts(pane(client, plugin)) == [(BOOTS, 1)]


def test_an_empty_inbox_says_so(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked(plugin, ago=40)
    client = browsing(alice)
    assert "Inbox clear." in pane(client, plugin).content.decode()
    assert counts(pane(client, plugin, days=90)) == [(BOOTS, 1)]
    assert counts(pane(client, plugin, days="nonsense", page="-3")) == []


def test_a_dismissed_topic_stays_away_until_it_is_asked_again(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked(plugin), asked(plugin, BOOTS_TOO), asked(plugin, CUP, ago=1)
    client = browsing(alice)
    content = dismiss(client, plugin, pane(client, plugin)).content.decode()
    assert "2 questions dismissed." in content
    assert Dismissal.objects.filter(by=alice).count() == 2
    assert counts(pane(client, plugin)) == [(CUP, 1)]
    asked(plugin)
    assert sorted(counts(pane(client, plugin))) == [(BOOTS, 1), (CUP, 1)]


def test_what_was_asked_after_the_page_was_made_is_not_dismissed(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked(plugin)
    client = browsing(alice)
    page = pane(client, plugin)
    asked(plugin, created_at=timezone.now())
    dismiss(client, plugin, page)
    assert counts(pane(client, plugin)) == [(BOOTS, 1)]


def test_a_dismissed_answer_that_is_called_wrong_is_back(browsing: Browse, alice: User, plugin: Plugin) -> None:
    query = asked(plugin, outcome="answered", confidence="low")
    client = browsing(alice)
    dismiss(client, plugin, pane(client, plugin))
    called_wrong(query, alice)
    page = pane(client, plugin)
    assert counts(page) == [(BOOTS, 1)]
    dismiss(client, plugin, page)
    assert counts(pane(client, plugin)) == []


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"queries": "x,,", "until": "x"},
        {"queries": "x", "until": "2026-99-99T00:00:00Z"},
        {"until": "2026-01-01"},
    ],
)
def test_a_dismissal_that_makes_no_sense_changes_nothing(
    browsing: Browse, alice: User, plugin: Plugin, said: dict[str, str]
) -> None:
    asked(plugin)
    url = reverse("admin:builder_inbox_dismiss", args=[plugin.pk])
    content = browsing(alice).post(url, said, follow=True).content.decode()
    assert "Nothing was dismissed" in content
    assert not Dismissal.objects.exists()


def test_queries_of_another_plugin_are_not_dismissed(browsing: Browse, alice: User, plugin: Plugin) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    theirs = asked(other)
    asked(plugin)
    said = {"queries": str(theirs.pk), "until": timezone.now().isoformat()}
    browsing(alice).post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), said)
    assert not Dismissal.objects.exists()


def test_viewers_look_and_dismiss_nothing(browsing: Browse, bob: User, plugin: Plugin) -> None:
    plugin.viewers.add(bob)
    asked(plugin)
    client = browsing(bob)
    page = pane(client, plugin)
    assert counts(page) == [(BOOTS, 1)]
    assert reverse("admin:builder_inbox_dismiss", args=[plugin.pk]) not in page.content.decode()
    assert dismiss(client, plugin, page).status_code == 404
    assert not Dismissal.objects.exists()


def test_strangers_find_nothing(browsing: Browse, charlie: User, plugin: Plugin) -> None:
    for name in ("inbox", "inbox_dismiss"):
        url = reverse(f"admin:builder_{name}", args=[plugin.pk])
        assert browsing(charlie).get(url).status_code in (404, 405)
        assert browsing(charlie).post(url).status_code in (404, 405)


def test_the_author_does_not_see_who_asked_or_who_called_it_wrong(
    browsing: Browse, alice: User, charlie: User, plugin: Plugin
) -> None:
    key, _ = ApiKey.objects.issue(owner=charlie, name="charlies agent")
    called_wrong(asked(plugin, user=charlie, api_key=key), charlie, note="Not so.")
    content = pane(browsing(alice), plugin).content.decode().lower()
    assert "not so." in content
    assert "charlie" not in content


def test_questions_are_text(browsing: Browse, alice: User, plugin: Plugin) -> None:
    called_wrong(asked(plugin, "<script>alert(1)</script>"), alice, note="<img src=x>")
    content = pane(browsing(alice), plugin).content.decode()
    assert "<script>alert(1)" not in content
    assert "<img src=x>" not in content


def test_the_tab_counts_the_queries_that_wait(plugin: Plugin, alice: User) -> None:
    golden, counts = gate_result(plugin), counts_by_plugin([plugin])[plugin.pk]
    part = readiness(plugin, golden=golden, counts=counts)[-1]
    assert (part.detail, part.count) == ("clear", 0)
    asked(plugin), asked(plugin, CUP)
    part = readiness(plugin, golden=golden, counts=counts)[-1]
    assert (part.slug, part.detail, part.count) == ("inbox", "2 questions waiting", 2)


def test_topics_come_by_pages(browsing: Browse, alice: User, plugin: Plugin, monkeypatch: Any) -> None:
    monkeypatch.setattr("builder.inbox.views.PER_PAGE", 1)
    asked(plugin, BOOTS), asked(plugin, CUP, ago=1)
    client = browsing(alice)
    assert [counts(pane(client, plugin, page=number)) for number in (1, 2, 9)] == [
        [(BOOTS, 1)],
        [(CUP, 1)],
        [(CUP, 1)],
    ]


@pytest.mark.parametrize("rows", [1, 12])
def test_the_pane_takes_the_same_statements_for_any_number_of_rows(
    browsing: Browse, alice: User, plugin: Plugin, handbook: Document, rows: int, django_assert_num_queries: Any
) -> None:
    passages = [{"chunk": chunk.pk, "score": 0.5} for chunk in Chunk.objects.filter(document=handbook)]
    for number in range(rows):
        called_wrong(asked(plugin, f"{'word ' * number}{number}?", passages=passages), alice, note="x")
    client = browsing(alice)
    pane(client, plugin)
    with CaptureQueriesContext(connection) as around:
        client.get(reverse("admin:builder_golden_import", args=[plugin.pk]))
    with django_assert_num_queries(len(around) + 3):
        pane(client, plugin)


def test_the_line_of_a_topic_rises_on_the_days_it_was_asked() -> None:
    now = datetime(2026, 6, 30, tzinfo=UTC)
    times = [now, now - timedelta(days=29.5), now - timedelta(days=29.6)]
    queries = [InboxQuery(pk=None, question="?", at=at, outcome="refused", is_wrong=False) for at in times]  # type: ignore[arg-type]
    topic = Topic(question="?", wordings=[], queries=queries, representative_ids=[], weight=1.0)
    points = topic.sparkline_path(days=30, now=now).removeprefix("M").split("L")
    assert (len(points), points[0], points[1], points[-1]) == (30, "0.0 2.0", "3.3 22.0", "96.0 12.0")


# --- Dismissed, and brought back ---------------------------------------------------------------------------


def dismissed(client: Client, plugin: Plugin) -> Any:
    response = client.get(reverse("admin:builder_inbox_dismissed", args=[plugin.pk]))
    assert response.status_code == 200
    return response


def restore(client: Client, plugin: Plugin, at: str) -> Any:
    return client.post(reverse("admin:builder_inbox_restore", args=[plugin.pk]), {"at": at}, follow=True)


def test_what_was_dismissed_is_listed_and_brought_back(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked(plugin), asked(plugin, BOOTS_TOO), asked(plugin, CUP, ago=1)
    client = browsing(alice)
    dismiss(client, plugin, pane(client, plugin))
    dismiss(client, plugin, pane(client, plugin))
    acts = dismissed(client, plugin).context["acts"]
    assert [(act.count, act.by) for act in acts] == [(1, "Alice"), (2, "Alice")]
    assert sorted(acts[1].wordings) == sorted([BOOTS, BOOTS_TOO])
    assert "Dismissed" in pane(client, plugin).content.decode()
    content = restore(client, plugin, acts[1].at.isoformat()).content.decode()
    assert "2 queries are back in the inbox." in content
    assert sorted(counts(pane(client, plugin))) == [(BOOTS_TOO, 2)] or counts(pane(client, plugin)) == [(BOOTS, 2)]
    assert [act.wordings for act in dismissed(client, plugin).context["acts"]] == [[CUP]]


def test_what_was_dismissed_a_moment_ago_is_undone_where_it_was(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked(plugin), asked(plugin, CUP, ago=1)
    client = browsing(alice)
    page = dismiss(client, plugin, pane(client, plugin))
    undo = page.context["undo"]
    said = {"at": undo["at"].isoformat(), "days": "30", "page": "1"}
    assert ">Undo<" in page.content.decode()
    back = client.post(reverse("admin:builder_inbox_restore", args=[plugin.pk]), said, follow=True)
    assert back.redirect_chain[-1][0].startswith(reverse("admin:builder_inbox", args=[plugin.pk]))
    assert sorted(counts(back)) == sorted([(BOOTS, 1), (CUP, 1)])
    assert ">Undo<" not in back.content.decode()


@pytest.mark.parametrize("undo", ["", "x", "2020-01-01T00:00:00+00:00"])
def test_there_is_nothing_to_undo_at_another_moment(browsing: Browse, alice: User, plugin: Plugin, undo: str) -> None:
    asked(plugin)
    client = browsing(alice)
    dismiss(client, plugin, pane(client, plugin))
    assert pane(client, plugin, undo=undo).context["undo"] is None


@pytest.mark.parametrize("at", ["", "x", "2026-99-99T00:00:00Z", "2020-01-01T00:00:00+00:00"])
def test_a_moment_at_which_nothing_was_dismissed_restores_nothing(
    browsing: Browse, alice: User, plugin: Plugin, at: str
) -> None:
    asked(plugin)
    client = browsing(alice)
    dismiss(client, plugin, pane(client, plugin))
    assert "Nothing was restored" in restore(client, plugin, at).content.decode()
    assert Dismissal.objects.count() == 1


def test_only_those_who_may_change_a_plugin_bring_back(
    browsing: Browse, alice: User, bob: User, plugin: Plugin
) -> None:
    plugin.viewers.add(bob)
    asked(plugin)
    client = browsing(alice)
    dismiss(client, plugin, pane(client, plugin))
    (act,) = dismissed(browsing(bob), plugin).context["acts"]
    assert restore(browsing(bob), plugin, act.at.isoformat()).status_code == 404
    assert Dismissal.objects.exists()


def test_nothing_dismissed_says_so(browsing: Browse, alice: User, plugin: Plugin) -> None:
    assert "Nothing is dismissed." in dismissed(browsing(alice), plugin).content.decode()


@pytest.mark.parametrize("times", [1, 8])
def test_the_dismissed_take_the_same_statements_for_any_number(
    browsing: Browse, alice: User, plugin: Plugin, django_assert_num_queries: Any, times: int
) -> None:
    for _ in range(times):
        Dismissal.record([asked(plugin), asked(plugin, CUP)], by=alice)
    client = browsing(alice)
    dismissed(client, plugin)
    with CaptureQueriesContext(connection) as around:
        client.get(reverse("admin:builder_golden_import", args=[plugin.pk]))
    with django_assert_num_queries(len(around) + 2):
        dismissed(client, plugin)


# --- Replies, many at once, and who asked -----------------------------------------------------------------------------

HELMETS = "When are helmets replaced?"


def reply(client: Client, plugin: Plugin, page: Any, **fields: str) -> Any:
    said = {"queries": page.context["rows"][0].ids, "until": page.context["until"], "days": 30, **fields}
    return client.post(reverse("admin:builder_inbox_reply", args=[plugin.pk]), said, follow=True)


def test_a_reply_becomes_a_cited_document_and_a_golden_question_and_closes_the_topic(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    asked(plugin, HELMETS)
    client = browsing(alice)
    answer = "Helmets are replaced five years after they were made."
    after = reply(client, plugin, pane(client, plugin), question=HELMETS, answer=answer)
    assert [message.level_tag for message in after.context["messages"]] == ["success"]
    assert counts(after) == []
    assert "1 question closed." in after.content.decode()
    document = Document.objects.get(title="Expert answers")
    text = document.pages.get(removed_in=None).text
    assert (f"## {HELMETS}" in text, answer in text, "Answered by Alice on " in text) == (True, True, True)
    golden = GoldenQuestion.objects.get()
    assert (golden.question, golden.must_cite) == (HELMETS, [["Expert answers", None]])
    assert Query.objects.count() == 1  # asking again leaves nothing in the log
    asked(plugin, "When are gloves replaced?")
    reply(
        client,
        plugin,
        pane(client, plugin),
        question="When are gloves replaced?",
        answer="Gloves are replaced monthly.",
    )
    text = Document.objects.get(title="Expert answers").pages.get(removed_in=None).text
    assert (answer in text, "Gloves are replaced monthly." in text) == (True, True)


def test_a_reply_says_nothing_of_the_address_of_its_author(plugin: Plugin, browsing: Browse, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(email="a.smith@example.org", display_name="")
    asked(plugin, HELMETS)
    client = browsing(User.objects.get(pk=alice.pk))
    reply(client, plugin, pane(client, plugin), question=HELMETS, answer="Helmets are replaced after five years.")
    text = Document.objects.get(title="Expert answers").pages.get(removed_in=None).text
    assert ("Answered on " in text, "smith" in text) == (True, False)


@pytest.mark.parametrize(("name", "promises"), [("Alice", 2), ("", 0)])
def test_a_public_name_is_promised_only_by_who_has_one(
    plugin: Plugin, browsing: Browse, alice: User, name: str, promises: int
) -> None:
    User.objects.filter(pk=alice.pk).update(display_name=name)
    ExpertRequest.objects.create(query=asked(plugin, HELMETS))
    client = browsing(User.objects.get(pk=alice.pk))
    assert pane(client, plugin).content.decode().count("your public name") == promises


def test_who_replied_is_not_quoted_as_an_answer(plugin: Plugin, browsing: Browse, alice: User) -> None:
    asked(plugin, HELMETS)
    client = browsing(alice)
    reply(client, plugin, pane(client, plugin), question=HELMETS, answer="They are replaced after five years.")
    for question in ("What does “Expert answers” say?", "Who answered?", HELMETS):
        given = ask_draft(plugin, question)
        assert ("Alice" in given.text, str(timezone.localdate().year) in given.text) == (False, False)
    assert not any("Alice" in one.question + one.excerpt for one in propose_questions(plugin))


def test_the_next_reply_takes_parts_of_addresses_out_of_earlier_signatures(plugin: Plugin, alice: User) -> None:
    base = own_knowledge_base(plugin)
    for author in ("a.smith", "Alice"):
        add_expert_answer(base, question="Boots?", answer="Yes.", author=author, day=date(2026, 11, 3))
    document = add_expert_answer(base, question="Gloves?", answer="No.", author="Alice Z", day=date(2026, 11, 4))
    with open_stored(document.sha256) as file:
        signed = [line for line in file.read().decode().splitlines() if "Answered" in line]
    assert signed == [
        "#### Answered on 3 November 2026",
        "#### Answered by Alice on 3 November 2026",
        "#### Answered by Alice Z on 4 November 2026",
    ]


def test_where_anyone_may_chat_a_reply_reaches_them_unless_its_author_says_otherwise(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    asked(plugin, HELMETS)
    client = browsing(alice)
    assert 'name="opens"' not in pane(client, plugin).content.decode()
    Plugin.objects.update(public_chat=True)
    page = pane(client, plugin)
    assert (page.context["may_open"], page.context["opens"]) == (True, True)
    answer = "Helmets are replaced five years after they were made."
    after = reply(client, plugin, page, question=HELMETS, answer=answer)
    assert "as the document is not public" in str(next(iter(after.context["messages"])))
    assert not Document.objects.get(title="Expert answers").is_public

    gloves = "When are gloves replaced?"
    asked(plugin, gloves)
    page = pane(client, plugin)
    assert (page.context["may_open"], page.context["opens"]) == (True, False)
    reply(client, plugin, page, question=gloves, answer="Gloves are replaced monthly.", opens="on")
    assert Document.objects.get(title="Expert answers").is_public
    asked(plugin, CUP)
    assert not pane(client, plugin).context["may_open"]


def test_a_reply_that_does_not_answer_leaves_the_topic_open(plugin: Plugin, browsing: Browse, alice: User) -> None:
    gloves = "Who cleans the gloves?"
    asked(plugin, gloves)
    Plugin.objects.update(evidence_threshold=1.0)  # more than this reply is worth
    client = browsing(alice)
    answer = "The cleaner cleans the gloves every Friday."
    after = reply(client, plugin, pane(client, plugin), question=gloves, answer=answer)
    assert [message.level_tag for message in after.context["messages"]] == ["warning"]
    assert counts(after) == [(gloves, 1)]


def test_a_follow_up_is_named_and_answered_by_what_it_stands_for(plugin: Plugin, browsing: Browse, alice: User) -> None:
    for_helmets = asked(plugin, "And gloves?", plan={"standalone": "When are gloves replaced?"})
    asked(plugin, "And gloves?", plan={"standalone": "Who won the world cup in gloves?"})
    client = browsing(alice)
    page = pane(client, plugin)
    assert {question for question, _ in counts(page)} == {for_helmets.full_question, "Who won the world cup in gloves?"}
    assert page.content.decode().count("Asked as “And gloves?” after an earlier question") == 2
    keep = reverse("admin:builder_sandbox_keep", args=[plugin.pk, for_helmets.pk])
    assert for_helmets.full_question in client.get(keep).content.decode()
    row = next(one for one in page.context["rows"] if one.topic.pk == for_helmets.pk)
    dismissing = {"queries": row.ids, "until": page.context["until"], "days": 30}
    client.post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), dismissing)
    assert counts(pane(client, plugin)) == [("Who won the world cup in gloves?", 1)]


WORN = "After how many months of wear are boots replaced?"


def ask_again(client: Client, plugin: Plugin, question: str, **more: Any) -> list[tuple[str, str]]:
    """What is said after the topic of this question was asked again."""
    page = pane(client, plugin, **more)
    ids = next(row.ids for row in page.context["rows"] if row.topic.question == question)
    form = {"queries": ids, "until": page.context["until"], "days": 30, **more}
    said = client.post(reverse("admin:builder_inbox_ask_again", args=[plugin.pk]), form, follow=True)
    return [(one.level_tag, str(one)) for one in said.context["messages"]]


def test_a_topic_closes_once_those_who_asked_are_answered_by_the_release(
    plugin: Plugin, browsing: Browse, alice: User, bob: User
) -> None:
    asked(plugin, WORN)
    asked(plugin, CUP, ago=1)
    client, address = browsing(alice), reverse("admin:builder_inbox_ask_again", args=[plugin.pk])
    page = pane(client, plugin)
    said = {"queries": page.context["rows"][0].ids, "until": page.context["until"], "days": 30}
    assert browsing(bob).post(address, said).status_code == 404
    [(level, words)] = ask_again(client, plugin, WORN)
    assert (level, "The draft answers" in words, "Publish" in words) == ("warning", True, True)
    publish(plugin, by=alice)
    [(level, words)] = ask_again(client, plugin, CUP)
    assert (level, "Neither the draft nor what is published answers" in words) == ("warning", True)
    assert ask_again(client, plugin, WORN) == [("success", f"“{WORN}” is answered now.")]
    assert counts(pane(client, plugin)) == [(CUP, 1)]
    assert "not in the inbox any more" in client.post(address, said, follow=True).content.decode()
    assert Query.objects.count() == 2


def test_what_the_author_alone_is_told_leaves_the_topic_of_visitors_open(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    asked(plugin, WORN, release_name="boots@1.0.0")
    Plugin.objects.update(public_chat=True)
    plugin.refresh_from_db()
    publish(plugin, by=alice)
    title, client = Document.objects.get().title, browsing(alice)
    [(level, words)] = ask_again(client, plugin, WORN)
    assert level == "warning"
    assert f"from what is not public: “{title}”. Visitors do not." in words
    assert counts(pane(client, plugin)) == [(WORN, 1)]
    Document.objects.update(is_public=True)
    assert [level for level, _ in ask_again(client, plugin, WORN)] == ["success"]


def test_a_key_is_told_what_the_chat_is_not(plugin: Plugin, browsing: Browse, alice: User, bob: User) -> None:
    asked(plugin, WORN, release_name="boots@1.0.0", api_key=ApiKey.objects.issue(owner=bob, name="agent")[0])
    Plugin.objects.update(public_chat=True)
    plugin.refresh_from_db()
    publish(plugin, by=alice)
    assert [level for level, _ in ask_again(browsing(alice), plugin, WORN)] == ["success"]


def test_an_own_answer_that_differs_from_that_of_visitors_is_told(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    Document.objects.update(is_public=True)
    give_document(plugin, title="Warehouse", text="# Months of wear\n\nAfter 12 months of wear boots are replaced.\n")
    asked(plugin, WORN, release_name="boots@1.0.0")
    Plugin.objects.update(public_chat=True)
    plugin.refresh_from_db()
    publish(plugin, by=alice)
    said = ask_again(browsing(alice), plugin, WORN)
    assert [level for level, _ in said] == ["info", "success"]
    assert "it also quotes “Warehouse”" in said[0][1]


def test_own_tries_are_asked_of_the_draft_again(plugin: Plugin, browsing: Browse, alice: User) -> None:
    asked(plugin, WORN, user=alice)
    client = browsing(alice)
    assert ask_again(client, plugin, WORN, **{"from": "sandbox"})[0][0] == "success"


def test_an_empty_reply_and_a_viewers_change_nothing(plugin: Plugin, browsing: Browse, alice: User, bob: User) -> None:
    asked(plugin, HELMETS)
    plugin.viewers.add(bob)
    client = browsing(alice)
    after = reply(client, plugin, pane(client, plugin), question=HELMETS, answer=" ")
    assert "Nothing was saved. Answer: This field is required." in after.content.decode()
    address = reverse("admin:builder_inbox_reply", args=[plugin.pk])
    assert browsing(bob).post(address, {"question": HELMETS, "answer": "Yearly."}).status_code == 404
    assert not Document.objects.filter(title="Expert answers").exists()
    assert not GoldenQuestion.objects.exists()


@pytest.mark.parametrize(
    ("address", "pane_name"), [("inbox_reply", "inbox"), ("invite", "sharing"), ("save_limits", "limits")]
)
def test_where_a_refused_form_is_shown_again_a_reload_leads_to_its_pane(
    plugin: Plugin, browsing: Browse, alice: User, charlie: User, address: str, pane_name: str
) -> None:
    opened = reverse(f"admin:builder_{address}", args=[plugin.pk])
    assert browsing(charlie).get(opened).status_code == 404
    response = browsing(alice).get(opened)
    assert (response.status_code, response["Location"]) == (
        302,
        reverse(f"admin:builder_{pane_name}", args=[plugin.pk]),
    )


def test_a_refused_reply_stays_in_its_topic(plugin: Plugin, browsing: Browse, alice: User) -> None:
    asked(plugin, HELMETS)
    asked(plugin, CUP)
    client = browsing(alice)
    page = pane(client, plugin)
    [ids] = [row.ids for row in page.context["rows"] if row.topic.question == HELMETS]
    sent = {"queries": ids, "question": " ", "answer": "After <five> years."}
    html = reply(client, plugin, page, **sent).content.decode()
    assert "Nothing was saved. Question: This field is required." in html
    assert html.count("After &lt;five&gt; years.</textarea>") == 1
    assert html.count('inbox-answer" open') == 1
    inbox = reverse("admin:builder_inbox", args=[plugin.pk])
    assert f'href="{inbox}?days=90"' in html  # not below the address that takes replies


def test_a_reply_that_cannot_be_stored_stays_even_when_its_topic_is_gone(
    plugin: Plugin, browsing: Browse, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise StorageUnavailable

    query = asked(plugin, HELMETS)
    client = browsing(alice)
    page = pane(client, plugin)
    query.delete()
    monkeypatch.setattr(replies, "add_expert_answer", refuse)
    html = reply(client, plugin, page, question=HELMETS, answer="After five years.").content.decode()
    assert "Nothing was saved." in html
    assert "After five years.</textarea>" in html


def test_a_second_reply_to_a_topic_that_was_closed_meanwhile_is_added_only_when_it_is_sent_again(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    """Two people, or two tabs: both replies would be cited, whatever they say."""
    asked(plugin, HELMETS)
    client = browsing(alice)
    page = pane(client, plugin)
    reply(client, plugin, page, question=HELMETS, answer="Helmets are replaced five years after they were made.")
    late = {"question": HELMETS, "answer": "Helmets are replaced after eight years."}
    html = reply(client, plugin, page, **late).content.decode()
    assert "This question waits no more: somebody has replied to it or dismissed it." in html
    assert "Helmets are replaced after eight years.</textarea>" in html
    document = Document.objects.get(title="Expert answers")
    assert "eight" not in document.pages.get(removed_in=None).text
    assert 'name="is_late"' in html
    reply(client, plugin, page, **late, is_late="on")
    assert "eight" in document.pages.get(removed_in=None).text


def test_a_reply_that_is_stored_is_not_asked_for_again_where_the_draft_cannot_be_asked(
    plugin: Plugin, browsing: Browse, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ProviderFailed("The model is away.")

    asked(plugin, HELMETS)
    client = browsing(alice)
    monkeypatch.setattr(replies, "ask_draft", fail)
    html = reply(client, plugin, pane(client, plugin), question=HELMETS, answer="After five years.").content.decode()
    assert "Your answer is saved in “Expert answers”, and the topic stays open." in html
    assert "After five years.</textarea>" not in html


def test_a_question_as_long_as_agents_may_ask_is_answered_in_many_lines(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    question = f"{HELMETS} {'Say it again. ' * 280}"[:4000].strip()
    asked(plugin, question)
    client = browsing(alice)
    lines = "\r\n".join(["Helmets are replaced after five years."] + ["x"] * 9980)
    assert len(lines.replace("\r\n", "\n")) <= 20_000 < len(lines)
    after = reply(client, plugin, pane(client, plugin), question=question, answer=lines)
    assert "Nothing was saved" not in after.content.decode()
    assert GoldenQuestion.objects.get().question == question


def test_an_own_try_that_is_brought_back_is_shown_among_own_tries(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    asked(plugin, HELMETS, user=alice)
    client = browsing(alice)
    page = pane(client, plugin, **{"from": "sandbox"})
    form = {"queries": page.context["rows"][0].ids, "until": page.context["until"], "days": 30, "from": "sandbox"}
    page = client.post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), form, follow=True)
    undo = re.search(r'<form class="note inbox-undo".*?</form>', page.content.decode(), re.DOTALL)
    assert undo is not None
    sent = dict(re.findall(r'name="(at|days|page|from)" value="([^"]*)"', undo[0]))
    back = client.post(reverse("admin:builder_inbox_restore", args=[plugin.pk]), sent, follow=True)
    assert (back.context["source"], counts(back)) == ("sandbox", [(HELMETS, 1)])


def test_marked_topics_are_dismissed_and_brought_back_together(plugin: Plugin, browsing: Browse, alice: User) -> None:
    asked(plugin, BOOTS)
    asked(plugin, CUP)
    client = browsing(alice)
    page = pane(client, plugin)
    said = {"queries": [row.ids for row in page.context["rows"]], "until": page.context["until"], "days": 30}
    after = client.post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), said, follow=True)
    assert counts(after) == []
    assert after.context["undo"]["count"] == 2


def test_own_tries_do_not_wait_unless_they_were_called_wrong(plugin: Plugin, browsing: Browse, alice: User) -> None:
    key, _ = ApiKey.objects.issue(owner=alice, name="agent")
    tried = asked(plugin, BOOTS, user=alice)
    asked(plugin, BOOTS, user=alice, release_name="boots@1.0.0")
    asked(plugin, CUP, user=alice, api_key=key)
    client = browsing(alice)
    assert counts(pane(client, plugin)) == [(CUP, 1)]
    golden, of = gate_result(plugin), counts_by_plugin([plugin])[plugin.pk]
    assert readiness(plugin, golden=golden, counts=of)[-1].count == 1
    tries = pane(client, plugin, **{"from": "sandbox"})
    assert counts(tries) == [(BOOTS, 2)]
    called_wrong(tried, alice)
    assert sorted(counts(pane(client, plugin))) == [(BOOTS, 1), (CUP, 1)]
    said = {"queries": tries.context["rows"][0].ids, "until": tries.context["until"], "from": "sandbox"}
    back = client.post(reverse("admin:builder_inbox_dismiss", args=[plugin.pk]), said)
    assert "from=sandbox" in back.headers["Location"]
    assert counts(pane(client, plugin, **{"from": "sandbox"})) == []
