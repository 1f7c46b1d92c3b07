"""What a plugin says of itself, as the catalogue reads it."""

from __future__ import annotations

import hashlib

from plugins.models import Plugin

# Beyond these nobody reads, and a text search vector has its limits.
_LONGEST_DESCRIPTION = 20_000
_EMBEDDED = 1_000
_MOST_TAGS = 20


def domain_of(plugin: Plugin) -> str:
    """`structural-engineering` and `Structural engineering` are one domain."""
    return as_domain(plugin.domain)


def as_domain(words: str) -> str:
    words = " ".join(words.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def tags_of(plugin: Plugin) -> list[str]:
    """In lower case, once each, in the author's order."""
    return list(dict.fromkeys(tag for tag in map(as_tag, plugin.tags) if tag))[:_MOST_TAGS]


def as_tag(words: str) -> str:
    return " ".join(words.lower().split())


def parts_of(plugin: Plugin) -> dict[str, str]:
    """By the weight that their words have in a search, A the most."""
    return {
        "A": plugin.name,
        "B": plugin.tagline,
        "C": " ".join([domain_of(plugin), *tags_of(plugin)]),
        "D": plugin.description[:_LONGEST_DESCRIPTION],
    }


def text_of(plugin: Plugin) -> str:
    """What is embedded: the beginning of all it says, what is most telling first."""
    said = [plugin.name, plugin.tagline, domain_of(plugin), ", ".join(tags_of(plugin)), plugin.description]
    return ". ".join(part.strip().rstrip(".") for part in said if part.strip())[:_EMBEDDED]


def name_of(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
