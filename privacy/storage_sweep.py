"""Compares the stored files with the database, both ways, and deletes what nothing names any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts import avatars
from accounts.models import User
from agents.models import AgentRun
from conversations.models import ChatSession
from knowledge.documents import file_store, page_images
from knowledge.models import BaseKind, Document, KnowledgeGrant, Page, PinKind
from knowledge.prune import FILE_GRACE, delete_orphaned_files, orphaned_files
from knowledge.revision_pins import release_pins_without_holder
from lexic.storage import site_storage
from marketplace.publishing.membership import end_lapsed_grants
from marketplace.sharing import release_files
from querying.models import Query, QueryQuerySet

_BATCH_SIZE = 1000


@dataclass(frozen=True, kw_only=True)
class MissingFile:
    """A file that the database names and the storage does not have, with the documents that were read from it."""

    sha256: str
    documents: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """What a sweep found: stored and named by no row (`orphaned_…`), named by a row and not stored (`missing_…`),
    files of releases that nobody may copy any more, questions whose plugin, asker, documents or conversation is gone,
    and grants of people who may no longer open the knowledge."""

    orphaned_files: tuple[str, ...]
    orphaned_images: tuple[str, ...]
    orphaned_avatars: tuple[str, ...]
    stale_release_files: tuple[str, ...]
    orphaned_questions: int
    lapsed_grants: int
    missing_files: tuple[MissingFile, ...]
    missing_avatars: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every file that the database names is there."""
        return not self.missing_files and not self.missing_avatars


def inspect_storage(*, older_than: timedelta = FILE_GRACE) -> SweepReport:
    """Compares storage and database, and changes nothing. Files that are younger than `older_than` are not orphaned:
    their rows may not be written yet."""
    named = set(User.objects.exclude(avatar="").values_list("avatar", flat=True))
    stored = {one.sha256 for one in file_store.stored_files()}
    names = sorted(stored)
    batches = [names[start : start + _BATCH_SIZE] for start in range(0, len(names), _BATCH_SIZE)]
    return SweepReport(
        orphaned_files=tuple(sha256 for batch in batches for sha256 in orphaned_files(batch, older_than=older_than)),
        orphaned_images=tuple(sorted(page_images.files_with_images() - stored)),
        orphaned_avatars=tuple(sorted(avatars.stored_avatars(older_than=older_than) - named)),
        stale_release_files=tuple(release_files.stale_files()),
        orphaned_questions=_orphaned_questions().count(),
        lapsed_grants=KnowledgeGrant.objects.lapsed().count(),
        missing_files=tuple(_missing_files(stored)),
        # Asked for once more: a picture may have been stored since they were listed.
        missing_avatars=tuple(sorted(name for name in named - avatars.stored_avatars() if not avatars.is_stored(name))),
    )


def sweep_storage(*, older_than: timedelta = FILE_GRACE) -> SweepReport:
    """Deletes what is orphaned, ends what lapsed, and returns what was found. What is missing stays missing."""
    report = inspect_storage(older_than=older_than)
    delete_orphaned_files(report.orphaned_files, older_than=older_than)
    for sha256 in report.orphaned_images:
        page_images.delete_page_images(sha256)
    for name in report.orphaned_avatars:
        avatars.delete_avatar(name)
    release_files.delete_stale_files()
    site_storage().delete_unfinished(older_than=older_than.total_seconds())
    _orphaned_questions().erase_content(now=timezone.now())
    end_lapsed_grants()
    release_pins_without_holder(PinKind.RUN, AgentRun.objects.all())
    return report


def _orphaned_questions() -> QueryQuerySet:
    """Of plugins that are gone; and private ones, where the asker, what they read, or the conversation is gone."""
    of_plugins = Query.objects.filter(plugin=None, is_private=False, erased_at=None).order_by()
    conversation = ChatSession.objects.filter(pk=OuterRef("conversation_id"))
    asked_in_one = Query.objects.private().filter(erased_at=None).exclude(conversation_id=None).order_by()
    left_behind = asked_in_one.filter(~Exists(conversation))
    return of_plugins | Query.objects.private_without_owner() | left_behind


def _missing_files(stored: set[str]) -> Iterator[MissingFile]:
    with connection.cursor() as cursor:
        named = file_store.named_files(cursor)
    # Asked for once more: a file may have been stored since they were listed.
    for sha256 in sorted(named - stored):
        if not file_store.is_stored(sha256):
            yield MissingFile(sha256=sha256, documents=tuple(_titles(sha256)))


_PRIVATE = "a private document"


def _titles(sha256: str) -> Iterable[str]:
    ids = Page.objects.filter(source_sha256=sha256).values("document")
    documents = Document.objects.filter(pk__in=ids) | Document.objects.filter(sha256=sha256)
    titles = documents.order_by().values_list("knowledge_base__kind", "knowledge_base__name", "title").distinct()
    # Operators do not read what people keep for themselves, and no title of it.
    return sorted({f"{base}: {title}" if kind == BaseKind.PLUGIN else _PRIVATE for kind, base, title in titles})
