"""Slugs of plugins: how they are made from a name, and how `slug@version` is read."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Callable
from itertools import count

from django.utils.text import slugify

from lexic.errors import Conflict

MAX_SLUG_LENGTH = 60
# The longest name by which a caller may ask for a plugin: its id, its slug, or `slug@version`.
MAX_REFERENCE_LENGTH = 120
LATEST_VERSION = "latest"
# Addresses of the API that stand where the slug of a plugin would.
RESERVED_SLUGS = frozenset({"import"})


class SlugTaken(Conflict):
    """This slug is not free."""

    code = "slug_taken"
    hint = "Choose another one, or leave it out to get a free one."


def unique_slug(name: str, *, taken: Callable[[str], bool]) -> str:
    """A slug made from the name that `taken` does not know: `concrete-cover`, `concrete-cover-1`, …"""
    folded = unicodedata.normalize("NFKD", name)
    base = slugify(folded)[:MAX_SLUG_LENGTH].strip("-_") or "plugin"
    if parse_id(base) or base in RESERVED_SLUGS:
        base = f"plugin-{base}"
    if not taken(base):
        return base
    for number in count(1):
        suffix = f"-{number}"
        candidate = base[: MAX_SLUG_LENGTH - len(suffix)].rstrip("-_") + suffix
        # Digits that a number completes may be an id.
        if not parse_id(candidate) and not taken(candidate):
            return candidate
    raise AssertionError("unreachable: count() does not end")


def split_reference(reference: str) -> tuple[str, str | None]:
    """`slug@1.2.0` → ("slug", "1.2.0"); `slug` and `slug@latest` → ("slug", None)."""
    slug, _, version = reference.partition("@")
    return slug, None if version in ("", LATEST_VERSION) else version


def parse_id(text: str) -> uuid.UUID | None:
    """The id that a reference is, if it is one. An id never means a slug: otherwise somebody could name a plugin
    like the id of another one, and answer in its place."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
