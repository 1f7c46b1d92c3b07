"""The pane of how long content is kept, and of the legal hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def address(name: str, plugin: Plugin) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk])


def test_the_owner_says_how_long_content_is_kept(browsing: Browse, alice: User, plugin: Plugin, settings: Any) -> None:
    client = browsing(alice)
    settings.KEEP_CHATS_DAYS = 41
    assert 'placeholder="41"' in client.get(address("limits", plugin)).content.decode()
    client.post(address("save_limits", plugin), {"keep_questions_days": "30", "keep_files_days": "0"})
    plugin.refresh_from_db()
    assert (plugin.keep_questions_days, plugin.keep_chats_days, plugin.keep_files_days) == (30, None, 0)
    page = client.post(address("save_limits", plugin), {"keep_questions_days": "-1"}).content.decode()
    assert "greater than or equal to 0" in page


def test_each_limit_says_its_unit_its_default_and_what_happens_there(
    browsing: Browse, alice: User, plugin: Plugin, settings: Any
) -> None:
    settings.KEEP_QUESTIONS_DAYS, settings.KEEP_FILES_DAYS, settings.LEXIC_LLM_CURRENCY = 41, 0, "EUR"
    page = browsing(alice).get(address("limits", plugin)).content.decode()
    assert "In days, from when a question was asked. Then its words and its answer are erased" in page
    assert "Empty: 41 days, the default of this site." in page
    assert "Empty: until the plugin is deleted, the default of this site." in page
    assert "In EUR a calendar month (UTC)" in page
    assert "questions are refused with status 429 until the month ends" in page


def test_an_editor_sees_it_and_changes_nothing(browsing: Browse, bob: User, plugin: Plugin) -> None:
    plugin.editors.add(bob)
    client = browsing(bob)
    assert "Its owner changes this." in client.get(address("limits", plugin)).content.decode()
    assert client.post(address("save_limits", plugin), {"keep_questions_days": "1"}).status_code == 403
    assert client.post(address("legal_hold", plugin), {"to": "on"}).status_code == 403


def test_only_an_operator_lifts_what_an_operator_set(browsing: Browse, alice: User, plugin: Plugin) -> None:
    operator = User.objects.create_superuser("root@example.org", "correct horse battery")
    browsing(alice).post(address("legal_hold", plugin), {"to": "on"})
    plugin.refresh_from_db()
    assert plugin.legal_hold == "owner"
    browsing(operator).post(address("legal_hold", plugin), {"to": "on"})
    client = browsing(alice)
    page = client.post(address("legal_hold", plugin), {"to": "off"}, follow=True).content.decode()
    assert "Nothing of this plugin is deleted" in page
    assert "Only they lift it" in page
    assert "Lift the legal hold" not in page
    browsing(operator).post(address("legal_hold", plugin), {"to": "off"})
    plugin.refresh_from_db()
    assert plugin.legal_hold == ""
