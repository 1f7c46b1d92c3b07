from __future__ import annotations

import pytest
from django.core.cache import cache

from tests.cover import charlies_key, handbook, key, plugin, published

__all__ = ["charlies_key", "handbook", "key", "plugin", "published"]


@pytest.fixture(autouse=True)
def _nothing_was_counted_before() -> None:
    cache.clear()
