"""Alice's plugin on boots, open to anybody: its rules are public, her diary is not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

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

PARTS = ["sole", "toe", "heel", "shaft", "tongue", "lining", "laces"]
DIARY = "# Diary\n\nAlice wears red boots with golden laces on every Sunday.\n"


@pytest.fixture
@remembered
def chat(plugin: Plugin, alice: User) -> Plugin:
    return opened(plugin, alice)


@pytest.fixture
def with_tree(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    return opened(plugin, alice)


@pytest.fixture
def with_long_tree(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    tree.tree_data = tree_of_seven_questions()
    tree.save()
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


def tree_of_seven_questions() -> dict[str, Any]:
    """It asks for the colour of each part, and needs them all."""
    nodes: dict[str, Any] = {
        part: {
            "id": part,
            "type": "question",
            "label": part,
            "question": {"text": f"Which colour has the {part}?", "options": ["red", "blue"], "extractFrom": part},
            "childrenByAnswer": {"red": after, "blue": after},
        }
        for part, after in pairwise([*PARTS, "end"])
    }
    action = {"recommendation": "safety boots with a steel toe", "sourceHint": "safety boots steel toe site"}
    nodes["end"] = {"id": "end", "type": "action", "label": "End", "action": action}
    return {"rootNodeId": PARTS[0], "nodes": nodes}
