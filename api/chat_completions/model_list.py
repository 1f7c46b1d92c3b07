"""Plugins as OpenAI's models."""

from __future__ import annotations

from typing import Any

from accounts.models import ApiKey
from plugins.models import Plugin
from plugins.slugs import split_reference
from querying import releases

# The protocol has no pages; nobody chooses from a longer list.
MAX_MODELS = 1000
# The author of a plugin is not public, so all of them belong to Lexic.
OWNED_BY = "lexic"


def list_models(key: ApiKey) -> list[dict[str, Any]]:
    """The plugins that this key may ask, by their slugs."""
    plugins = Plugin.objects.discoverable_by(key).order_by("slug")
    columns = ("slug", "name", "tagline", "domain", "version", "is_published", "created_at")
    return [_model_json(plugin, model_id=plugin.slug) for plugin in plugins.only(*columns)[:MAX_MODELS]]


def get_model(reference: str, *, key: ApiKey) -> dict[str, Any]:
    """The model of this name: a slug, an id, or `slug@1.2.0`. Raises `UnknownPlugin`, `UnknownRelease`."""
    release = releases.resolve(reference, principal=key)
    _, version = split_reference(reference)
    return _model_json(release.plugin, model_id=str(release) if version else release.plugin.slug)


def _model_json(plugin: Plugin, *, model_id: str) -> dict[str, Any]:
    _, pinned = split_reference(model_id)
    return {
        "id": model_id,
        "object": "model",
        "created": int(plugin.created_at.timestamp()),
        "owned_by": OWNED_BY,
        "name": plugin.name,
        "description": plugin.tagline,
        "lexic": {
            "domain": plugin.domain,
            "version": pinned or (plugin.version if plugin.is_published else releases.DRAFT),
        },
    }
