"""Deletes a plugin with everything that is only its own, and says beforehand what that is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from agents.models import AgentRun
from contracts.models import ContractReview
from conversations.models import ChatMessage, ChatSession
from evaluation.models import EvaluationRun
from knowledge import task_queue
from knowledge.models import Document, KnowledgeBase, KnowledgeGrant, Page
from lexic.publish_task import publish_task
from marketplace.models import PublishingRun
from marketplace.publishing.membership import end_lapsed_grants
from plugins import collaborators
from plugins.models import Plugin, Release
from querying.models import Query
from querying.types.answer import Outcome

_BATCH_SIZE = 500
# Private answers are counted in such steps, and no further than this.
_PRIVATE_STEP, _MAX_PRIVATE = 10, 100
_ERASED_CHAT_ANSWER = {
    "outcome": Outcome.FAILED.value,
    "error": "The documents that this answer quoted were deleted, and the answer with them.",
}


@dataclass(frozen=True, kw_only=True)
class PluginDeletion:
    """What goes with a plugin. `kept_bases` are its knowledge bases that stay, because other plugins read them.
    `private_answers` quote its documents in anybody's private conversations, counted by `count_private_answers`."""

    documents: int
    releases: int
    trees: int
    golden_questions: int
    questions: int
    chats: int
    private_answers: int
    contract_reviews: int
    kept_bases: tuple[KnowledgeBase, ...]


def plugin_deletion(plugin: Plugin) -> PluginDeletion:
    """What deleting this plugin deletes, for the page that asks for a confirmation."""
    kept = _bases_read_elsewhere(plugin)
    going = KnowledgeBase.objects.filter(plugin=plugin).exclude(pk__in=[base.pk for base in kept])
    bases = list(going.values_list("pk", flat=True))
    return PluginDeletion(
        documents=Document.objects.present().filter(knowledge_base__in=bases).count(),
        releases=plugin.releases.count(),
        trees=plugin.trees.count(),
        golden_questions=plugin.golden_questions.count(),
        questions=Query.objects.filter(plugin=plugin, erased_at=None).count(),
        chats=ChatSession.objects.filter(plugin=plugin).count(),
        private_answers=count_private_answers(bases),
        contract_reviews=ContractReview.objects.that_read_bases(bases).count(),
        kept_bases=kept,
    )


def count_private_answers(bases: Iterable[int], *, but_of: User | None = None) -> int:
    """At least how many answers in private conversations, `but_of` this person's, quote a document of these knowledge
    bases: in whole steps of 10, so that nobody can tell from it that somebody has just asked, and at most 100."""
    documents = Document.objects.filter(knowledge_base__in=list(bases)).order_by().values_list("pk", flat=True)
    names = [str(pk) for pk in documents]
    said = ChatMessage.objects.filter(session__is_private=True, role=ChatMessage.Role.ASSISTANT).order_by()
    others = said.exclude(session__user=but_of) if but_of else said
    found: set[int] = set()
    for start in range(0, len(names), _BATCH_SIZE):
        quoting = others.quoting(names[start : start + _BATCH_SIZE])
        found.update(quoting.values_list("pk", flat=True)[:_MAX_PRIVATE])
        if len(found) >= _MAX_PRIVATE:
            return _MAX_PRIVATE
    return len(found) // _PRIVATE_STEP * _PRIVATE_STEP


@transaction.atomic
def delete_plugin(plugin: Plugin) -> None:
    """Deletes the plugin, its documents and what was asked of it. Raises `UnderLegalHold`.

    A knowledge base of it that another plugin reads stays with its owner, without a plugin, so that the answers of the
    other plugin still show what they cite. After the commit a worker deletes the files and drops the vector index.
    """
    Plugin.objects.select_for_update().get(pk=plugin.pk).check_deletable()
    kept = [base.pk for base in _bases_read_elsewhere(plugin)]
    KnowledgeBase.objects.filter(pk__in=kept).update(plugin=None)
    bases = list(KnowledgeBase.objects.filter(plugin=plugin).values_list("pk", flat=True))
    erase_quotations(bases)
    enqueue_file_deletion(bases)
    Query.objects.filter(plugin=plugin).erase_content(now=timezone.now())
    KnowledgeBase.objects.filter(pk__in=bases).delete()
    plugin.knowledge_grants.all().delete()
    collaborators.remove_everybody(plugin)
    plugin.delete()
    end_lapsed_grants(KnowledgeGrant.objects.filter(knowledge_base__in=kept))
    for base in bases:
        task_queue.enqueue_index_check(base)


@transaction.atomic
def delete_knowledge_base(base: KnowledgeBase) -> None:
    """Deletes the base with its documents, and the answers that quote them. Raises `UnderLegalHold` where a plugin that
    reads it is under legal hold."""
    for plugin in plugins_that_read([base.pk]).exclude(legal_hold="")[:1]:
        plugin.check_deletable()
    pk = base.pk
    erase_quotations([pk])
    enqueue_file_deletion([pk])
    base.delete()
    task_queue.enqueue_index_check(pk)


def plugins_that_read(bases: Iterable[int]) -> QuerySet[Plugin]:
    """The plugins that one of these knowledge bases belongs to or is attached to, and those with a release that reads
    one."""
    ids = list(bases)
    found = set(Plugin.objects.filter(knowledge_base__in=ids).values_list("pk", flat=True))
    found |= set(
        Plugin.objects.filter(
            knowledge_grants__in=KnowledgeGrant.objects.standing().filter(knowledge_base__in=ids)
        ).values_list("pk", flat=True)
    )
    for base in ids:
        pinned = Release.objects.filter(knowledge__contains=[{"knowledge_base": base}])
        found |= set(pinned.order_by().values_list("plugin", flat=True).distinct())
    return Plugin.objects.filter(pk__in=found)


def enqueue_file_deletion(bases: Iterable[int]) -> None:
    """Has a worker delete the files of these knowledge bases that nothing else was read from, after commit. What no
    worker deletes, the next sweep does."""
    rows = Document.objects.filter(knowledge_base__in=bases)
    hashes = {
        *Page.objects.filter(document__in=rows).order_by().values_list("source_sha256", flat=True).distinct(),
        *rows.values_list("sha256", flat=True),
        *rows.values_list("ready_sha256", flat=True),
    }
    names = sorted(hashes - {""})
    for start in range(0, len(names), _BATCH_SIZE):
        batch = names[start : start + _BATCH_SIZE]
        transaction.on_commit(partial(publish_task, "marketplace.delete_files", hashes=batch))


def erase_quotations(bases: Iterable[int]) -> None:
    """Erases the journals of agents that read these knowledge bases, and the answers and chats that quote documents of
    them, in every plugin that reads them, or that did by a grant which has ended. A plugin of the latter kind under
    legal hold keeps its answers. Private questions that read one of these bases lose their words, and contract reviews
    of its documents are deleted."""
    ids = list(bases)
    # From now on nobody can write an answer that quotes them without waiting for the deletion.
    list(KnowledgeBase.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))
    # And whoever reads a document of theirs waits to add a page, and finds the document gone.
    list(Document.objects.select_for_update().filter(knowledge_base__in=ids).order_by("pk").values_list("pk"))
    for pk in ids:
        Query.objects.private().read_from(pk).erase_content(now=timezone.now())
        AgentRun.objects.reading_base(pk).erase_content()
    ContractReview.objects.that_read_bases(ids).delete_with_pins()
    former = Plugin.objects.filter(knowledge_grants__knowledge_base__in=ids, legal_hold="").values_list("pk", flat=True)
    readers = list({*plugins_that_read(ids).values_list("pk", flat=True), *former})
    EvaluationRun.objects.filter(plugin__in=readers).erase_answers()
    PublishingRun.objects.filter(plugin__in=readers).delete()
    documents = Document.objects.filter(knowledge_base__in=ids).values_list("pk", flat=True)
    erase_answers_quoting([str(pk) for pk in documents], plugins=readers)


def erase_answers_quoting(documents: Sequence[str], *, plugins: Collection[UUID] = ()) -> None:
    """Erases the answers that quote one of these documents: what was asked in private, and of these plugins."""
    asked = Query.objects.filter(Q(is_private=True) | Q(plugin__in=plugins))
    sessions = ChatSession.objects.filter(Q(is_private=True) | Q(plugin__in=plugins)).order_by()
    said = ChatMessage.objects.filter(session__in=sessions, role=ChatMessage.Role.ASSISTANT).order_by()
    for start in range(0, len(documents), _BATCH_SIZE):
        batch = documents[start : start + _BATCH_SIZE]
        asked.quoting(batch).erase_content(now=timezone.now())
        said.quoting(batch).update(content=_ERASED_CHAT_ANSWER["error"], metadata=_ERASED_CHAT_ANSWER)


def _bases_read_elsewhere(plugin: Plugin) -> tuple[KnowledgeBase, ...]:
    own = KnowledgeBase.objects.filter(plugin=plugin)
    return tuple(base for base in own if plugins_that_read([base.pk]).exclude(pk=plugin.pk).exists())
