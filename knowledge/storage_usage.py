"""The storage that an account and this site use, compared with their quotas whenever a document is added."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.core.cache import caches
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from accounts.quotas import DOCUMENTS, PLUGINS, STORAGE, STORED, Quota
from knowledge.documents import file_store
from knowledge.models import Document, KnowledgeBase, Page
from plugins.models import Plugin

# Seconds that the size of the whole store, or of what an account stores, is remembered.
_CACHE_SECONDS = 60
_CACHE_KEY = "knowledge:stored-bytes"
# The bytes under one hash never change, so this process asks the storage once for each.
_MAX_KNOWN_SIZES = 200_000
_known_sizes: dict[str, int] = {}


@dataclass(frozen=True, kw_only=True)
class QuotaUsage:
    """What an account uses of a quota, in the quota's units. `limit` is 0 where there is none."""

    quota: Quota
    used: int
    limit: int


def account_usage(owner: User) -> list[QuotaUsage]:
    """What the person's account uses of each quota of what is stored."""
    used = {
        PLUGINS: Plugin.objects.filter(owner=owner).count(),
        DOCUMENTS: document_count(owner),
        STORAGE: stored_bytes(owner),
    }
    return [
        QuotaUsage(quota=quota, used=-(-used[quota] // quota.unit), limit=quota.limit("account")) for quota in STORED
    ]


def document_count(owner: User | None = None) -> int:
    """The documents of the person's knowledge bases, or of the site."""
    rows = Document.objects.present()
    return (rows if owner is None else rows.filter(knowledge_base__owner=owner)).count()


def stored_bytes(owner: User) -> int:
    """What the files of the person's documents take up, also of those that were removed or replaced, until their files
    are deleted; a file that two documents share counts once."""
    rows = Document.objects.filter(knowledge_base__owner=owner).order_by()
    pages = Page.objects.filter(document__knowledge_base__owner=owner).order_by()
    former = pages.exclude(source_sha256=F("document__sha256")).exclude(source_sha256=F("document__ready_sha256"))
    hashes = {
        *rows.values_list("sha256", flat=True),
        *rows.values_list("ready_sha256", flat=True),
        *former.values_list("source_sha256", flat=True).distinct(),
    }
    return _total_size(hashes)


def site_stored_bytes() -> int:
    """What all stored files take up, as it was within the last minute."""
    known = caches["process"].get_or_set(
        _CACHE_KEY, lambda: sum(one.size for one in file_store.stored_files()), _CACHE_SECONDS
    )
    return int(known or 0)


def check_account(owner: User, *, added: int = 0) -> None:
    """Raises `TooManyDocuments` or `StorageFull` where the account or the site holds too much, the `added` documents
    included. Call it in the transaction that adds them, which the error takes back. An operator's account has no quota.
    """
    if not owner.is_superuser:
        if DOCUMENTS.limit("account"):
            DOCUMENTS.check("account", used=document_count(owner) - added, adding=added)
        if STORAGE.limit("account"):
            _check_storage(owner)
    if DOCUMENTS.limit("site"):
        DOCUMENTS.check("site", used=document_count() - added, adding=added)
    if STORAGE.limit("site"):
        STORAGE.check("site", used=site_stored_bytes(), adding=0)


def _check_storage(owner: User) -> None:
    """Raises `StorageFull`. All files are counted once a minute, for other knowledge bases, and before anything is
    refused; in between, those of the documents that changed since are added."""
    key = f"{_CACHE_KEY}:{owner.pk}"
    bases = set(KnowledgeBase.objects.filter(owner=owner).order_by().values_list("pk", flat=True))
    used, counted_at, counted_bases = caches["process"].get(key, (0, None, None))
    if counted_at and bases == counted_bases:
        changed = Document.objects.filter(knowledge_base__in=bases, updated_at__gte=counted_at).order_by()
        used += _total_size(set(changed.values_list("sha256", flat=True)))
        if used <= STORAGE.limit("account") * STORAGE.unit:
            return
    now = timezone.now()
    used = stored_bytes(owner)
    caches["process"].set(key, (used, now, bases), _CACHE_SECONDS)
    STORAGE.check("account", used=used, adding=0)


def _total_size(hashes: Collection[str]) -> int:
    """Bytes; a file that is not there, and may come yet, counts nothing."""
    wanted = set(hashes) - {""}
    found = file_store.stored_sizes(wanted - _known_sizes.keys())
    total = sum(_known_sizes.get(sha256, 0) for sha256 in wanted) + sum(found.values())
    if len(_known_sizes) > _MAX_KNOWN_SIZES:
        _known_sizes.clear()
    _known_sizes.update(found)
    return total
