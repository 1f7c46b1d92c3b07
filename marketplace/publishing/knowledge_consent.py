"""Checks whether the owners of all the knowledge that a plugin reads agree to a use of it."""

from __future__ import annotations

from collections.abc import Collection

from knowledge.models import Consent, KnowledgeBase
from plugins.models import Plugin

_USES = {Consent.PUBLISHED: "published", Consent.SHARED: "copied"}


def consent_blockers(plugin: Plugin, *, least: Consent, among: Collection[int] | None = None) -> list[str]:
    """A sentence for each base that the draft reads (or of those `among`) and that may not be used in this way. One
    statement."""
    agreed = KnowledgeBase.objects.open_to(plugin, least=least).values("pk")
    read = KnowledgeBase.objects.of_plugin(plugin) if among is None else KnowledgeBase.objects.filter(pk__in=among)
    return [
        f"The knowledge base “{base}” belongs to {base.owner}, who has not agreed to its being {_USES[least]}. Ask "
        f"{base.owner}, or detach it{'' if least == Consent.PUBLISHED else ' and publish without it'}."
        for base in read.exclude(pk__in=agreed).select_related("owner")
    ]
