"""A copy of a shared plugin in somebody's account, and how it keeps up with its original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from django.db import transaction

from accounts import quotas
from accounts.models import User
from accounts.rate_limits import RateLimited, check_hourly_limit
from knowledge import lease, storage_usage
from knowledge.models import KnowledgeBase
from knowledge.versions.token_states import copy_states
from lexic.errors import Conflict
from marketplace.bundle import ImportedPlugin, import_plugin, release_import
from marketplace.bundle.archive import BundleArchive
from marketplace.models import Install
from marketplace.sharing.draft_hash import draft_content_hash
from marketplace.sharing.provenance import record_install
from marketplace.sharing.release_files import release_file
from marketplace.sharing.shareability import NotShared, shared_release
from plugins.models import Plugin, Release

_MAX_PER_HOUR = 30  # of either


class TooManyInstalls(RateLimited):
    """You installed many copies within the hour."""


class TooManyImports(RateLimited):
    """You imported many files within the hour; this one was not read."""


class ModifiedCopy(Conflict):
    """You have changed this copy since it was made, so it was not updated."""

    code = "worked_on"
    hint = "Create a second copy of the new release, and compare the two."


class CopyUpToDate(Conflict):
    """This copy has the latest release already."""

    code = "up_to_date"


@dataclass(frozen=True, kw_only=True)
class InstallResult:
    """`is_new` is false where the copy was there already: asking twice makes one."""

    install: Install
    is_new: bool
    unfinished: int = 0


def install_copy(address: str, *, by: User, there: int | None = None) -> InstallResult:
    """A draft of this person's, made of the latest release of the shared plugin whose page has this address.

    Somebody who has a copy of that release gets that again, unless `there` is how many of them they know of: then it is
    one more. Raises `NotShared`, `CannotBeShared`, `TooManyCopies`, `TooManyInstalls`, and what writing the release's
    file raises.
    """
    release = shared_release(address)
    with transaction.atomic():
        # Who presses twice waits for the first time to end, and finds what it made.
        lease.lock_in_transaction(f"install:{by.pk}")
        copies = list(existing_copies(release, person=by))
        if copies and there != len(copies):
            return InstallResult(install=copies[0], is_new=False)
        _check_install_limits(by)
        with release_file(release).open() as file:
            imported = import_plugin_file(file, owner=by, origin=release)
        _copy_token_states(release, imported.plugin)
    return InstallResult(install=imported.plugin.installed_from, is_new=True, unfinished=imported.unfinished)


def import_upload(file: IO[bytes], *, by: User, slug: str | None = None) -> ImportedPlugin:
    """`import_plugin_file` for uploads, limited per hour whether or not the file is valid. Raises `TooManyImports` as
    well."""
    check_hourly_limit(f"imports:{by.pk}", most=_MAX_PER_HOUR, refusal=TooManyImports)
    return import_plugin_file(file, owner=by, slug=slug)


def import_plugin_file(
    file: IO[bytes], *, owner: User, slug: str | None = None, origin: Release | None = None
) -> ImportedPlugin:
    """The plugin in the file as a draft of the owner's; of a release, with what it was made from.

    `origin` is the release that the file is known to be of. Raises `BadBundle`, `SlugTaken`.
    """
    with transaction.atomic():
        imported = import_plugin(file, owner=owner, slug=slug, is_ours=origin is not None)
        storage_usage.check_account(owner, added=imported.documents)
        if imported.made_from:
            signature = imported.signature
            record_install(imported.plugin, made_from=imported.made_from, origin=origin, signature=signature, by=owner)
    return imported


def existing_copies(release: Release, *, person: User) -> list[Install]:
    """The person's copies of this very release, the newest first."""
    mine = Install.objects.of(person).filter(original=release.plugin, version=release.version)
    return list(mine.select_related("copy").order_by("-created_at", "-pk"))


def update_copy(copy: Plugin, *, by: User) -> Install:
    """Replaces the content of the copy by the original's latest release, with its documents as new versions.

    Only if the copy has not been changed since it was made or last updated. Agents that ask a release of the copy
    notice nothing. Raises `NotShared`, `CannotBeShared`, `CopyUpToDate`, `ModifiedCopy`, `EmbedderMismatch`, and what
    writing the release's file raises.
    """
    with transaction.atomic():
        copy = Plugin.objects.select_for_update().get(pk=copy.pk)
        _, release = original_and_release(copy)
        row = Install.objects.select_for_update().get(copy=copy)
        if release.pk == row.release_id:
            raise CopyUpToDate
        if draft_content_hash(copy) != row.content:
            raise ModifiedCopy
        _check_install_limits(by, is_new=False)
        with release_file(release).open() as file:
            _replace_copy_content(copy, BundleArchive(file))
        _copy_token_states(release, copy)
        storage_usage.check_account(copy.owner)
        row.release, row.version, row.content = release, release.version, draft_content_hash(copy)
        row.save(update_fields=["release", "version", "content"])
    return row


def original_and_release(copy: Plugin) -> tuple[Plugin, Release]:
    """The plugin that the copy was made from, and the release of it that others may copy now. Raises `NotShared`,
    `CannotBeShared`."""
    row = Install.objects.filter(copy=copy).select_related("original").first()
    if row is None or row.original is None:
        raise NotShared
    release = shared_release(row.original.address)
    return release.plugin, release


def is_copy_modified(row: Install) -> bool:
    """Whether somebody has changed the copy since."""
    return draft_content_hash(row.copy) != row.content


def _replace_copy_content(copy: Plugin, archive: BundleArchive) -> None:
    content = release_import.parse_release_content(archive, archive.manifest())
    for name, value in content.plugin.items():
        if name != "slug":
            setattr(copy, name, value)
    copy.save()
    release_import.replace_plugin_content(copy, content, archive=archive, is_ours=True)


def _copy_token_states(release: Release, copy: Plugin) -> None:
    """They are no part of the file. With them the copy answers exactly as the release."""
    pinned = KnowledgeBase.objects.filter(pk__in=[one["knowledge_base"] for one in release.knowledge])
    copy_states(pinned, KnowledgeBase.objects.of_plugin(copy))


def _check_install_limits(person: User, *, is_new: bool = True) -> None:
    if is_new:
        quotas.COPIES.check("account", used=Install.objects.of(person).count())
    check_hourly_limit(f"installs:{person.pk}", most=_MAX_PER_HOUR, refusal=TooManyInstalls)
