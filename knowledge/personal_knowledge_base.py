"""The knowledge base that every person has for themselves."""

from __future__ import annotations

from django.conf import settings

from accounts.models import User
from knowledge.models import BaseKind, KnowledgeBase


def personal_knowledge_base(owner: User) -> KnowledgeBase:
    """The person's own base, made on first use."""
    base, _ = KnowledgeBase.objects.get_or_create(
        owner=owner, kind=BaseKind.PERSONAL, defaults={"name": "Personal", "embedder": settings.LEXIC_EMBEDDER}
    )
    return base
