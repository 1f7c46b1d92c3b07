"""What an account and this site store, counted against their quotas whenever a document is added."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.core.cache import caches

from accounts.models import User
from accounts.quotas import DOCUMENTS, PLUGINS, STORAGE, STORED, Quota
from knowledge.documents import file_store
from knowledge.models import Document
from plugins.models import Plugin

# Seconds that the size of the whole store is remembered.
_SITE_CACHE_SECONDS = 60
_SITE_CACHE_KEY = "knowledge:stored-bytes"


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
    """What the files of the person's documents take up; a file that two documents share counts once."""
    rows = Document.objects.present().filter(knowledge_base__owner=owner).order_by()
    hashes = {*rows.values_list("sha256", flat=True), *rows.values_list("ready_sha256", flat=True)} - {""}
    return sum(map(_file_size, hashes))


def site_stored_bytes() -> int:
    """What all stored files take up, as it was within the last minute."""
    known = caches["process"].get_or_set(
        _SITE_CACHE_KEY, lambda: sum(map(_file_size, file_store.stored_hashes())), _SITE_CACHE_SECONDS
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
            STORAGE.check("account", used=stored_bytes(owner), adding=0)
    if DOCUMENTS.limit("site"):
        DOCUMENTS.check("site", used=document_count() - added, adding=added)
    if STORAGE.limit("site"):
        STORAGE.check("site", used=site_stored_bytes(), adding=0)


@lru_cache(maxsize=100_000)
def _file_size(sha256: str) -> int:
    """The bytes under one hash never change."""
    try:
        return file_store.stored_path(sha256).stat().st_size
    except OSError:
        return 0
