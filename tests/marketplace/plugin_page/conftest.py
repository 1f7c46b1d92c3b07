from __future__ import annotations

import pytest

from plugins.models import Plugin
from tests.pages.conftest import browsing, handbook, nobody_has_asked_yet, plugin, published, tree, visitor

__all__ = ["browsing", "handbook", "nobody_has_asked_yet", "plugin", "published", "tree", "visitor"]


@pytest.fixture
def shared(published: Plugin) -> Plugin:
    published.is_shared = True
    published.save()
    return published
