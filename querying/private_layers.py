"""The private knowledge bases that a question reads besides those of its release: who may read them, and at which
revision.

Access is checked again before each search, so a person who has just been removed from a project cannot read it any
more.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import ApiKey, Principal, User
from knowledge.models import BaseKind, KnowledgeBase, KnowledgeBaseQuerySet
from knowledge.search.revision_statistics import BaseRevision
from querying.types.question import Caller, Question

# The weakest lock, that of a foreign key: it makes only those wait who delete such a row.
_HOLD_ACCOUNT = "SELECT id FROM accounts_user WHERE id = ANY(%s) FOR KEY SHARE"
_HOLD_BASES = "SELECT id FROM knowledge_knowledgebase WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"


def find_principal(caller: Caller) -> Principal | None:
    """The key or the person who asks, if they may still sign in; otherwise None."""
    if caller.api_key_id:
        return ApiKey.objects.usable().select_related("owner").filter(pk=caller.api_key_id).first()
    return User.objects.filter(pk=caller.user_id, is_active=True).first() if caller.user_id else None


def current_layers(bases: KnowledgeBaseQuerySet) -> tuple[BaseRevision, ...]:
    """These bases at their current revisions, for `Question.layers`."""
    columns = ("pk", "revision", "embedder", "document_languages")
    rows = bases.exclude(kind=BaseKind.PLUGIN).order_by("pk").values_list(*columns)
    return tuple(
        BaseRevision(knowledge_base_id=pk, revision=at, embedder=name, languages=tuple(languages))
        for pk, at, name, languages in rows
    )


def readable_layers(question: Question) -> list[BaseRevision]:
    """The layers of the question that its caller may read now.

    No statement for a question without layers. Empty for a public caller, and for a key that is limited to plugins or
    has no permission to read.
    """
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
    """Locks the account against deletion until the transaction ends. Returns whether it exists."""
    return user is not None and bool(_hold(_HOLD_ACCOUNT, [user]))


def lock_bases_against_deletion(knowledge_bases: Collection[int]) -> set[int]:
    """Locks these knowledge bases against deletion until the transaction ends. Returns those that exist."""
    return _hold(_HOLD_BASES, sorted(set(knowledge_bases)))


def _hold(statement: str, ids: list[Any]) -> set[Any]:
    """Locks the rows. Waits for rows that are being deleted."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [ids])
        return {pk for (pk,) in cursor.fetchall()}
