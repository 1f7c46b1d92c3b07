"""The texts of a plugin that the catalogue searches and embeds."""

from __future__ import annotations

import hashlib

from plugins.models import Plugin

# Longer texts are not read by anybody, and a text search vector has a size limit.
_MAX_DESCRIPTION_LENGTH = 20_000
_MAX_EMBEDDED_LENGTH = 1_000
_MAX_TAGS = 20


def plugin_domain(plugin: Plugin) -> str:
    """The domain in one spelling: `structural-engineering` and `Structural engineering` are the same."""
    return normalize_domain(plugin.domain)


def normalize_domain(words: str) -> str:
    words = " ".join(words.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def plugin_tags(plugin: Plugin) -> list[str]:
    """The tags in lower case, each once, in the author's order."""
    return list(dict.fromkeys(tag for tag in map(normalize_tag, plugin.tags) if tag))[:_MAX_TAGS]


def normalize_tag(words: str) -> str:
    return " ".join(words.lower().split())


def weighted_texts(plugin: Plugin) -> dict[str, str]:
    """The texts by their weight in a search, from A (most) on."""
    return {
        "A": plugin.name,
        "B": plugin.tagline,
        "C": " ".join([plugin_domain(plugin), *plugin_tags(plugin)]),
        "D": plugin.description[:_MAX_DESCRIPTION_LENGTH],
    }


def embedding_text(plugin: Plugin) -> str:
    """The text that is embedded: name, tagline, field, tags and description, cut to length."""
    said = [plugin.name, plugin.tagline, plugin_domain(plugin), ", ".join(plugin_tags(plugin)), plugin.description]
    return ". ".join(part.strip().rstrip(".") for part in said if part.strip())[:_MAX_EMBEDDED_LENGTH]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
