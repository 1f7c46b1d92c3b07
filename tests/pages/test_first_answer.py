"""From nothing to a first answer: sign up, make a key, ask over HTTP."""

from __future__ import annotations

import json
import shlex
import urllib.request
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Page

from accounts.models import User
from plugins.models import Plugin
from tests.servers import asgi_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_from_signing_up_to_a_first_answer(page: Page, published: Plugin, settings: Any, live_server: Any) -> None:
    settings.PUBLIC_URL = live_server.url
    page.goto("/api-keys?plugin=boots")
    # The sign-in page comes instead; where one was going is kept through it.
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Email").fill("erin@example.org")
    page.get_by_label("Password", exact=True).fill("a long walk home")
    page.get_by_label("Password (again)").fill("a long walk home")
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/api-keys?plugin=boots")
    assert page.get_by_label("Only for this plugin").input_value() == "boots"
    page.get_by_label("Name").fill("planning agent")
    page.get_by_role("button", name="Create the key").click()
    page.get_by_text("Next: ask your first question").wait_for()
    secret = page.locator("#secret").inner_text()
    command = shlex.split(page.locator("#example").inner_text())
    assert User.objects.filter(email="erin@example.org").exists()
    assert f"Authorization: Bearer {secret}" in command
    with asgi_server() as url:
        answer = _run(command, at=url)
    assert answer["outcome"] in {"answered", "refused", "clarify"}
    assert answer["queryId"]
    connection.close()


def _run(command: list[str], *, at: str) -> Any:
    """What `curl` would do with the command of the page, at this server's address."""
    body = command[command.index("-d") + 1]
    headers = dict(line.split(": ", 1) for flag, line in pairwise(command) if flag == "-H")
    path = next(part for part in command if part.startswith("http")).partition("/api/")[2]
    request = urllib.request.Request(f"{at}/api/{path}", body.encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)
