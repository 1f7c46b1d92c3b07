from __future__ import annotations

from tests.cover import plugin, published

__all__ = ["plugin", "published"]
