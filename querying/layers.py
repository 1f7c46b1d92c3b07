"""The private knowledge bases that a question reads besides its release: who may read them, and as they stand when.

They are asked for again whenever something is searched: who was taken off a project a moment ago reads it no longer.
"""

from __future__ import annotations

from accounts.models import ApiKey, Principal, User
from knowledge.models import BaseKind, KnowledgeBase, KnowledgeBaseQuerySet
from knowledge.search.revision_statistics import BaseRevision
from querying.types import Caller, Question


def find_principal(caller: Caller) -> Principal | None:
    """The key or the person who asks, if they may come in today; None for anybody else."""
    if caller.api_key_id:
        return ApiKey.objects.usable().select_related("owner").filter(pk=caller.api_key_id).first()
    return User.objects.filter(pk=caller.user_id, is_active=True).first() if caller.user_id else None


def current_layers(bases: KnowledgeBaseQuerySet) -> tuple[BaseRevision, ...]:
    """These bases as they stand now, for `Question.layers`."""
    rows = bases.exclude(kind=BaseKind.PLUGIN).order_by("pk").values_list("pk", "revision", "embedder")
    return tuple(BaseRevision(knowledge_base_id=pk, revision=at, embedder=name) for pk, at, name in rows)


def readable_layers(question: Question) -> list[BaseRevision]:
    """Those of the question's layers that its caller may read now. No statement for a question without any; none for a
    public caller, and none for a key that is limited to plugins or may not read."""
    if not question.layers or question.caller.is_public_caller:
        return []
    principal = find_principal(question.caller)
    if principal is None:
        return []
    named = {layer.knowledge_base_id for layer in question.layers}
    private = KnowledgeBase.objects.visible_to(principal).exclude(kind=BaseKind.PLUGIN).filter(pk__in=named)
    readable = set(private.values_list("pk", flat=True))
    return [layer for layer in question.layers if layer.knowledge_base_id in readable]


def may_read_layers(question: Question) -> bool:
    """Whether the caller may still read every layer of the question."""
    return len(readable_layers(question)) == len(question.layers)
