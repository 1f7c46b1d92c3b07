"""The private knowledge bases that a question reads besides its release: who may read them, and at which revision.

They are asked for again whenever something is searched: who was removed from a project a moment ago reads it no longer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import ApiKey, Principal, User
from knowledge.models import BaseKind, KnowledgeBase, KnowledgeBaseQuerySet
from knowledge.search.revision_statistics import BaseRevision
from querying.types import Caller, Question

# The weakest lock, that of a foreign key: whoever deletes such a row waits, and nobody else.
_HOLD_ACCOUNT = "SELECT id FROM accounts_user WHERE id = ANY(%s) FOR KEY SHARE"
_HOLD_BASES = "SELECT id FROM knowledge_knowledgebase WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"


def find_principal(caller: Caller) -> Principal | None:
    """The key or the person who asks, if they may come in today; None for anybody else."""
    if caller.api_key_id:
        return ApiKey.objects.usable().select_related("owner").filter(pk=caller.api_key_id).first()
    return User.objects.filter(pk=caller.user_id, is_active=True).first() if caller.user_id else None


def current_layers(bases: KnowledgeBaseQuerySet) -> tuple[BaseRevision, ...]:
    """These bases as they stand now, for `Question.layers`."""
    columns = ("pk", "revision", "embedder", "document_languages")
    rows = bases.exclude(kind=BaseKind.PLUGIN).order_by("pk").values_list(*columns)
    return tuple(
        BaseRevision(knowledge_base_id=pk, revision=at, embedder=name, languages=tuple(languages))
        for pk, at, name, languages in rows
    )


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


def lock_account_against_deletion(user: UUID | None) -> bool:
    """Whether the account exists; it cannot be deleted before the transaction ends."""
    return user is not None and bool(_hold(_HOLD_ACCOUNT, [user]))


def lock_bases_against_deletion(knowledge_bases: Collection[int]) -> set[int]:
    """The knowledge bases of these that exist. They cannot be deleted before the transaction ends."""
    return _hold(_HOLD_BASES, sorted(set(knowledge_bases)))


def _hold(statement: str, ids: list[Any]) -> set[Any]:
    """Rows that are being deleted are waited for."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [ids])
        return {pk for (pk,) in cursor.fetchall()}
