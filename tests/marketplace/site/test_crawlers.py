"""What search engines and other sites are told."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from marketplace.models import Listing
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


def addresses(client: Client) -> list[str]:
    root = ET.fromstring(client.get("/sitemap.xml").content)
    return [one.text or "" for one in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


def test_the_sitemap_lists_the_public_pages_and_what_is_published(client: Client, listed: Listing) -> None:
    listed_paths = [one.removeprefix(settings.PUBLIC_URL) for one in addresses(client)]
    assert {"/", "/marketplace", "/docs/quickstart", "/marketplace/boots"} <= set(listed_paths)
    assert len(listed_paths) == len(set(listed_paths))
    assert {client.get(path).status_code for path in listed_paths} == {200}


def test_no_draft_and_nothing_taken_off_the_air_is_in_it(client: Client, listed: Listing, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Draft", slug="draft", domain="x")
    Plugin.objects.filter(pk=listed.pk).update(is_published=False)
    assert not [one for one in addresses(client) if "boots" in one or "draft" in one]


def test_it_takes_one_statement(client: Client, listed: Listing, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        client.get("/sitemap.xml")


def test_robots_are_led_to_the_sitemap_and_away_from_the_builder(client: Client) -> None:
    lines = client.get("/robots.txt").content.decode().splitlines()
    assert "Disallow: /admin/" in lines
    assert lines[-1] == f"Sitemap: {settings.PUBLIC_URL}/sitemap.xml"


@pytest.mark.parametrize("path", ["/", "/docs/quickstart", "/docs/api", "/api/docs", "/accounts/become-author"])
def test_a_public_page_says_what_it_is_and_where(client: Client, path: str) -> None:
    content = client.get(path, headers={"host": "another.example"}).content.decode()
    told = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', content))
    assert told["og:url"] == settings.PUBLIC_URL + path
    assert told["og:image"] == f"{settings.PUBLIC_URL}/static/og.png"
    assert told["og:title"]
    assert 20 < len(told["description"]) <= 200
    assert f'<link rel="canonical" href="{settings.PUBLIC_URL}{path}">' in content
    assert "another.example" not in content
