"""The headings of the theme's own pages: none skips a level, whatever filters a list has."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from plugins.models import Plugin
from tests.security.world import registered

pytestmark = pytest.mark.django_db

HEADING = re.compile(r"<h([1-6])\b")


def pages() -> list[str]:
    """The list of each kind of row, and the page of each app."""
    models = [model for model, _ in registered()]
    labels = sorted({model._meta.app_label for model in models})
    found = [reverse("admin:app_list", args=[label]) for label in labels]
    for model in models:
        try:
            found.append(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        except NoReverseMatch:
            continue
    return found


def skipped(page: str) -> list[str]:
    """Where a heading is more than one level below the one before it."""
    levels = [int(level) for level in HEADING.findall(page)]
    return [f"h{before} h{level}" for before, level in zip([0, *levels], levels, strict=False) if level > before + 1]


def test_no_heading_of_a_list_or_of_an_app_skips_a_level(client: Client, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="Be brief.")
    client.force_login(User.objects.create_superuser("root@example.org", "correct horse battery"))
    found = {}
    assert len(pages()) > 20
    for address in pages():
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        found[address] = skipped(response.content.decode())
    assert {address: wrong for address, wrong in found.items() if wrong} == {}
