"""The plugin on boots, as the pages of experts have it."""

from __future__ import annotations

from tests.pages.conftest import browsing, handbook, plugin, published, tree, visitor

__all__ = ["browsing", "handbook", "plugin", "published", "tree", "visitor"]
