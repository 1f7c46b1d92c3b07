from __future__ import annotations

from tests.cover import key, plugin, published

__all__ = ["key", "plugin", "published"]
