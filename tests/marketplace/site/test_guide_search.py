"""Search in the guides leads to the section that says it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from marketplace.site.guide_search import guide_sections, search_guides
from marketplace.site.guides import load_guide


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("backup restore", "/docs/operations#"),
        ("widget on my own site", "/docs/api#from-a-browser"),
        ("golden questions", "/docs/authoring#"),
        ("legal hold", "/docs/operations#"),
        ("rate limit", "/docs/api#rate-limits"),
        ("pin a release", "/docs/quickstart#pin-what-you-rely-on"),
    ],
)
def test_the_best_place_stands_among_the_first(query: str, url: str) -> None:
    first = [found.section.url for found in search_guides(query)[:4]]
    assert any(found.startswith(url) for found in first), first


@pytest.mark.parametrize(
    ("query", "title"), [("key", "A key"), ("MCP", "MCP"), ("streaming", "Stream"), ("backup", "Backups")]
)
def test_a_section_that_is_called_so_stands_first(query: str, title: str) -> None:
    assert search_guides(query)[0].section.title == title


def test_every_section_leads_to_an_anchor_that_is_there() -> None:
    for section in guide_sections():
        path, _, anchor = section.url.partition("#")
        content = load_guide(path.rpartition("/")[2]).content
        assert not anchor or f' id="{anchor}"' in content, section.url


def test_the_words_that_were_asked_for_are_shown_as_text(client: Client) -> None:
    page = client.get("/docs/search", {"q": "restore <script>alert(1)</script>"}).content.decode()
    assert "<script>alert" not in page
    assert re.search(r"\d+ places? for", page)
    assert "Nothing in the docs has" in client.get("/docs/search", {"q": "qqqqzzz"}).content.decode()
    assert client.get("/docs/search").status_code == 200
