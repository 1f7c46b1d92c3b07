"""What a plugin's page shows, and to whom."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from accounts.models import ApiKey, User
from evaluation.models import GoldenQuestion
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document
from marketplace.listings.trust_label import TrustLabel
from marketplace.listings.update_listing import update_listing
from marketplace.models import DayOfPlugin, Listing
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from trees.models import DecisionTree

PAGE = "/marketplace/boots"
# The plugin; its releases, samples, a question to begin with and days; its sources: which bases it may read (twice),
# how many, which, and their pages; these as the trust label counts them, with the bases; its reviews; and, where
# nobody remembers them, those of its domain, and these in full.
STATEMENTS = 15


def content(client: Client, path: str = PAGE) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def add_documents(plugin: Plugin, count: int) -> None:
    for number in range(count):
        base = plugin.knowledge_base
        added = add_text(
            knowledge_base=base,
            title=f"Sheet {number:02}",
            text=f"# Sheet\n\nSheet {number} is about shoes of size {number}.",
            file_name=f"{number}.md",
            enqueue=False,
        )
        ingest(added.document.pk)


def test_it_says_what_the_plugin_is(client: Client, published: Plugin) -> None:
    Plugin.objects.filter(pk=published.pk).update(tagline="Which boots, and when.", description="All about boots.")
    said = content(client)
    for words in ("Which boots, and when.", "All about boots.", "Alice", "1.0.0", "Rules on boots", "Trust label"):
        assert words in said
    assert "alice@example.org" not in said


def test_what_is_not_on_the_marketplace_is_not_found(client: Client, plugin: Plugin, alice: User) -> None:
    for path in (PAGE, f"{PAGE}/try", f"{PAGE}/card.png", f"{PAGE}@1.0.0", "/marketplace/none"):
        method = client.post if path.endswith("/try") else client.get
        assert method(path, {"question": "?"}).status_code == 404
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    plugin.unpublish()
    assert client.get(PAGE).status_code == 404


def test_nothing_private_is_on_it(client: Client, plugin: Plugin, tree: DecisionTree, alice: User) -> None:
    plugin.audience, plugin.tone, plugin.limits = "for sentinel audiences", "in sentinel tones", "sentinel limits"
    plugin.system_prompt = "You are a sentinel engineer."
    plugin.save()
    GoldenQuestion.objects.create(plugin=plugin, question="Is the sentinel golden?")
    publish(plugin, by=alice)
    said = content(client) + content(client, f"{PAGE}@1.0.0")
    for words in ("sentinel", "Where are the boots worn", "closed heel", "Which boots to wear"):
        assert words not in said
    assert '<dt>Trees</dt><dd class="num">1</dd>' in said


def test_a_page_takes_as_many_statements_with_many_documents_and_releases_as_with_few(
    client: Client, published: Plugin, alice: User, django_assert_num_queries: Any
) -> None:
    client.get(PAGE)
    with django_assert_num_queries(STATEMENTS):
        client.get(PAGE)
    add_documents(published, 3)
    for _ in range(3):
        publish(published, by=alice, version=None)
        add_documents(published, 1)
    for number in range(3):
        GoldenQuestion.objects.create(plugin=published, question=f"Number {number}?", is_public=True)
    with django_assert_num_queries(STATEMENTS):
        client.get(PAGE)


def test_sources_come_in_pages_of_twelve(client: Client, plugin: Plugin, alice: User) -> None:
    add_documents(plugin, 13)
    publish(plugin, by=alice)
    first, second = content(client), content(client, f"{PAGE}?sources=2")
    assert ("1 to 12 of 14" in first, "13 to 14 of 14" in second) == (True, True)
    assert ("Sheet 00" in first, "Sheet 12" in first, "Sheet 12" in second) == (True, False, True)
    assert "1 to 12 of 14" in content(client, f"{PAGE}?sources=%00x")


def test_sources_are_those_of_the_release(client: Client, published: Plugin, handbook: Document) -> None:
    add_documents(published, 1)
    handbook.superseded_on = date(2020, 1, 1)
    handbook.effective_from = date(2001, 5, 1)
    handbook.save()
    said = content(client)
    assert "Sheet 00" not in said
    assert "superseded on 1 January 2020" in said
    assert "May 2001 to Jan 2020" in said


def test_a_source_opens_only_where_the_plugin_is_shared(client: Client, published: Plugin) -> None:
    assert 'href="/source/' not in content(client)
    Plugin.objects.update(is_shared=True)
    assert 'href="/source/' in content(client)


def test_sample_questions_are_those_that_the_author_marked(client: Client, published: Plugin) -> None:
    for question, is_public, passed in (
        ("Shown?", True, True),
        ("Hidden?", False, True),
        ("Failing?", True, False),
    ):
        GoldenQuestion.objects.create(plugin=published, question=question, is_public=is_public, last_passed=passed)
    said = content(client)
    assert [words in said for words in ("Shown?", "Hidden?", "Failing?")] == [True, False, False]


def test_a_long_question_in_the_address_is_whole_in_the_box(client: Client, published: Plugin) -> None:
    assert f"{'boots ' * 200}end</textarea>" in content(client, f"{PAGE}?question={'boots+' * 200}end")


def test_a_question_in_the_address_waits_for_a_person(client: Client, published: Plugin) -> None:
    assert "Which &lt;boots&gt;?</textarea>" in content(client, f"{PAGE}?question=Which+%3Cboots%3E%3F")
    assert Query.objects.count() == 0


def test_the_visitors_own_key_is_named_and_never_shown(
    browsing: Callable[[User], Client], published: Plugin, visitor: User
) -> None:
    other = Plugin.objects.create(owner=visitor, name="Other", slug="other", domain="x")
    _, limited = ApiKey.objects.issue(owner=visitor, name="for another plugin", plugins=[other])
    key, secret = ApiKey.objects.issue(owner=visitor, name="planning agent")
    said = content(browsing(visitor))
    assert ("planning agent" in said, f"{key.prefix}…" in said) == (True, True)
    assert (secret in said, limited in said, "for another plugin" in said) == (False, False, False)
    assert "planning agent" not in content(Client())


def test_editors_find_the_way_to_the_builder(
    browsing: Callable[[User], Client], published: Plugin, alice: User, charlie: User
) -> None:
    link = f"/admin/plugins/plugin/{published.pk}/change/"
    assert (link in content(browsing(alice)), link in content(browsing(charlie))) == (True, False)


def test_usage_is_drawn_and_can_be_read(client: Client, published: Plugin) -> None:
    assert "Not asked in the last 30 days." in content(client)
    today = Listing.objects.get().updated_at.date()
    DayOfPlugin.objects.create(plugin=published, day=today, asked=1204, answered=1200, refused=4)
    said = content(client)
    assert "Asked 1,204 times in the last 30 days, most often on" in said
    assert '<td class="n">1,204</td>' in said


def test_similar_plugins_are_of_the_same_domain_and_on_the_air(client: Client, published: Plugin, alice: User) -> None:
    for name, domain, is_published in (("Gloves", "safety", True), ("Hats", "safety", False), ("Tax", "law", True)):
        other = Plugin.objects.create(
            owner=alice, name=name, slug=name.lower(), domain=domain, is_published=is_published
        )
        release = published.latest_release()
        assert release is not None
        listing = Listing.objects.get(pk=published.pk)
        listing.pk, listing.plugin, listing.domain, listing.search = other.pk, other, domain.capitalize(), None
        listing.save(force_insert=True)
    similar = content(client).partition('id="similar"')[2]
    assert [name in similar for name in ("Gloves", "Hats", "Tax")] == [True, False, False]


def test_the_page_stands_before_its_listing_is_computed(client: Client, published: Plugin) -> None:
    Listing.objects.all().delete()
    assert "is being computed" in content(client)
    update_listing(published)
    assert "is being computed" not in content(client)


def test_what_an_author_writes_stays_text(client: Client, published: Plugin) -> None:
    hostile = "<script>alert(1)</script>{{ 7 }}"
    Plugin.objects.update(name=hostile[:120], tagline=hostile, description=hostile, domain=hostile[:80])
    publish_notes = published.releases.get()
    publish_notes.notes = hostile
    publish_notes.save()
    said = content(client)
    assert "<script>alert" not in said
    assert "&lt;script&gt;alert(1)" in said


def test_other_sites_are_told_what_it_is(client: Client, published: Plugin) -> None:
    said = content(client)
    assert '<link rel="canonical" href="http://localhost:8000/marketplace/boots">' in said
    assert 'content="http://localhost:8000/marketplace/boots/card.png"' in said


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}@1.0.0"])
def test_it_is_only_looked_at(client: Client, published: Plugin, path: str) -> None:
    assert client.post(path).status_code == 405


def test_the_trust_label_counts_the_sources_as_they_are_marked_now(client: Client, published: Plugin) -> None:
    Plugin.objects.filter(pk=published.pk).update(public_chat=True)
    published.refresh_from_db()
    update_listing(published)
    assert trust_of(client).sources == 0
    Document.objects.update(is_public=True)
    assert trust_of(client).sources == 1


def test_pages_are_said_to_be_of_the_sources_that_have_them(client: Client, published: Plugin) -> None:
    add_documents(published, 1)
    publish(published, by=published.owner)
    Document.objects.update(page_count=None)
    Document.objects.filter(title="Sheet 00").update(page_count=2)
    assert trust_of(client).sources_summary == "2 pages in 1 of them; none superseded"


def trust_of(client: Client) -> TrustLabel:
    trust = client.get(PAGE).context["trust"]
    assert isinstance(trust, TrustLabel)
    return trust
