"""Who reads the words around a citation: the same people on a plugin's page and in the sandbox."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying.models import Query
from tests.knowledge.bases import attach
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
WORN = "What is worn on every site?"
CITED = "<mark>Safety boots with a steel toe are worn on every site.</mark>"
# It follows the cited sentence on the page.
AROUND = "Boots are replaced after 24 months of wear."


@pytest.fixture
@remembered
def of_charlie(published: Plugin, bob: User, charlie: User) -> Plugin:
    """Alice's plugin with Bob as an editor. What it reads belongs to Charlie, who may look at it."""
    base = own_knowledge_base(published)
    base.plugin = Plugin.objects.create(owner=charlie, name="Other", domain="safety", system_prompt="x")
    base.owner = charlie
    base.save()
    attach(base, published)
    published.editors.add(bob)
    published.viewers.add(charlie)
    return published


def on_the_page(client: Client) -> str:
    answer = client.post("/marketplace/boots/try", {"question": WORN}).content.decode()
    return answer.partition('id="try-answer"')[2].partition("</article>")[0]


def in_the_sandbox(client: Client, plugin: Plugin) -> str:
    """The answer at once, which has to be the same as when it is opened again. Without the prompt, which has its own
    rule."""
    address = reverse("admin:builder_sandbox_ask", args=[plugin.pk])
    answer = client.post(address, {"question": WORN, "version": "1.0.0"}).content.decode()
    turns = {"turns": str(Query.objects.latest("created_at").pk)}
    again = client.get(reverse("admin:builder_sandbox", args=[plugin.pk]), turns).content.decode()
    parts = [html.partition('class="answer-grid')[2].partition('class="inside"')[0] for html in (answer, again)]
    assert parts[0] == parts[1]
    return parts[0]


def reads_around(answer: str) -> bool:
    """Whether the words around the citation are shown, and its page can be opened."""
    assert CITED in answer
    assert "1 of 1 citation found word for word" in answer
    assert (AROUND in answer) == ('href="/source/' in answer)
    return AROUND in answer


def test_only_who_may_open_the_knowledge_reads_around_a_citation(
    browsing: Browse, of_charlie: Plugin, alice: User, bob: User, charlie: User
) -> None:
    for person, may_read in ((alice, False), (bob, False), (charlie, True)):
        assert reads_around(on_the_page(browsing(person))) is may_read
        assert reads_around(in_the_sandbox(browsing(person), of_charlie)) is may_read
    assert not reads_around(on_the_page(Client()))


def test_where_a_passage_was_read_is_told_to_those_who_may_open_it(
    browsing: Browse, of_charlie: Plugin, bob: User, charlie: User
) -> None:
    asked = {"question": WORN, "version": "1.0.0"}
    for person, may_read in ((bob, False), (charlie, True)):
        address = reverse("admin:builder_sandbox_ask", args=[of_charlie.pk])
        page = browsing(person).post(address, asked).content.decode()
        assert ("Passages that were read" in page) is may_read


def test_what_is_shared_with_everybody_is_read_in_both_places(
    browsing: Browse, published: Plugin, alice: User, bob: User, visitor: User
) -> None:
    published.viewers.add(bob)
    assert not reads_around(on_the_page(browsing(visitor)))
    published.is_shared = True
    published.save()
    assert reads_around(on_the_page(browsing(visitor)))
    for person in (alice, bob):
        assert reads_around(on_the_page(browsing(person)))
        assert reads_around(in_the_sandbox(browsing(person), published))
