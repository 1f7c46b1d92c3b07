"""Finds the knowledge base that belongs to a plugin."""

from __future__ import annotations

from django.conf import settings

from knowledge.models import KnowledgeBase
from plugins.models import Plugin


def own_knowledge_base(plugin: Plugin) -> KnowledgeBase:
    """The plugin's own knowledge base, made on first use."""
    base, _ = KnowledgeBase.objects.get_or_create(
        plugin=plugin,
        defaults={"owner_id": plugin.owner_id, "name": plugin.name, "embedder": settings.LEXIC_EMBEDDER},
    )
    return base
