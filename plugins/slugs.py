"""Slugs of plugins: how they are made from a name, and how `slug@version` is read."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import count

from django.utils.text import slugify

MAX_LENGTH = 60
LATEST = "latest"


def free_slug(name: str, *, taken: Callable[[str], bool]) -> str:
    """A slug made from the name that `taken` does not know: `concrete-cover`, `concrete-cover-1`, …"""
    folded = unicodedata.normalize("NFKD", name)
    base = slugify(folded)[:MAX_LENGTH].strip("-_") or "plugin"
    if not taken(base):
        return base
    for number in count(1):
        suffix = f"-{number}"
        candidate = base[: MAX_LENGTH - len(suffix)].rstrip("-_") + suffix
        if not taken(candidate):
            return candidate
    raise AssertionError("unreachable: count() does not end")


def split_reference(reference: str) -> tuple[str, str | None]:
    """`slug@1.2.0` → ("slug", "1.2.0"); `slug` and `slug@latest` → ("slug", None)."""
    slug, _, version = reference.partition("@")
    return slug, None if version in ("", LATEST) else version
