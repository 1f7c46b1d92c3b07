"""Asking by hand, without a script: what the page shows is what was logged."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from builder.sandbox.turns import SandboxTurn
from evaluation.golden.expectation_text import MAX_LINES
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying.models import Feedback, Query
from querying.question import user_limits
from querying.types.refusals import REFUSAL
from tests.knowledge.bases import attach
from tests.remembered import remembered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
WORN = "What is worn on every site?"
WHICH = "Which boots should I wear?"


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    cache.clear()


@pytest.fixture
@remembered
def viewer(plugin: Plugin, bob: User) -> User:
    plugin.viewers.add(bob)
    return bob


def address(name: str, plugin: Plugin, *more: Any) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *more])


def ask(client: Client, plugin: Plugin, *, expect: int = 200, **fields: Any) -> str:
    said = {"question": WORN, "version": "draft", **fields}
    response = client.post(address("sandbox_ask", plugin), said)
    assert response.status_code == expect
    return response.content.decode()


def token_in(content: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', content)
    assert found
    return found[1]


# --- Answers ---------------------------------------------------------------------------------------------


def test_the_draft_is_asked_and_everything_is_shown(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = ask(browsing(alice), plugin)
    query = Query.objects.get()
    assert (query.release_name, query.outcome, query.user) == ("boots@draft", "answered", alice)
    for words in (
        "<mark>Safety boots with a steel toe are worn on every site.</mark>",
        "1 of 1 citation found word for word on the cited page",
        "High confidence",
        "Estimated by fixed rules, not calibrated for this plugin, from three signs: the best passage scores 0.",
        "how far it is ahead of the next one, and whether both searches find it first.",
        "Searched",
        "Passages that were read",
        "What a chat model would be sent",
        "You are a safety engineer.",
        f"/admin/querying/query/{query.pk}/change/",
    ):
        assert words in content


def test_a_citation_opens_its_page_at_the_cited_words(
    browsing: Browse, alice: User, plugin: Plugin, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://elsewhere.example"
    client = browsing(alice)
    content = ask(client, plugin)
    assert "elsewhere.example" not in content
    chip = re.search(r'class="cite" href="(/source/[^"]+)"', content)
    assert chip
    assert (
        ">Safety boots with a steel toe are worn on every site.</mark>"
        in client.get(chip[1].replace("&amp;", "&")).content.decode()
    )


def test_a_release_can_be_asked_and_compared_with_the_draft(browsing: Browse, alice: User, published: Plugin) -> None:
    ask(browsing(alice), published, version="1.0.0", other="draft")
    assert set(Query.objects.values_list("release_name", flat=True)) == {"boots@1.0.0", "boots@draft"}


def test_a_refusal_says_why_and_what_came_nearest(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = ask(browsing(alice), plugin, question="Which boots are worn in a submarine of the navy?")
    assert REFUSAL.replace("'", "&#x27;") in content
    assert "no_evidence" in content
    assert "Closest in the documents, but not a clear answer" in content
    assert "Rules on boots" in content


def test_a_refusal_names_nothing_that_the_person_may_not_open(
    browsing: Browse, alice: User, plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("querying.presentation.cited_pages.readable_page_ids", lambda ids, viewer: frozenset())
    content = ask(browsing(alice), plugin, question="Which boots are worn in a submarine of the navy?")
    assert ("no_evidence" in content, "Closest in the documents" in content) == (True, False)


def test_a_question_back_is_answered_by_its_token(
    browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree
) -> None:
    client = browsing(alice)
    content = ask(client, plugin, question=WHICH)
    assert "Where are the boots worn?" in content
    content = ask(client, plugin, question="", token=token_in(content), answer="on site")
    query = Query.objects.get(outcome="answered")
    assert (query.question, query.facts) == (WHICH, {"place": "on site"})
    assert "safety boots with a steel toe" in content
    assert 'aria-label="Decision path"' in content
    assert "one step up because the tree decided" in content


def test_a_token_of_another_person_is_not_taken(
    browsing: Browse, alice: User, viewer: User, plugin: Plugin, tree: DecisionTree
) -> None:
    token = token_in(ask(browsing(alice), plugin, question=WHICH))
    content = ask(browsing(viewer), plugin, question="", token=token, answer="on site", expect=400)
    assert "does not belong to this key" in content
    assert Query.objects.count() == 1


def test_a_conversation_goes_on_from_the_rows_of_the_same_person(
    browsing: Browse, alice: User, viewer: User, plugin: Plugin
) -> None:
    ask(browsing(alice), plugin)
    first = Query.objects.get()
    ask(browsing(viewer), plugin, question="And in the office?", earlier=str(first.pk))
    assert Query.objects.get(user=viewer).context == []
    content = ask(browsing(alice), plugin, question="And in the office?", earlier=f"{first.pk},nonsense")
    turns = Query.objects.get(user=alice, question="And in the office?").context
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert turns[0]["content"] == WORN
    assert "[Source" not in turns[1]["content"]
    assert content.index(WORN) < content.index("And in the office?")


def test_a_conversation_can_be_opened_again(browsing: Browse, alice: User, viewer: User, plugin: Plugin) -> None:
    ask(browsing(alice), plugin)
    shown = {"turns": str(Query.objects.get().pk)}
    assert WORN in browsing(alice).get(address("sandbox", plugin), shown).content.decode()
    assert WORN not in browsing(viewer).get(address("sandbox", plugin), shown).content.decode()


def test_a_day_and_tags_limit_the_documents(browsing: Browse, alice: User, plugin: Plugin, handbook: Document) -> None:
    handbook.superseded_on = "2026-01-01"
    handbook.tags = ["feet"]
    handbook.save()
    client = browsing(alice)
    assert "<mark>" in ask(client, plugin, as_of="2025-12-31", tags_any="hands, feet")
    assert "<mark>" not in ask(client, plugin, as_of="2026-01-01")
    assert "<mark>" not in ask(client, plugin, tags_any="hands")


def test_what_cannot_be_asked_is_said_and_changes_nothing(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    assert "“boots” is not a fact." in ask(client, plugin, facts="place = office\nboots", expect=400)
    content = ask(client, plugin, question="", expect=400)
    assert "Write a question first." in content
    ask(client, plugin, version="9.9.9", expect=400)
    assert not Query.objects.exists()


def test_who_asks_like_a_machine_waits(
    browsing: Browse, alice: User, plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_limits, "USER_LIMITS", {user_limits.DAY: 1})
    client = browsing(alice)
    ask(client, plugin)
    content = ask(client, plugin, question="And now?", expect=429)
    assert "Try again in" in content
    assert "And now?" in content
    assert Query.objects.count() == 1


def test_text_of_questions_is_never_markup(browsing: Browse, alice: User, plugin: Plugin) -> None:
    attack = "<script>alert(1)</script>"
    assert attack not in ask(browsing(alice), plugin, question=f"{attack} {WORN}", facts=f"{attack} = {attack}")


@pytest.mark.parametrize("turns", [1, 6])
def test_a_conversation_takes_the_same_statements_for_any_number_of_turns(
    browsing: Browse, alice: User, plugin: Plugin, turns: int, django_assert_num_queries: Any
) -> None:
    client = browsing(alice)
    for _ in range(turns):
        ask(client, plugin)
    ids = ",".join(str(pk) for pk in Query.objects.values_list("pk", flat=True))
    GoldenQuestion.objects.create(plugin=plugin, question="Which boots?")
    client.get(address("sandbox", plugin))
    with django_assert_num_queries(_statements(client, plugin) + 10):
        assert client.get(address("sandbox", plugin), {"turns": ids}).content.decode().count("<mark>") == turns


def _statements(client: Client, plugin: Plugin) -> int:
    """Those of the empty pane, without the questions that it offers: a golden one."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        client.get(address("sandbox", plugin))
    return len(captured) - 1


# --- Who may ---------------------------------------------------------------------------------------------


def test_strangers_find_nothing(browsing: Browse, charlie: User, visitor: User, published: Plugin) -> None:
    query = Query.objects.create(plugin=published, release_name="boots@draft", question="?", outcome="answered")
    for client in (browsing(charlie), browsing(visitor), Client()):
        for name, more in (("sandbox", []), ("sandbox_keep", [query.pk]), ("sandbox_remark", [query.pk])):
            assert client.get(address(name, published, *more)).status_code in (302, 404)
            assert client.post(address(name, published, *more), {"verdict": "down"}).status_code in (302, 404)
        for accept in ("text/html", "text/event-stream"):
            said = {"question": WORN, "version": "draft"}
            response = client.post(address("sandbox_ask", published), said, headers={"Accept": accept})
            assert response.status_code in (302, 404)
    assert Query.objects.count() == 1
    assert not Feedback.objects.exists()


def test_a_viewer_asks_the_draft_and_sees_no_prompt(browsing: Browse, viewer: User, plugin: Plugin) -> None:
    content = ask(browsing(viewer), plugin)
    assert "Safety boots with a steel toe are worn on every site." in content
    assert "The prompt is not shown" in content
    assert "You are a safety engineer." not in content
    assert "Save as golden question" not in content


def test_an_editor_sees_no_prompt_that_quotes_what_they_may_not_open(
    browsing: Browse, alice: User, bob: User, charlie: User, plugin: Plugin
) -> None:
    base = own_knowledge_base(plugin)
    other = Plugin.objects.create(owner=charlie, name="Other", domain="safety", system_prompt="x")
    plugin.editors.add(bob)
    base.plugin, base.owner = other, charlie
    base.save()
    attach(base, plugin)
    content = ask(browsing(bob), plugin)
    assert "The prompt is not shown" in content
    assert "Nobody needs boots in the office" not in content
    assert "/source/" not in content


def test_the_old_address_leads_to_the_sandbox(browsing: Browse, alice: User, charlie: User, plugin: Plugin) -> None:
    assert browsing(alice).get("/ask/boots").headers["Location"] == address("sandbox", plugin)
    assert browsing(charlie).get("/ask/boots").status_code == 404
    assert Client().get("/ask/boots").status_code == 302


# --- Remarks ---------------------------------------------------------------------------------------------


def keep(client: Client, plugin: Plugin, query: Query, **fields: Any) -> Any:
    said = {"question": query.question, "expectation": "answer", "words": "", **fields}
    return client.post(address("sandbox_keep", plugin, query.pk), said)


def test_an_answer_becomes_a_golden_question(browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree) -> None:
    client = browsing(alice)
    ask(client, plugin, question=WHICH, facts="place = on site")
    query = Query.objects.get()
    content = client.get(address("sandbox_keep", plugin, query.pk)).content.decode()
    assert "Rules on boots" in content
    response = keep(client, plugin, query, places=["0"], words="steel toe\n", decision="on")
    assert response.status_code == 302
    golden = GoldenQuestion.objects.get()
    assert (golden.question, golden.facts, golden.expectation) == (WHICH, {"place": "on site"}, "answer")
    assert golden.must_cite == [["Rules on boots", None]]
    assert (golden.must_contain, golden.must_reach) == (["steel toe"], "steel")


def test_it_may_name_as_many_phrases_as_any_golden_question(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    ask(client, plugin)
    query, phrases = Query.objects.get(), [f"phrase {number}" for number in range(MAX_LINES + 1)]
    assert f"At most {MAX_LINES} phrases" in keep(client, plugin, query, words="\n".join(phrases)).content.decode()
    keep(client, plugin, query, words="\n".join(phrases[1:]))
    assert GoldenQuestion.objects.get().must_contain == phrases[1:]


@pytest.mark.parametrize(
    ("outcome", "expected"), [("refused", "refuse"), ("clarify", "clarify"), ("answered", "answer")]
)
def test_what_is_expected_follows_from_how_it_ended(plugin: Plugin, outcome: str, expected: str) -> None:
    query = Query(plugin=plugin, question=WORN, outcome=outcome)
    assert GoldenQuestion.from_query(query).expectation == expected


def test_what_refuses_need_not_cite(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    ask(client, plugin)
    keep(client, plugin, Query.objects.get(), expectation="refuse", places=["0"])
    assert GoldenQuestion.objects.get().must_cite == []


def test_only_those_who_change_the_plugin_keep_golden_questions(browsing: Browse, viewer: User, plugin: Plugin) -> None:
    client = browsing(viewer)
    ask(client, plugin)
    assert keep(client, plugin, Query.objects.get()).status_code == 404
    assert not GoldenQuestion.objects.exists()


def test_the_latest_verdict_of_a_person_counts(browsing: Browse, viewer: User, alice: User, plugin: Plugin) -> None:
    client = browsing(viewer)
    ask(client, plugin)
    query = Query.objects.get()
    for verdict, note in (("down", "Shoes, not boots."), ("up", "")):
        client.post(address("sandbox_remark", plugin, query.pk), {"verdict": verdict, "note": note})
    browsing(alice).post(address("sandbox_remark", plugin, query.pk), {"verdict": "down", "note": "No."})
    said = Feedback.objects.order_by("user__email").values_list("user__email", "verdict", "note")
    assert list(said) == [("alice@example.org", "down", "No."), ("bob@example.org", "up", "")]


def test_only_answers_of_this_plugin_are_judged_here(
    browsing: Browse, alice: User, charlie: User, plugin: Plugin
) -> None:
    ask(browsing(alice), plugin)
    query = Query.objects.get()
    other = Plugin.objects.create(owner=alice, name="Other", domain="safety", system_prompt="x")
    assert browsing(alice).post(address("sandbox_remark", other, query.pk), {"verdict": "down"}).status_code == 404
    assert browsing(alice).get(address("sandbox_remark", plugin, uuid.uuid4())).status_code == 404
    assert not Feedback.objects.exists()


def test_a_verdict_that_is_none_is_not_kept(browsing: Browse, alice: User, plugin: Plugin) -> None:
    ask(browsing(alice), plugin)
    response = browsing(alice).post(address("sandbox_remark", plugin, Query.objects.get().pk), {"verdict": "sideways"})
    assert response.status_code == 200
    assert not Feedback.objects.exists()


def test_feedback_is_seen_by_its_author_and_by_those_who_may_read_the_answer(
    alice: User, bob: User, charlie: User, plugin: Plugin
) -> None:
    query = Query.objects.create(plugin=plugin, release_name="x", question="?", outcome="answered")
    Feedback.objects.create(query=query, user=charlie, verdict="down")
    seen = [Feedback.objects.visible_to(user).count() for user in (alice, bob, charlie)]
    assert seen == [1, 0, 1]


def test_no_note_is_kept_of_an_answer_whose_words_are_erased(browsing: Browse, alice: User, plugin: Plugin) -> None:
    query = Query.objects.create(plugin=plugin, release_name="x", question="?", outcome="answered")
    Query.objects.all().erase_content(now=timezone.now())
    said = {"verdict": "down", "note": "It is 50 mm."}
    assert browsing(alice).post(address("sandbox_remark", plugin, query.pk), said).status_code == 404
    assert not Feedback.objects.exists()


def test_a_plugin_that_has_read_nothing_says_what_to_do(browsing: Browse, alice: User, plugin: Plugin) -> None:
    empty = Plugin.objects.create(owner=alice, name="Empty", domain="safety")
    content = browsing(alice).get(address("sandbox", empty)).content.decode()
    assert "No documents yet." in content
    assert reverse("admin:builder_knowledge", args=[empty.pk]) in content.partition('id="vacant"')[2]
    assert "Ask it something." in browsing(alice).get(address("sandbox", plugin)).content.decode()


def test_a_refusal_leads_on_for_those_who_can_do_something(
    browsing: Browse, alice: User, viewer: User, plugin: Plugin
) -> None:
    asked = {"question": "What is the melting point of tungsten?", "version": "draft"}
    for person, leads_on in ((alice, True), (viewer, False)):
        said = browsing(person).post(address("sandbox_ask", plugin), asked, follow=True).content.decode()
        assert ("Add what says so" in said) == leads_on


def test_facts_are_written_as_people_write_them(browsing: Browse, alice: User, plugin: Plugin) -> None:
    asked = {"question": "Which boots are worn?", "version": "draft", "facts": "member_type = column"}
    said = browsing(alice).post(address("sandbox_ask", plugin), asked, follow=True).content.decode()
    assert 'class="tag">member type <b>column' in said


def test_a_yes_is_shown_as_yes_and_named_by_its_question(plugin: Plugin) -> None:
    path = [{"step": 1, "node": "start", "label": "More than 15 hp?", "value": "yes"}]
    facts = {"start": True, "member_type": "column", "height_m": 2.5}
    query = Query(plugin=plugin, facts=facts, decision_path=path)
    turn = SandboxTurn(query=query, answer=None, timings=[], passages=[], feedback=None)  # type: ignore[arg-type]
    assert turn.fact_texts == [("More than 15 hp?", "yes"), ("member type", "column"), ("height m", "2.5")]


def test_a_question_that_is_too_long_is_refused_with_its_length(browsing: Browse, alice: User, plugin: Plugin) -> None:
    said = ask(browsing(alice), plugin, question="x" * 4001, expect=400)
    assert "The question has 4001 characters, and at most 4000 can be asked." in said
