"""Golden questions proposed from the documents, for the expert to accept; and documents that are picked."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.golden import proposals
from evaluation.golden.propose_questions import propose_questions
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from plugins.models import Plugin
from querying.llm_interface import ProviderFailed
from tests.browsers import overflow, sign_in, violations_in_each_look
from tests.cover import give_document
from tests.querying.scripted import Scripted

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
REPLACED = "After how long are boots replaced?"


def address(plugin: Plugin) -> str:
    return reverse("admin:builder_golden_propose", args=[plugin.pk])


def ticked(number: int = 0, **said: str) -> dict[str, str]:
    given = {"accept": "on", "question": REPLACED, "title": "Boots", "page": "", "phrase": "24 months", **said}
    return {f"{name}-{number}": value for name, value in given.items()}


def test_questions_are_made_of_sentences_with_figures_and_of_headings(plugin: Plugin) -> None:
    title = Document.objects.get().title
    stated, *headed = propose_questions(plugin)
    assert (stated.question, stated.phrase, stated.title, stated.page) == (REPLACED, "24 months", title, None)
    assert stated.excerpt == "Boots are replaced after 24 months of wear."
    assert f"What does “{title}” say about In the office?" in [one.question for one in headed]
    assert all(one.url.startswith("/source/") for one in headed)


def test_a_heading_that_only_names_the_document_proposes_nothing(plugin: Plugin) -> None:
    text = (
        "# Riverside Practice: clinical protocols\n\nApproved by the director.\n\n## Fasting\n\n- Rabbits never fast.\n"
    )
    give_document(plugin, title="Clinical Protocols", text=text)
    asked = {one.question: one.excerpt for one in propose_questions(plugin) if one.title == "Clinical Protocols"}
    assert asked == {"What does “Clinical Protocols” say about Fasting?": "Rabbits never fast."}


def test_a_row_of_a_table_is_no_proof_to_show(plugin: Plugin) -> None:
    table = "| Room | Beds |\n| --- | --- |\n| 1 | 8 |"
    text = f"# Hostel\n\n## Dormitories\n\n{table}\n\n## Kitchen\n\nIt closes early.\n\n{table}\n"
    give_document(plugin, title="Reception", text=text)
    found = {one.question: one.excerpt for one in propose_questions(plugin) if one.title == "Reception"}
    assert found == {"What does “Reception” say about Kitchen?": "It closes early."}


def test_a_heading_that_asks_is_the_question(plugin: Plugin) -> None:
    give_document(plugin, title="FAQ", text="# FAQ\n\n## Who cleans the boots?\n\nEverybody cleans their own boots.\n")
    assert "Who cleans the boots?" in [one.question for one in propose_questions(plugin)]


def test_what_is_asked_already_and_what_is_not_ready_proposes_nothing(plugin: Plugin) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question=REPLACED.upper())
    assert REPLACED not in [one.question for one in propose_questions(plugin)]
    Document.objects.update(status="failed")
    assert propose_questions(plugin) == []


def test_those_ticked_become_golden_questions_as_the_expert_worded_them(
    plugin: Plugin, browsing: Browse, alice: User
) -> None:
    title = Document.objects.get().title
    client = browsing(alice)
    assert REPLACED in client.get(address(plugin)).content.decode()
    sent = ticked(title=title, question="When are boots replaced?") | ticked(1, title=title, question="And shoes?")
    del sent["accept-1"]
    client.post(address(plugin), sent)
    made = GoldenQuestion.objects.get()
    assert (made.question, made.must_cite, made.must_contain) == (
        "When are boots replaced?",
        [[title, None]],
        ["24 months"],
    )
    assert made.expectation == "answer"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"title": "No such book"}, "has no document called"),
        ({"page": "7"}, "Nothing was added."),
        ({"question": ""}, "Nothing was added."),
    ],
)
def test_bad_input_adds_nothing(
    plugin: Plugin, browsing: Browse, alice: User, said: dict[str, str], words: str
) -> None:
    title = Document.objects.get().title
    sent = ticked(title=title) | ticked(1, **{"title": title, **said})
    assert words in browsing(alice).post(address(plugin), sent, follow=True).content.decode()
    assert not GoldenQuestion.objects.exists()
    assert "no question is ticked" in browsing(alice).post(address(plugin), {}, follow=True).content.decode()


@pytest.mark.parametrize("wrong", [{"title-1": "No such book"}, {"accept-0": None, "accept-1": None}])
def test_what_was_written_and_ticked_is_shown_again_where_nothing_was_added(
    plugin: Plugin, browsing: Browse, alice: User, wrong: dict[str, str | None]
) -> None:
    title = Document.objects.get().title
    more = {"url": "/source/1?start=0&end=9#cited", "excerpt": "The model has quoted this."}
    first = ticked(title=title, question="When are my boots replaced?", phrase="every 2 years", **more)
    sent = first | ticked(1, title=title, question="And my shoes?", url="javascript:alert(1)") | wrong
    page = browsing(alice).post(address(plugin), {name: said for name, said in sent.items() if said is not None})
    assert [(row.question, row.is_ticked) for row in page.context["proposed"]] == [
        ("When are my boots replaced?", "accept-1" not in wrong),
        ("And my shoes?", "accept-1" not in wrong),
    ]
    html = page.content.decode()
    for shown in ('value="every 2 years"', "The model has quoted this.", "/source/1?start=0&amp;end=9#cited"):
        assert shown in html
    assert "javascript:" not in html
    assert not GoldenQuestion.objects.exists()


def test_viewers_and_strangers_propose_nothing(plugin: Plugin, browsing: Browse, bob: User, charlie: User) -> None:
    plugin.viewers.add(bob)
    for person in (bob, charlie):
        assert browsing(person).get(address(plugin)).status_code == 404
        assert browsing(person).post(address(plugin), ticked()).status_code == 404


@pytest.fixture
def with_model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[Scripted], Scripted]:
    def use(model: Scripted) -> Scripted:
        settings.LEXIC_LLM = "openai"
        monkeypatch.setattr(proposals, "get_llm", lambda: model)
        return model

    return use


def test_a_model_proposes_what_stands_on_a_page_and_nothing_else(
    plugin: Plugin, browsing: Browse, alice: User, with_model: Callable[[Scripted], Scripted]
) -> None:
    lines = [
        {"passage": 1, "question": "Which toe have boots on site?", "quote": "steel toe"},
        {"passage": 1, "question": "What do they cost?", "quote": "40 euros"},
        {"passage": 99, "question": "Who?", "quote": "steel toe"},
        {"passage": 1, "question": "Which toe\ud800?", "quote": "steel toe"},
        {"passage": 1, "question": "Which toe\x00?", "quote": "steel toe"},
        ["no object"],
    ]
    model = with_model(Scripted("\n".join(map(json.dumps, lines)) + "\nHere you are."))
    shown = browsing(alice).post(address(plugin), {"by": "model"})
    proposed = shown.context["proposed"]
    assert [one.question for one in proposed] == ["Which toe have boots on site?"]
    assert "steel toe" in proposed[0].excerpt
    assert "Safety boots with a steel toe" in model.prompts[0].messages[1]["content"]
    assert not GoldenQuestion.objects.exists()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Scripted("", error=ProviderFailed("It is away.")), "It is away."),
        (Scripted("I would rather not."), "The model proposed nothing that stands on a page."),
    ],
)
def test_where_the_model_fails_the_documents_propose(
    plugin: Plugin,
    browsing: Browse,
    alice: User,
    with_model: Callable[[Scripted], Scripted],
    model: Scripted,
    words: str,
) -> None:
    with_model(model)
    shown = browsing(alice).post(address(plugin), {"by": "model"})
    assert words in shown.content.decode()
    assert REPLACED in [one.question for one in shown.context["proposed"]]


def test_the_tree_end_and_an_older_value_can_be_chosen(
    plugin: Plugin, tree: Any, browsing: Browse, alice: User
) -> None:
    golden = GoldenQuestion.objects.create(plugin=plugin, question="Boots?", must_reach="gone_end")
    content = browsing(alice).get(reverse("admin:builder_golden_change", args=[plugin.pk, golden.pk])).content.decode()
    assert '<option value="steel">On site</option>' in content
    assert '<option value="gone_end" selected>gone_end (no end of a tree in use)</option>' in content


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_document_and_its_page_are_picked(page: Page, alice: User, plugin: Plugin) -> None:
    title = Document.objects.get().title
    Document.objects.update(page_count=12)
    sign_in(page, alice, to=reverse("admin:builder_golden_add", args=[plugin.pk]))
    page.get_by_label("Page", exact=True).fill("3")
    page.get_by_label("Page", exact=True).press("Enter")
    expect(page.get_by_label("Must cite")).to_have_value(f"{title}, p. 3")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("Must cite")).to_have_value(f"{title}, p. 3\n{title}")
    assert violations_in_each_look(page) == []
    page.goto(address(plugin))
    assert (violations_in_each_look(page), overflow(page)) == ([], 0)
    page.get_by_label("Accept question 1", exact=True).check()
    page.get_by_role("button", name="Add the ticked ones").click()
    expect(page.get_by_role("heading", name=REPLACED)).to_be_visible()
