from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from plugins.models import Plugin
from querying import reading
from querying.models import Query
from querying.types import REFUSAL
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
WORN = "What is worn on every site?"


def ask(client: Client, **fields: Any) -> str:
    response = client.post("/ask/boots", {"question": WORN, "version": "draft", "facts": "", "as_of": "", **fields})
    assert response.status_code == 200
    return response.content.decode()


def test_an_author_asks_the_draft(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = ask(browsing(alice))
    query = Query.objects.get()
    assert (query.release_name, query.outcome, query.user) == ("boots@draft", "answered", alice)
    assert "Safety boots with a steel toe are worn on every site." in content
    assert 'href="#src_1"' in content
    assert 'id="src_1"' in content
    assert f"/admin/querying/query/{query.pk}/change/" in content
    for step in query.timings:
        assert step in content


def test_sources_open_here_whatever_the_public_address_is(
    browsing: Browse, alice: User, plugin: Plugin, settings
) -> None:
    settings.PUBLIC_URL = "https://elsewhere.example"
    client = browsing(alice)
    content = ask(client)
    assert "elsewhere.example" not in content
    (source,) = reading.sources(Query.objects.get().citations)
    assert source.address.startswith("/source/")
    assert "<mark" in client.get(source.address).content.decode()


def test_a_release_can_be_asked_too(browsing: Browse, alice: User, published: Plugin) -> None:
    ask(browsing(alice), version="1.0.0")
    assert Query.objects.get().release_name == "boots@1.0.0"


def test_a_refusal_is_shown(browsing: Browse, alice: User, plugin: Plugin) -> None:
    content = ask(browsing(alice), question="How many moons does Jupiter have?")
    assert REFUSAL.replace("'", "&#x27;") in content
    assert "no_evidence" in content


def test_a_missing_fact_is_asked_for_and_answered(
    browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree
) -> None:
    client = browsing(alice)
    content = ask(client, question="Which boots should I wear?")
    assert "Where are the boots worn?" in content
    assert 'name="answer" value="on site"' in content
    content = ask(client, question="Which boots should I wear?", asked_field="place", answer="on site")
    assert "place = on site" in content
    assert "safety boots with a steel toe" in content
    assert Query.objects.filter(outcome="answered").count() == 1


def test_what_is_no_fact_is_said_at_the_form(browsing: Browse, alice: User, plugin: Plugin) -> None:
    assert "“boots” is not a fact." in ask(browsing(alice), facts="place = office\nboots")
    assert not Query.objects.exists()


def test_a_day_limits_the_documents(browsing: Browse, alice: User, plugin: Plugin, handbook: Any) -> None:
    handbook.superseded_on = "2026-01-01"
    handbook.save()
    client = browsing(alice)
    assert "[Source 1]" in ask(client, as_of="2025-12-31")
    assert "[Source 1]" not in ask(client, as_of="2026-01-01")


def test_a_question_is_needed(browsing: Browse, alice: User, plugin: Plugin) -> None:
    assert "This field is required." in ask(browsing(alice), question="")


@pytest.mark.parametrize("published_first", [False, True])
def test_only_those_who_edit_a_plugin_ask_it_by_hand(
    browsing: Browse, charlie: User, bob: User, alice: User, plugin: Plugin, published_first: bool
) -> None:
    plugin.is_published = published_first
    plugin.save()
    plugin.editors.add(bob)
    assert browsing(charlie).get("/ask/boots").status_code == 404
    assert browsing(charlie).post("/ask/boots", {"question": WORN, "version": "draft"}).status_code == 404
    assert browsing(bob).get("/ask/boots").status_code == 200
    assert Client().get("/ask/boots").status_code == 302


def test_text_of_questions_and_documents_is_never_markup(browsing: Browse, alice: User, plugin: Plugin) -> None:
    attack = "<script>alert(1)</script>"
    assert attack not in ask(browsing(alice), question=f"{attack} {WORN}", facts=f"{attack} = {attack}")


# --- The page that a citation opens ----------------------------------------------------------------------


@pytest.fixture
def page(handbook: Any) -> Any:
    return handbook.pages.get()


def opened(client: Client, page: Any, query: str = "") -> str:
    return client.get(f"/source/{page.pk}{query}").content.decode()


def test_the_cited_span_is_marked(browsing: Browse, alice: User, page: Any) -> None:
    start = page.text.index("Safety boots")
    content = opened(browsing(alice), page, f"?start={start}&end={start + 12}")
    assert ">Safety boots</mark>" in content


@pytest.mark.parametrize("query", ["", "?start=5&end=5", "?start=9&end=2", "?start=x&end=-1", "?end=²"])
def test_without_a_span_nothing_is_marked_and_nothing_lost(
    browsing: Browse, alice: User, page: Any, query: str
) -> None:
    content = opened(browsing(alice), page, query)
    assert "<mark" not in content
    assert "Boots are replaced after 24 months of wear." in content


def test_a_span_beyond_the_text_marks_what_there_is(browsing: Browse, alice: User, page: Any) -> None:
    end = len(page.text)
    assert f">{page.text[end - 5 :]}</mark>" in opened(browsing(alice), page, f"?start={end - 5}&end=999999999")


def test_a_page_that_has_been_replaced_says_so(browsing: Browse, alice: User, page: Any) -> None:
    page.removed_in = 9
    page.save()
    assert "has been replaced or taken out" in opened(browsing(alice), page)


def test_pages_are_for_those_who_may_read_them(
    browsing: Browse, charlie: User, published: Plugin, page: Any
) -> None:
    assert browsing(charlie).get(f"/source/{page.pk}").status_code == 404
    assert browsing(charlie).get("/source/" + "9" * 60).status_code == 404
    response = Client().get(f"/source/{page.pk}?start=1&end=2")
    assert response.headers["Location"].endswith(f"?next=/source/{page.pk}%3Fstart%3D1%26end%3D2")


def test_only_real_sources_become_links() -> None:
    text = "Boots [Source 1]. Shoes [Source 2] [Source 0]. [Source one]"
    shown = list(reading.pieces(text, count=1))
    assert [piece.source for piece in shown if piece.source] == [1]
    assert "".join(f"[Source {p.source}]" if p.source else p.text for p in shown) == text


def test_an_audit_row_without_its_plugin_can_be_read(browsing: Browse, alice: User) -> None:
    query = Query.objects.create(id=uuid.uuid4(), release_name="gone@1.0.0", question="Boots?", user=alice)
    content = browsing(alice).get(f"/admin/querying/query/{query.pk}/change/").content.decode()
    assert "it is gone" in content
