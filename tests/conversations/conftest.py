"""Alice's plugin on boots, open to anybody: its rules are public, her diary is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from knowledge.models import Document
from marketplace.publishing.publish import publish
from plugins.models import Planner, Plugin
from tests.cover import give_document
from tests.pages.conftest import browsing, nobody_has_asked_yet, plugin, tree, visitor
from tests.remembered import remembered
from trees.models import DecisionTree

__all__ = ["browsing", "nobody_has_asked_yet", "plugin", "tree", "visitor"]

DIARY = "# Diary\n\nAlice wears red boots with golden laces on every Sunday.\n"


@pytest.fixture
@remembered
def chat(plugin: Plugin, alice: User) -> Plugin:
    return opened(plugin, alice)


@pytest.fixture
def with_tree(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    return opened(plugin, alice)


def opened(plugin: Plugin, alice: User) -> Plugin:
    cache.clear()  # what other tests have asked from this address today
    give_document(plugin, title="Diary", text=DIARY)
    Document.objects.exclude(title="Diary").update(is_public=True)
    plugin.public_chat, plugin.planner = True, Planner.RULES
    plugin.save()
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin


@pytest.fixture
def someone() -> Callable[[], Client]:
    """A new browser."""
    return Client
