"""A copy of a shared plugin in somebody's account, and how it keeps up with its original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from django.db import transaction

from accounts.limits import TooOften, check_hour
from accounts.models import User
from knowledge import lease
from lexic.errors import Conflict
from marketplace.bundle import Imported, import_plugin, read_release
from marketplace.bundle.archive import Archive
from marketplace.models import Install
from marketplace.sharing.draft import content_of
from marketplace.sharing.files import file_of
from marketplace.sharing.obstacles import NotShared, shared_release
from marketplace.sharing.provenance import remember
from plugins.models import Plugin, Release

MOST_COPIES = 50
_PER_HOUR = 30  # of either


class TooManyCopies(Conflict):
    """You have as many copies of shared plugins as one account may have."""

    code = "too_many_copies"
    hint = f"At most {MOST_COPIES}. Delete one that you do not need."


class TooFast(TooOften):
    """You made many copies within the hour."""


class TooManyImports(TooOften):
    """You brought in many files within the hour; this one was not read."""


class WorkedOn(Conflict):
    """You have changed this copy since it was made, so nothing was brought up to date."""

    code = "worked_on"
    hint = "Make a second copy of the new release, and compare the two."


class UpToDate(Conflict):
    """This copy is of the latest release."""

    code = "up_to_date"


@dataclass(frozen=True, kw_only=True)
class Installed:
    """`is_new` is false where the copy was there already: asking twice makes one."""

    install: Install
    is_new: bool
    waiting: int = 0


def install(slug: str, *, by: User, there: int | None = None) -> Installed:
    """A draft of this person's, made of the latest release of the shared plugin.

    Somebody who has a copy of that release gets that again, unless `there` is how many of them they know of: then it is
    one more. Raises `NotShared`, `CannotBeShared`, `TooManyCopies`, `TooFast`, and what writing the release's file
    raises.
    """
    release = shared_release(slug)
    with transaction.atomic():
        # Who presses twice waits for the first time to end, and finds what it made.
        lease.one_at_a_time(f"install:{by.pk}")
        copies = list(copies_of(release, person=by))
        if copies and there != len(copies):
            return Installed(install=copies[0], is_new=False)
        _check_bounds(by)
        with file_of(release).open() as file:
            imported = import_file(file, owner=by, origin=release)
    return Installed(install=imported.plugin.installed_from, is_new=True, waiting=imported.waiting)


def take_in(file: IO[bytes], *, by: User, slug: str | None = None) -> Imported:
    """`import_file` for what people send, so many an hour, whatever is in it. Raises `TooManyImports` as well."""
    check_hour(f"imports:{by.pk}", most=_PER_HOUR, refusal=TooManyImports)
    return import_file(file, owner=by, slug=slug)


def import_file(
    file: IO[bytes], *, owner: User, slug: str | None = None, origin: Release | None = None
) -> Imported:
    """The plugin in the file as a draft of the owner's; of a release, with what it was made from.

    `origin` is the release that the file is known to be of. Raises `BadBundle`, `SlugTaken`.
    """
    with transaction.atomic():
        imported = import_plugin(file, owner=owner, slug=slug)
        if imported.made_from:
            remember(imported.plugin, made_from=imported.made_from, origin=origin, by=owner)
    return imported


def copies_of(release: Release, *, person: User) -> list[Install]:
    """The person's copies of this very release, the newest first."""
    mine = Install.objects.of(person).filter(original=release.plugin, version=release.version)
    return list(mine.select_related("copy").order_by("-created_at", "-pk"))


def bring_up_to_date(copy: Plugin, *, by: User) -> Install:
    """Put the original's latest release in the place of what the copy holds, its documents as new versions.

    Only where nobody has worked on the copy since it was made or last brought up to date. Agents that ask a release of
    the copy notice nothing. Raises `NotShared`, `CannotBeShared`, `UpToDate`, `WorkedOn`, `AnotherEmbedder`, and
    what writing the release's file raises.
    """
    with transaction.atomic():
        copy = Plugin.objects.select_for_update().get(pk=copy.pk)
        _, release = original_of(copy)
        row = Install.objects.select_for_update().get(copy=copy)
        if release.pk == row.release_id:
            raise UpToDate
        if content_of(copy) != row.content:
            raise WorkedOn
        _check_bounds(by, is_new=False)
        with file_of(release).open() as file:
            _replace(copy, Archive(file))
        row.release, row.version, row.content = release, release.version, content_of(copy)
        row.save(update_fields=["release", "version", "content"])
    return row


def original_of(copy: Plugin) -> tuple[Plugin, Release]:
    """The plugin that the copy was made from, and the release of it that others may copy now. Raises `NotShared`,
    `CannotBeShared`."""
    row = Install.objects.filter(copy=copy).select_related("original").first()
    if row is None or row.original is None:
        raise NotShared
    release = shared_release(row.original.slug)
    return release.plugin, release


def is_worked_on(row: Install) -> bool:
    """Whether somebody has changed the copy since."""
    return content_of(row.copy) != row.content


def _replace(copy: Plugin, archive: Archive) -> None:
    content = read_release.content_of(archive, archive.manifest())
    for name, value in content.plugin.items():
        if name != "slug":
            setattr(copy, name, value)
    copy.save()
    read_release.fill(copy, content, archive=archive)


def _check_bounds(person: User, *, is_new: bool = True) -> None:
    if is_new and Install.objects.of(person).count() >= MOST_COPIES:
        raise TooManyCopies
    check_hour(f"installs:{person.pk}", most=_PER_HOUR, refusal=TooFast)
