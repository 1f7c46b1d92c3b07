"""The plugin on boots, as the pages of experts have it, and the same browser."""

from __future__ import annotations

from tests.pages.conftest import (
    browser,
    browsing,
    complaints,
    handbook,
    page,
    plugin,
    published,
    streamed_tab,
    streaming_server,
    tab,
    tree,
    visitor,
)

__all__ = ["browser", "complaints", "page", "streamed_tab", "streaming_server", "tab"]
__all__ += ["browsing", "handbook", "plugin", "published", "tree", "visitor"]
