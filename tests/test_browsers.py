"""What the tests of pages lean on."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browsers import browser, complaints, end_animations, page, tab

__all__ = ["browser", "complaints", "page", "tab"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAUSED, ENDLESS = "{duration: 1000, fill: 'forwards'}", "{duration: 1000, iterations: Infinity}"
FADES = """() => {
    const faded = document.body.animate({opacity: [0, 1]}, %s);
    const turning = document.body.animate({rotate: ["0deg", "360deg"]}, %s);
    faded.pause();
    window.states = () => [faded.playState, turning.playState, getComputedStyle(document.body).opacity];
}"""


def test_an_animation_that_is_paused_is_ended_and_not_waited_for(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/accounts/login/")
    page.evaluate(FADES % (PAUSED, ENDLESS))
    assert page.evaluate("states()") == ["paused", "running", "0"]
    end_animations(page)
    assert page.evaluate("states()") == ["finished", "running", "1"]
