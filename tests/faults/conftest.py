from __future__ import annotations

from tests.cover import handbook, key, plugin, published

__all__ = ["handbook", "key", "plugin", "published"]
