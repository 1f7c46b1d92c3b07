"""Experts of a collaboration: Alice's on concrete cover, and Bob's on building in harbours, who partly disagree."""

from __future__ import annotations

import pytest

from accounts.models import User
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.cover import give_document, published
from tests.remembered import remembered

HARBOUR = """# Harbour works

## 1 Beams

For severe exposure the nominal cover of a beam is 60 mm. Beams above the splash zone are inspected every two years.

## 2 Spacers

Spacers made of mortar hold the bars at their cover while concrete is placed.
"""
QUESTION = "What is the nominal cover of a beam for severe exposure?"
SPACERS = "What holds the bars at their cover while concrete is placed?"


@pytest.fixture
@remembered
def harbour(bob: User) -> Plugin:
    plugin = Plugin.objects.create(
        owner=bob, name="Harbour works", slug="harbour", domain="harbours", system_prompt="You are a harbour engineer."
    )
    give_document(plugin, title="Harbour works", text=HARBOUR)
    publish(plugin, by=bob)
    plugin.refresh_from_db()
    return plugin


__all__ = ["HARBOUR", "QUESTION", "SPACERS", "harbour", "published"]
