"""The page that shows each way in."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.conf import settings
from django.test import Client

from api.quickstart import guide

pytestmark = pytest.mark.django_db


def test_the_page_shows_every_program_of_the_guide_as_it_stands(client: Client):
    page = client.get("/api/quickstart").content.decode()
    text = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shown = [unescape(code) for code in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)]
    assert shown == programs
    assert len(programs) > 5


def test_every_link_of_the_page_leads_to_a_place_on_it(client: Client):
    content = guide().content
    anchors = set(re.findall(r' id="([^"]+)"', content))
    assert set(re.findall(r'href="#([^"]+)"', content)) <= anchors
    assert {anchor for anchor, _ in guide().sections} <= anchors
    assert not re.findall(r'href="(?!#|/|https?:)', content)


def test_nothing_of_the_markup_is_left_over(client: Client):
    without_code = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", guide().content, flags=re.DOTALL)
    assert not re.search(r"`|\*\*|\]\(|^\|", without_code, re.MULTILINE)


def test_anybody_may_read_it_and_the_reference_and_the_keys_page_lead_to_it(client: Client, alice):
    assert client.get("/api/quickstart").status_code == 200
    assert 'href="/api/quickstart"' in client.get("/api/docs").content.decode()
    client.force_login(alice)
    assert 'href="/api/quickstart"' in client.get("/keys").content.decode()
