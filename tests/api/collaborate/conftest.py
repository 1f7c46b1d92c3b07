from __future__ import annotations

from tests.collaboration.experts import harbour
from tests.cover import charlies_key, key, plugin, published

__all__ = ["charlies_key", "harbour", "key", "plugin", "published"]
