from __future__ import annotations

from tests.cover import charlies_key, key, plugin, published
from tests.rooms.experts import harbour

__all__ = ["charlies_key", "harbour", "key", "plugin", "published"]
