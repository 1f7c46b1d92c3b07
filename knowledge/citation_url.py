"""The address of a span of a cited page."""

from __future__ import annotations

from django.urls import reverse

# Mounted at the root. A worker or a command that answers loads these URLs and not those of all pages.
_URLS = "querying.urls"


def source_path(page_id: int, *, start: int, end: int) -> str:
    """Opens the frozen page with these characters highlighted, for whoever may read it; with `#cited` it scrolls."""
    return f"{reverse('source', urlconf=_URLS, args=[page_id])}?start={start}&end={end}"
