from __future__ import annotations

from typing import Any

import pytest

from evaluation.models import GoldenQuestion
from knowledge.models import Page
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from plugins.models import Plugin
from tests.pages.conftest import browsing, handbook, plugin, published, tree, visitor

__all__ = ["browsing", "handbook", "plugin", "published", "tree", "visitor"]

QUESTION = "Which boots are worn on site?"
CITED = "Safety boots with a steel toe are worn on every site."


@pytest.fixture
def listed(published: Plugin) -> Listing:
    """Published, with a sample that cites its handbook."""
    update_listing(published)
    GoldenQuestion.objects.create(plugin=published, question=QUESTION, is_public=True)
    Listing.objects.filter(plugin=published).update(sample=sample_on(published))
    return Listing.objects.get(plugin=published)


def sample_on(plugin: Plugin, *, question: str = QUESTION) -> dict[str, Any]:
    page = Page.objects.get(document__knowledge_base__plugin=plugin)
    start = page.text.index(CITED)
    place = {"start": start, "end": start + len(CITED), "page": 1, "section": "1 On site"}
    return {
        "question": question,
        "facts": {},
        "seconds": 0.2,
        "answer": "Safety boots with a steel toe [Source 1]. They are worn on every site [Source 1].",
        "citations": [
            {
                **place,
                "id": "src_1",
                "document": "Rules on boots",
                "excerpt": CITED,
                "url": f"https://elsewhere.example/source/{page.pk}?start={start}&end={start + len(CITED)}#cited",
            }
        ],
        "decisionPath": [
            {"step": 1, "node": "place", "label": "Where?", "value": "on site"},
            {"step": 2, "node": "steel", "label": "On site", "result": "safety boots with a steel toe"},
        ],
        "confidence": "high",
        "outcome": "answered",
        "release": str(plugin.latest_release()),
    }
