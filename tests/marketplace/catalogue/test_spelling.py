"""A search whose words stand nowhere is tried with the words that were likely meant, and that is said."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from marketplace.catalogue.listing_refresh import refresh_stale_listings
from marketplace.catalogue.spelling import correct_spelling, update_known_words
from marketplace.models import Word
from plugins.models import Plugin
from tests.marketplace.catalogue.made import listed
from tests.marketplace.catalogue.test_browse import cards

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(alice: User) -> None:
    """Found by their words alone."""
    listed(alice, "Concrete cover and durability", tagline="For reinforced members.", tags=["eurocode"])
    listed(alice, "Asbestos removal", tagline="Permits and disposal.", domain="site-safety")
    update_known_words()


def page(query: str) -> str:
    return unescape(Client().get(f"/marketplace?{query}").content.decode())


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("concrte covr", "concrete cover"),
        ("cocnrete", "concrete"),
        ("Asbetos Remval", "asbestos removal"),
        ("asbetos removal", "asbestos removal"),
        ("the durabilty of concrete", "the durability of concrete"),
        ("asbetos xkcdq", "asbestos"),
        ("eurokode 2", "eurocode"),
        ('concrte "reinforced members" -wood', 'concrete "reinforced members" -"wood"'),
    ],
)
def test_each_word_that_stands_nowhere_becomes_the_most_similar_one(shelf: None, words: str, meant: str) -> None:
    assert correct_spelling(words) == meant


@pytest.mark.parametrize(
    "words", ["", "concrete cover", "feeding tropical fish", "xkcd qwrtz", "cvr", '"concrte"', "-"]
)
def test_what_is_right_short_or_like_nothing_is_left_as_it_is(shelf: None, words: str) -> None:
    assert correct_spelling(words) == ""


def test_the_page_says_what_it_shows_instead(shelf: None) -> None:
    said = page("q=concrte+covr")
    assert "Nothing for “concrte covr”; showing “concrete cover”." in said
    assert cards(said) == ["Concrete cover and durability"]
    assert 'value="concrte covr"' in said


def test_what_is_found_as_it_is_typed_is_shown_without_a_word(shelf: None) -> None:
    assert "showing “" not in page("q=concrete+covr")
    assert cards(page("q=concrete+covr")) == ["Concrete cover and durability"]


def test_what_the_filters_keep_out_stays_out(shelf: None) -> None:
    said = page("q=concrte+covr&domain=Site+safety")
    assert "No plugin matches all filters." in said
    assert "showing “" not in said


def test_the_words_are_nobodys_markup(shelf: None) -> None:
    said = Client().get("/marketplace", {"q": "<b>concrte</b> <i>covr"}).content.decode()
    assert "<b>concrte" not in said


def test_words_of_what_went_off_the_air_are_not_offered(shelf: None) -> None:
    Plugin.objects.filter(name__startswith="Asbestos").update(is_published=False)
    assert correct_spelling("asbetos") == ""
    update_known_words()
    assert not Word.objects.filter(text="asbestos").exists()
    assert Word.objects.filter(text="concrete").exists()


def test_the_timetable_learns_new_words(alice: User) -> None:
    listed(alice, "Scaffolds")
    refresh_stale_listings()
    assert correct_spelling("scafolds") == "scaffolds"
    assert list(Word.objects.filter(text__startswith="scaf").values_list("text", "listings")) == [("scaffolds", 1)]
    listed(alice, "More scaffolds")
    update_known_words()
    assert Word.objects.get(text="scaffolds").listings == 2


@pytest.mark.parametrize(("query", "statements"), [("concrete", 2), ("xkcd qwrtz", 2), ("concrte covr", 4)])
def test_however_much_is_listed_it_takes_so_many_statements(
    alice: User, shelf: None, query: str, statements: int, django_assert_num_queries: Any
) -> None:
    for number in range(8):
        listed(alice, f"Concrete cover {number}")
    update_known_words()
    with django_assert_num_queries(statements):
        Client().get("/marketplace", {"q": query})


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.text(max_size=220))
def test_nothing_that_is_typed_breaks_it(shelf: None, words: str) -> None:
    assert Client().get("/marketplace", {"q": words}).status_code == 200
