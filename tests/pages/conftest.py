"""Alice's plugin, read by the real embedder, and people at their browsers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from plugins.models import Plugin
from tests import browsers
from tests.cover import give_document, handbook, published
from tests.remembered import remembered
from trees.models import DecisionTree

__all__ = ["handbook", "published"]  # fixtures of the plugin below

# Those of a real browser; `streamed_page` is imported as `page` where a test needs it.
browser, complaints = browsers.browser, browsers.complaints
tab, page, first_visit = browsers.tab, browsers.page, browsers.first_visit
streaming_server, streamed_tab = browsers.streaming_server, browsers.streamed_tab
streamed_first_visit = browsers.streamed_first_visit

HANDBOOK = """# Boots

## 1 On site

Safety boots with a steel toe are worn on every site. Boots are replaced after 24 months of wear.

## 2 In the office

Nobody needs boots in the office. Shoes with a closed heel are worn on stairs.
"""

TREE = {
    "rootNodeId": "place",
    "nodes": {
        "place": {
            "id": "place",
            "type": "question",
            "label": "Where?",
            "question": {"text": "Where are the boots worn?", "options": ["on site", "in the office"]},
            "childrenByAnswer": {"on site": "steel", "in the office": "none"},
        },
        "steel": {
            "id": "steel",
            "type": "action",
            "label": "On site",
            "action": {
                "recommendation": "safety boots with a steel toe",
                "sourceHint": "safety boots steel toe site",
            },
        },
        "none": {
            "id": "none",
            "type": "action",
            "label": "In the office",
            "action": {"recommendation": "no boots are needed", "sourceHint": "boots in the office"},
        },
    },
}


@pytest.fixture(autouse=True)
def nobody_has_asked_yet() -> None:
    """All tests ask from one address, and what it asked is counted for a day."""
    cache.clear()


@pytest.fixture
def visitor(db: None) -> User:
    """Has signed up, and may not use the builder."""
    return User.objects.create_user("dora@example.org", "correct horse battery", display_name="Dora")


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    """A draft with a document that is ready."""
    plugin = Plugin.objects.create(
        owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="You are a safety engineer."
    )
    give_document(plugin, title="Rules on boots", text=HANDBOOK, file_name="boots.md")
    return plugin


@pytest.fixture
def tree(plugin: Plugin) -> DecisionTree:
    about = "Which boots must be worn, by the place where people work."
    return DecisionTree.objects.create(plugin=plugin, name="Which boots to wear", description=about, tree_data=TREE)


@pytest.fixture
def browsing() -> Callable[[User], Client]:
    def browse(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return browse
