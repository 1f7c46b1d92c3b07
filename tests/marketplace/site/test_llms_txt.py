"""What programs that read are told."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from marketplace.site.guides import GUIDE_NAMES
from plugins.models import Plugin
from tests.docs.pages import DOCS

LINK = re.compile(r"^- \[[^\]]+\]\((?P<address>[^)]+)\): .+$", re.MULTILINE)


@pytest.mark.django_db
def test_it_begins_with_a_name_and_says_what_this_is(client: Client) -> None:
    response = client.get("/llms.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    title, _, summary = response.content.decode().splitlines()[:3]
    assert title == "# Lexic"
    assert summary.startswith("> Lexic turns what a domain expert knows")


@pytest.mark.django_db
def test_every_guide_is_linked_and_every_link_leads_somewhere(client: Client) -> None:
    addresses = LINK.findall(client.get("/llms.txt", headers={"host": "another.example"}).content.decode())
    paths = [one.removeprefix(settings.PUBLIC_URL) for one in addresses]
    assert {f"/docs/{name}.md" for name in GUIDE_NAMES} <= set(paths)
    assert {client.get(path).status_code for path in paths if path != "/mcp"} == {200}
    assert "/mcp" in paths


def test_a_guide_is_given_as_it_was_written_with_the_address_of_this_site(client: Client) -> None:
    written = (DOCS / "api.md").read_text()
    response = client.get("/docs/api.md")
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    for example in ("http://127.0.0.1:8000", "https://lexic.example.org"):
        written = written.replace(example, settings.PUBLIC_URL)
    assert response.content.decode() == written


@pytest.mark.parametrize("name", ["nothing", "notes", "security", "..%2F..%2FREADME"])
@pytest.mark.django_db
def test_another_file_is_not(client: Client, name: str) -> None:
    assert client.get(f"/docs/{name}.md").status_code == 404


@pytest.mark.django_db
def test_the_agent_card_of_each_listed_plugin_is_linked_and_of_no_other(client: Client, alice: User) -> None:
    for name, is_published in [("Cover [1]\n<b>", True), ("Draft", False)]:
        slug = name.split()[0].lower()
        plugin = Plugin.objects.create(owner=alice, name=name, slug=slug, domain="concrete", is_published=is_published)
        plugin.releases.create(version="1.0.0", **plugin.policy())
    text = client.get("/llms.txt").content.decode()
    card = "/a2a/cover/.well-known/agent-card.json"
    assert f"- [Cover (1) b]({settings.PUBLIC_URL}{card}): answers questions about concrete" in text
    assert client.get(card).json()["name"] == "Cover [1]\n<b>"
    assert "draft" not in text.lower()
