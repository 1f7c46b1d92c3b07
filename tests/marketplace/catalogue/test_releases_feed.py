"""New releases as Atom: well formed, with ids that stay, and nothing of what is not published."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from accounts.models import User
from plugins.models import Plugin, Release
from tests.marketplace.catalogue.made import listed

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def feed() -> ET.Element:
    response = Client().get("/marketplace/releases.atom")
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(response.content)


def texts(root: ET.Element, name: str) -> list[str]:
    return [one.text or "" for one in root.findall(f"{ATOM}entry/{ATOM}{name}")]


def test_an_empty_feed_is_one() -> None:
    root = feed()
    assert root.tag == f"{ATOM}feed"
    assert [root.find(f"{ATOM}{name}") is not None for name in ("id", "title", "updated")] == [True] * 3
    assert texts(root, "title") == []


def test_releases_come_newest_first_with_what_atom_demands(alice: User) -> None:
    listing = listed(alice, "Cover", slug="cover")
    release = Release.objects.create(plugin=listing.plugin, version="1.1.0", notes="Reads IS 456.")
    root = feed()
    assert texts(root, "title") == ["Cover 1.1.0", "Cover 1.0.0"]
    assert texts(root, "id")[0] == f"urn:uuid:{release.pk}"
    assert texts(root, "summary")[0] == "Reads IS 456."
    for entry in root.findall(f"{ATOM}entry"):
        assert entry.find(f"{ATOM}author/{ATOM}name").text == "Alice"  # type: ignore[union-attr]
        assert entry.find(f"{ATOM}updated") is not None
        assert entry.find(f"{ATOM}link").get("href").endswith("/marketplace/cover#releases")  # type: ignore[union-attr]


def test_ids_stay_when_the_plugin_is_renamed(alice: User) -> None:
    listing = listed(alice, "Cover", slug="cover")
    before = texts(feed(), "id")
    Plugin.objects.filter(pk=listing.pk).update(name="Other", domain="other")
    assert texts(feed(), "id") == before


def test_what_is_off_the_air_is_not_in_it(alice: User) -> None:
    listing = listed(alice, "Cover")
    Plugin.objects.filter(pk=listing.pk).update(is_published=False)
    assert texts(feed(), "title") == []


def test_notes_are_text_for_readers_that_take_them_for_html(alice: User) -> None:
    listing = listed(alice, "<b>Cover</b>\x08")
    Release.objects.create(plugin=listing.plugin, version="1.1.0", notes="<script>alert(1)</script>\x0b\nNext.")
    assert texts(feed(), "summary")[0] == "&lt;script&gt;alert(1)&lt;/script&gt;<br>Next."
    assert texts(feed(), "title")[0] == "<b>Cover</b> 1.1.0"


def test_it_says_who_wrote_without_an_address(alice: User) -> None:
    listed(alice, "Cover")
    User.objects.filter(pk=alice.pk).update(display_name="")
    assert b"alice@" not in Client().get("/marketplace/releases.atom").content


@pytest.mark.parametrize("rows", [1, 3])
def test_it_takes_one_statement(client: Client, alice: User, rows: int, django_assert_num_queries: Any) -> None:
    for number in range(rows):
        listed(alice, f"Plugin {number}")
    with django_assert_num_queries(1):
        client.get("/marketplace/releases.atom")


def test_every_page_says_where_it_is(client: Client) -> None:
    assert 'type="application/atom+xml"' in client.get("/marketplace").content.decode()
