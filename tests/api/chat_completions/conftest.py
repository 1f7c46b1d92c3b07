from __future__ import annotations

from tests.cover import charlies_key, handbook, key, plugin, published

__all__ = ["charlies_key", "handbook", "key", "plugin", "published"]
