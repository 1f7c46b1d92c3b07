from __future__ import annotations

import pytest
from django.core.cache import cache

from plugins.models import Plugin
from tests.pages.conftest import browsing, handbook, plugin, published, tree, visitor

__all__ = ["browsing", "handbook", "plugin", "published", "tree", "visitor"]


@pytest.fixture(autouse=True)
def nobody_has_asked_yet() -> None:
    """All tests ask from one address."""
    cache.clear()


@pytest.fixture
def shared(published: Plugin) -> Plugin:
    published.is_shared = True
    published.save()
    return published
