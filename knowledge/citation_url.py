"""The address of a span of a cited page."""

from __future__ import annotations

from django.urls import reverse


def source_path(page_id: int, *, start: int, end: int) -> str:
    """Opens the frozen page with these characters highlighted, for whoever may read it; with `#cited` it scrolls."""
    return f"{reverse('source', args=[page_id])}?start={start}&end={end}"
