"""The page of the marketplace: everything in the address, everything without a script."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from marketplace.catalogue.browse_page import PER_PAGE
from marketplace.catalogue.listing_query import ListingSort, parse_listing_query
from marketplace.models import Listing
from plugins.models import Plugin
from tests.marketplace.catalogue.made import listed, scorecard

pytestmark = pytest.mark.django_db
NAMES = ["q", "domain", "tag", "trust", "use", "sort", "page", "x"]


def content(path: str = "/marketplace") -> str:
    response = Client().get(path)
    assert response.status_code == 200
    return response.content.decode()


def cards(page: str) -> list[str]:
    return re.findall(r"<h3><a href=\"/marketplace/[^\"]+\">([^<]+)</a></h3>", page)


def links(page: str, *, rel: str = "") -> list[str]:
    pattern = rf'<a [^>]*rel="{rel}" href="([^"]+)"' if rel else r'<a class="tag" href="([^"]+)"'
    return [unescape(one) for one in re.findall(pattern, page)]


def test_it_shows_what_is_published_and_nothing_else(alice: User) -> None:
    listed(alice, "Concrete cover", card=scorecard(117, 120, refused=(30, 30)))
    Plugin.objects.create(owner=alice, name="Secret draft", domain="testing")
    page = content()
    assert cards(page) == ["Concrete cover"]
    assert "1 plugin<" in page
    assert "117<span>/120</span>" in page
    assert "Secret draft" not in page
    assert "alice@" not in page.lower()


def test_a_card_counts_sources_where_some_have_no_pages(alice: User) -> None:
    listed(alice, "Concrete cover")
    Listing.objects.update(sources=3, pages=1)
    page = content()
    assert ("<dt>sources</dt><dd>3</dd>" in page, "of sources" in page) == (True, False)
    Listing.objects.update(pages=12)
    assert "<dt>pages of sources</dt><dd>12</dd>" in content()


def test_without_plugins_it_says_what_will_be_here() -> None:
    assert "Nothing is published yet." in content()


def test_a_search_without_result_says_what_to_do(alice: User) -> None:
    listed(alice, "Concrete cover")
    page = content("/marketplace?q=feeding+tropical+fish")
    assert "No plugin knows this yet." in page
    assert 'href="/marketplace"' in page


def test_filters_without_result_say_how_to_take_them_off(alice: User) -> None:
    listed(alice, "Concrete cover", domain="a")
    page = content("/marketplace?q=cover&domain=a&use=install")
    assert "No plugin matches all filters." in page
    assert 'href="/marketplace?q=cover"' in page
    assert links(page) == ["/marketplace?q=cover&use=install", "/marketplace?q=cover&domain=A"]


@pytest.mark.parametrize(("right", "total", "is_green"), [(0, 1, False), (3, 3, False), (4, 4, True), (60, 100, True)])
def test_measured_is_green_only_where_most_went_right(alice: User, right: int, total: int, is_green: bool) -> None:
    listed(alice, "Concrete cover", card=scorecard(right, total, refused=(0, 0)))
    page = content()
    assert "</svg>Measured</span>" in page
    assert ('class="row-end state ok"' in page) == is_green


def test_words_that_are_typed_next_are_ordered_by_how_well_they_fit(alice: User) -> None:
    """The usual order of the page is sent by its form as none, so that the search has its own usual one."""
    listed(alice, "Concrete cover")
    page = content()
    assert '<option value="" selected>most often right</option>' in page
    assert parse_listing_query({"q": ["cover"], "sort": [""]}).order == ListingSort.BEST
    assert '<option value="" selected>best match</option>' in content("/marketplace?q=cover&sort=")
    assert '<option value="right" selected>most often right</option>' in content("/marketplace?q=cover&sort=right")


def test_what_was_chosen_is_still_chosen(alice: User) -> None:
    listed(alice, "Concrete cover", domain="site-safety", card=scorecard(10, 10))
    page = content("/marketplace?q=cover&domain=Site+safety&trust=right&sort=name")
    assert 'name="domain" value="Site safety" form="finder" checked' in page
    assert 'name="trust" value="right" form="finder" checked' in page
    assert '<option value="name" selected>' in page
    assert 'value="cover"' in page


def test_pages_are_plain_links_that_keep_the_search(alice: User) -> None:
    for number in range(PER_PAGE + 2):
        listed(alice, f"Plugin {number:02}")
    first = content("/marketplace?domain=testing&sort=name")
    assert (len(cards(first)), links(first, rel="prev")) == (PER_PAGE, [])
    (following,) = links(first, rel="next")
    assert parse_qs(urlsplit(following).query) == {"domain": ["Testing"], "sort": ["name"], "page": ["2"]}
    second = content(following)
    assert cards(second) == [f"Plugin {number}" for number in (PER_PAGE, PER_PAGE + 1)]
    assert f"{PER_PAGE + 1} to {PER_PAGE + 2} of {PER_PAGE + 2}" in second
    assert links(second, rel="next") == []
    assert "page" not in links(second, rel="prev")[0]


@pytest.mark.parametrize("page", ["0", "-1", "nonsense", "1e9", "999999", "99999999999999999999", "٣", ""])
def test_pages_that_are_none_are_the_nearest_one(alice: User, page: str) -> None:
    listed(alice, "Concrete cover")
    assert cards(content(f"/marketplace?page={page}")) == ["Concrete cover"]


@pytest.mark.parametrize("rows", [1, 3])
def test_it_takes_the_same_queries_for_any_number(
    client: Client, alice: User, rows: int, django_assert_num_queries: Any
) -> None:
    for number in range(rows):
        listed(alice, f"Plugin {number}", card=scorecard(), tags=[f"tag {number}"])
    with django_assert_num_queries(2):
        client.get("/marketplace?q=plugin&trust=any")


def test_text_of_experts_and_visitors_is_never_markup(alice: User) -> None:
    attack = '"><script>alert(1)</script>'
    listed(alice, attack, tagline=attack, domain=attack, tags=[attack])
    User.objects.filter(pk=alice.pk).update(display_name=attack)
    for path in ("/marketplace", "/marketplace?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&domain=%3Cscript%3E"):
        assert "<script>alert" not in content(path)


def test_nothing_is_written_into_the_page(alice: User) -> None:
    listed(alice, "Concrete cover", card=scorecard())
    assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?! (type=\"module\" )?src)", content())


def test_a_search_is_not_for_search_engines(alice: User) -> None:
    assert "noindex" not in content()
    assert "noindex" in content("/marketplace?q=cover")


def test_what_is_looked_for_changes_nothing(client: Client) -> None:
    assert client.post("/marketplace").status_code == 405
    assert client.head("/marketplace").status_code == 200


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(["q", "domain", "tag", "trust", "use", "sort", "page", "x"]), st.text(max_size=40))
)
def test_whatever_stands_in_the_address_there_is_a_page(db: None, said: dict[str, str]) -> None:
    assert Client().get("/marketplace", said).status_code == 200
