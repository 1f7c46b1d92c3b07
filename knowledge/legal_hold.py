"""Finds the plugins under legal hold that read a knowledge base: nothing of it is deleted."""

from __future__ import annotations

from django.db.models import Q

from knowledge.models import KnowledgeBase
from plugins.models import Plugin


def plugins_holding(base: KnowledgeBase) -> list[Plugin]:
    """The plugins under legal hold that the base belongs to or is granted to."""
    reads = Q(knowledge_base=base) | Q(knowledge_grants__in=base.grants.standing())
    return list(Plugin.objects.exclude(legal_hold="").filter(reads).distinct())


def check_removable(base: KnowledgeBase) -> None:
    """Whether a document of the base may be removed. Raises `UnderLegalHold`."""
    for plugin in plugins_holding(base):
        plugin.check_deletable()
