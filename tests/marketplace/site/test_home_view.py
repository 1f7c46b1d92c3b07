"""The first page."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from accounts.models import User
from marketplace.listings.update_listing import update_listing
from marketplace.models import Label, Listing
from marketplace.site.featured_plugin import featured_plugin
from plugins.models import Plugin
from tests.marketplace.site.conftest import CITED, QUESTION, sample_on

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str = "/") -> str:
    return client.get(path).content.decode()


def other(owner: User, like: Plugin, *, slug: str) -> Listing:
    """A second published plugin, with the release of its own that a listing needs."""
    plugin = Plugin.objects.create(owner=owner, name=slug.title(), slug=slug, domain="safety", is_published=True)
    release = like.releases.get()
    plugin.releases.create(version="1.0.0", trees=[], knowledge=[], **release.policy())
    update_listing(plugin)
    return Listing.objects.get(plugin=plugin)


def test_it_shows_an_answer_that_was_given_with_the_words_that_prove_it(client: Client, listed: Listing) -> None:
    content = text_of(client)
    assert QUESTION in content
    assert f"<mark>{CITED}</mark>" in content
    assert "1 of 1 citation found word for word on the cited page" in content
    assert '<li class="end num">safety boots with a steel toe</li>' in content
    assert "High confidence" in content
    # A chip stands after the full stop of its sentence.
    assert re.search(r'steel toe\.<a class="cite"', content)


def test_of_a_plugin_that_is_not_shared_it_shows_no_more_than_what_is_cited(client: Client, listed: Listing) -> None:
    content = text_of(client)
    assert "/source/" not in content
    assert 'href="#evidence-1"' in content
    assert "replaced after 24 months" not in content


def test_of_a_shared_one_the_citations_open_the_page_here(client: Client, listed: Listing) -> None:
    Plugin.objects.update(is_shared=True)
    content = text_of(client)
    address = unescape(re.search(r'href="(/source/[^"]+)"', content)[1])
    assert "replaced after 24 months" in content
    opened = client.get(address)
    assert opened.status_code == 200
    assert f">{CITED}</mark>" in opened.content.decode()


def test_what_was_taken_off_the_air_is_gone_at_once(client: Client, listed: Listing) -> None:
    assert QUESTION in text_of(client)
    Plugin.objects.update(is_published=False)
    content = text_of(client)
    assert QUESTION not in content
    assert "Boots" not in content


def test_with_nothing_published_it_says_how_answers_come_about(client: Client) -> None:
    content = text_of(client)
    assert "How an answer is made" in content
    assert "No plugin is published here yet." in content
    assert "not yet" not in content
    assert "structural-engineering-concrete-cover" in content


def test_without_a_sample_it_leads_to_the_plugin(client: Client, listed: Listing) -> None:
    Listing.objects.update(sample={})
    content = text_of(client)
    assert "How an answer is made" in content
    assert "Try it on Boots" in content


def test_a_draft_is_never_on_it(client: Client, alice: User, plugin: Plugin) -> None:
    assert "Boots" not in text_of(client)


def test_the_best_measured_one_with_a_sample_is_shown(
    listed: Listing, alice: User, published: Plugin, settings: object
) -> None:
    better = other(alice, published, slug="better")
    assert featured_plugin().listing == listed  # the other has no sample
    Listing.objects.filter(pk=better.pk).update(
        sample=sample_on(published, question="Another?"), label=Label.MEASURED, right_at_least=0.9
    )
    assert featured_plugin().listing == better
    Listing.objects.filter(pk=listed.pk).update(label=Label.MEASURED, right_at_least=0.95)
    assert featured_plugin().listing == listed


def test_the_operator_may_name_one(listed: Listing, alice: User, published: Plugin, settings) -> None:
    named = other(alice, published, slug="named")
    settings.FEATURED = "named"
    assert featured_plugin().listing == listed  # it has no sample
    Listing.objects.filter(pk=named.pk).update(sample=sample_on(published, question="Another?"))
    assert featured_plugin().listing == named


def test_its_programs_ask_what_it_shows(client: Client, listed: Listing) -> None:
    shown = re.findall(r"<pre[^>]*>(.*?)</pre>", text_of(client), re.DOTALL)
    http, python, mcp = (unescape(code) for code in shown)
    assert '"plugin": "boots"' in http
    assert f'"{QUESTION}"' in http
    assert f'"{QUESTION}"' in python
    assert "/mcp" in mcp


def test_text_of_experts_is_never_markup(client: Client, listed: Listing) -> None:
    attack = "<script>alert(1)</script>"
    sample = {**listed.sample, "question": attack, "answer": attack}
    sample["citations"] = [{**listed.sample["citations"][0], "document": attack, "section": attack}]
    sample["decisionPath"] = [{"label": attack, "value": attack}]
    Listing.objects.update(sample=sample)
    Plugin.objects.update(name=attack)
    assert attack not in text_of(client)


def test_a_sample_that_is_broken_breaks_no_page(client: Client, listed: Listing) -> None:
    Listing.objects.update(sample={**listed.sample, "citations": [{"excerpt": "x", "url": "nonsense"}]})
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("rows", [1, 3])
def test_it_takes_the_same_statements_for_any_number_of_plugins(
    client: Client, listed: Listing, alice: User, published: Plugin, rows: int, django_assert_num_queries
) -> None:
    for number in range(rows):
        other(alice, published, slug=f"other-{number}")
    # Which one, that one, whether its sample is shown still, its pages, which of them are open, and the figures.
    with django_assert_num_queries(6):
        client.get("/")


def test_what_is_remembered_spares_all_but_one(
    client: Client, listed: Listing, settings, django_assert_num_queries
) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "landing"},
    }
    client.get("/")
    with django_assert_num_queries(1):
        assert QUESTION in text_of(client)
