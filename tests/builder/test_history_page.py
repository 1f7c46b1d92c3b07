"""The page of a plugin's history: who changed what, in the words of the forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.history import log_change
from plugins.models import Plugin
from tests.pages.conftest import browsing, plugin
from tests.pages.test_builder import change, said

__all__ = ["browsing", "plugin"]

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def shown_fields(client: Client, plugin: Plugin) -> dict[str, Any]:
    """What a browser sends of the persona's page when nothing was typed."""
    form = client.get(change("plugins_plugin", plugin)).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    sent = {name: form.fields[name].prepare_value(value) for name, value in values.items()}
    return {
        name: "" if value is None else re.sub(r"\r?\n", "\r\n", str(value))
        for name, value in sent.items()
        if value is not False
    }


def test_only_what_was_touched_is_listed(browsing: Browse, alice: User, plugin: Plugin) -> None:
    Plugin.objects.update(system_prompt="You answer.\nIn short.", limits="Boots only.\n\nNo hats.")
    client = browsing(alice)
    answer = client.post(change("plugins_plugin", plugin), shown_fields(client, plugin) | {"tone": "Dry."}, follow=True)
    assert said(answer) == ["Draft saved. Nothing is published yet."]
    assert LogEntry.objects.latest("pk").get_change_message() == "Changed Tone."


def test_each_row_says_when_who_and_what_once(browsing: Browse, alice: User, plugin: Plugin) -> None:
    client = browsing(alice)
    client.post(reverse("admin:builder_use", args=[plugin.pk]), {"shares_golden": "on", "public_chat": "on"})
    page = client.get(reverse("admin:plugins_plugin_history", args=[plugin.pk])).content.decode()
    assert "data-label" not in page
    assert "is_shared" not in page
    assert "Changed who may use it: golden questions in copies, public chat." in page
    assert page.count("When (UTC)") == 1


def test_the_latest_change_stands_first(browsing: Browse, alice: User, plugin: Plugin) -> None:
    for sentence in ("Added the tree “Boots”.", "Changed the tree “Boots”."):
        log_change(plugin, by=alice, sentence=sentence)
    response = browsing(alice).get(reverse("admin:plugins_plugin_history", args=[plugin.pk]))
    said_there = [entry.get_change_message() for entry in response.context["action_list"]]
    assert said_there == ["Changed the tree “Boots”.", "Added the tree “Boots”."]


def test_the_first_row_says_that_it_was_created(browsing: Browse, alice: User) -> None:
    client = browsing(alice)
    client.post(reverse("admin:plugins_plugin_add"), {"name": "Gloves", "domain": "safety", "template": ""})
    made = Plugin.objects.get(name="Gloves")
    page = client.get(reverse("admin:plugins_plugin_history", args=[made.pk])).content.decode()
    assert "<td>Created.</td>" in page
