"""Adds, changes and removes remote sources, and checks what a person enters, for the site, the API and commands.

The URL of a source cannot be changed: otherwise whoever changes it could have the credentials sent to their own server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge.models import Document, KnowledgeBase, Source
from knowledge.source_models import REMOTE_KINDS, SourceKind, SyncInterval
from knowledge.sync.remote import feed, website
from knowledge.sync.remote.addresses import normalise
from knowledge.sync.remote.source_errors import InvalidSource, SourceExists, TooManySources
from lexic import egress
from lexic.column_length import column_length
from lexic.egress import EgressRefused

MAX_SOURCES = 20
MAX_PATHS, MAX_PATH_LENGTH = 20, 500
MAX_CREDENTIAL_LENGTH = 1_000
CREDENTIAL_NAMES: Mapping[str, tuple[str, ...]] = {
    SourceKind.REPOSITORY: ("username", "password"),
    SourceKind.BUCKET: ("access_key_id", "secret_access_key"),
}
# What `change_source` may change.
_CHANGEABLE = (
    "options",
    "state",
    "commit",
    "credentials_encrypted",
    "interval_hours",
    "due_at",
    "is_paused",
    "is_public",
)
_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_BRANCH = re.compile(r"(?!.*\.\.)[\w./-]{1,200}")


@transaction.atomic
def create_source(
    base: KnowledgeBase,
    *,
    kind: str,
    location: str,
    options: Mapping[str, Any] | None = None,
    credentials: Mapping[str, str] | None = None,
    interval_hours: int = SyncInterval.DAY,
    is_public: bool = False,
) -> Source:
    """A new source of the base, which is due at once. Raises `InvalidSource`, `SourceExists`, `TooManySources`."""
    if kind not in REMOTE_KINDS:
        raise InvalidSource("A source is a website, a feed, a repo or a bucket.")
    KnowledgeBase.objects.select_for_update(no_key=True).get(pk=base.pk)
    if base.sources.remote().count() >= MAX_SOURCES:
        raise TooManySources
    source = Source(
        knowledge_base=base,
        kind=kind,
        location=_LOCATIONS[SourceKind(kind)](location.strip()),
        options=_clean_options(kind, options or {}),
        interval_hours=_clean_interval(interval_hours),
        is_public=is_public,
        due_at=timezone.now(),
    )
    source.set_credentials(_clean_credentials(kind, credentials or {}))
    if base.sources.filter(location=source.location).exists():
        raise SourceExists
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError:
        raise SourceExists from None
    return source


@transaction.atomic
def change_source(
    source: Source,
    *,
    options: Mapping[str, Any] | None = None,
    credentials: Mapping[str, str] | None = None,
    interval_hours: int | None = None,
    is_public: bool | None = None,
    is_paused: bool | None = None,
) -> Source:
    """The source as it is then; None leaves each as it is. Options are given as a whole, and what they say holds with
    the next sync; who may read its documents is changed at once. Raises `InvalidSource` and `SourceRemoved`."""
    source = Source.objects.locked(source.pk)
    if options is not None:
        source.options = _clean_options(source.kind, options)
        source.state, source.commit = {}, ""  # other files may belong to it now
    if credentials is not None:
        source.set_credentials(_clean_credentials(source.kind, credentials))
    if interval_hours is not None:
        source.interval_hours = _clean_interval(interval_hours)
        source.set_due(timezone.now())
    if is_paused is not None:
        source.is_paused = is_paused
    if is_public is not None and is_public != source.is_public:
        source.is_public = is_public
        documents = Document.objects.present().filter(source_items__source=source).values("pk")
        Document.objects.filter(pk__in=documents).update(is_public=is_public, updated_at=timezone.now())
    source.save(update_fields=_CHANGEABLE)
    return source


@transaction.atomic
def delete_source(source: Source) -> None:
    """Its documents stay, as if they had been uploaded; its credentials go. A sync locks the source before its items,
    and so is done here. Raises `SourceRemoved`."""
    Source.objects.locked(source.pk).delete()


# --- What may be said of a source ---


def _clean_interval(hours: int) -> int:
    if hours not in SyncInterval.values:
        raise InvalidSource(f"The timetable is one of {', '.join(map(str, SyncInterval.values))} hours.")
    return hours


def _web_location(address: str) -> str:
    _check_reachable(address, "The address")
    clean = normalise(address)
    if clean is None:
        raise InvalidSource("This is not the address of a web page.", hint="It begins with https:// or http://.")
    return _of_length(clean)


def _repository_location(address: str) -> str:
    _check_reachable(address, "The address of the repository", needs_https=True)
    parts = urlsplit(address)
    if parts.query or parts.fragment or not parts.path.strip("/"):
        raise InvalidSource(
            "This is not the address of a Git repository.", hint="Such as https://example.org/handbooks/site.git."
        )
    return _of_length(address.rstrip("/"))


def _bucket_location(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "s3" or not _BUCKET_NAME.fullmatch(parts.netloc) or parts.query or parts.fragment:
        raise InvalidSource("A bucket is named as s3://bucket/prefix.")
    return _of_length(address)


_LOCATIONS: Mapping[SourceKind, Callable[[str], str]] = {
    SourceKind.WEBSITE: _web_location,
    SourceKind.FEED: _web_location,
    SourceKind.REPOSITORY: _repository_location,
    SourceKind.BUCKET: _bucket_location,
}


def _of_length(location: str) -> str:
    if len(location) > column_length(Source, "location") or not location.isprintable():
        raise InvalidSource("The address is longer than 1000 characters, or has some that cannot be printed.")
    return location


def _check_reachable(address: str, what: str, *, needs_https: bool = False) -> None:
    """An address that may not be reached at all is refused before it is saved; a name is looked up when it is asked."""
    policy = settings.SOURCES_EGRESS
    try:
        url = egress.parse_url(address, policy=policy)
    except EgressRefused as error:
        raise InvalidSource(f"{what} is refused: {error.message}") from None
    if not policy.allows_host(url.host, egress.url_port(url)):
        raise InvalidSource(f"{what} lies in a private network.", hint="An operator can allow it.")
    if needs_https and url.scheme != "https" and not policy.lists(url.host):
        raise InvalidSource(f"{what} begins with https://.")


def _clean_credentials(kind: str, given: Mapping[str, str]) -> dict[str, str]:
    names = CREDENTIAL_NAMES.get(kind, ())
    kept = {name: value.strip() for name, value in given.items() if value and value.strip()}
    if unknown := set(kept) - set(names):
        raise InvalidSource(f"A source of this kind has no {sorted(unknown)[0]}.")
    if any(len(value) > MAX_CREDENTIAL_LENGTH or not value.isprintable() for value in kept.values()):
        raise InvalidSource("The credentials are too long, or have characters that cannot be printed.")
    if kept and names[-1] not in kept:
        raise InvalidSource(f"The {names[-1].replace('_', ' ')} is missing.")
    if kept and kind == SourceKind.BUCKET and names[0] not in kept:
        raise InvalidSource("The access key id is missing.")
    return kept


def _clean_options(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    cleaners = _OPTIONS[SourceKind(kind)]
    if unknown := set(given) - set(cleaners):
        raise InvalidSource(f"A source of this kind has no option {sorted(unknown)[0]}.")
    cleaned = {name: clean(given[name]) for name, clean in cleaners.items() if given.get(name) not in (None, "", [])}
    return {name: value for name, value in cleaned.items() if value not in ("", [])}


def _number(name: str, least: int, most: int) -> Callable[[Any], int]:
    def clean(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InvalidSource(f"The {name} is a number from {least} to {most:,}.")
        return value

    return clean


def _paths(value: Any) -> list[str]:
    paths = [one.strip() for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []
    if len(paths) > MAX_PATHS or not all(one.startswith("/") and len(one) <= MAX_PATH_LENGTH for one in paths):
        raise InvalidSource("A path begins with /, and there are at most 20 of them.")
    return paths


def _folder(value: Any) -> str:
    text = str(value).strip().strip("/")
    if len(text) > MAX_PATH_LENGTH or not text.isprintable() or {"..", "."} & set(text.split("/")):
        raise InvalidSource("The folder is a path within the repository, such as docs/handbook.")
    return text


def _matching(pattern: re.Pattern[str], message: str) -> Callable[[Any], str]:
    def clean(value: Any) -> str:
        text = str(value).strip()
        if text and not pattern.fullmatch(text):
            raise InvalidSource(message)
        return text

    return clean


def _endpoint(value: Any) -> str:
    text = str(value).strip().rstrip("/")
    _check_reachable(text, "The endpoint", needs_https=True)
    if urlsplit(text).path or urlsplit(text).query:
        raise InvalidSource("The endpoint is the address of the store alone, such as https://s3.example.org.")
    return text


_OPTIONS: Mapping[SourceKind, Mapping[str, Callable[[Any], Any]]] = {
    SourceKind.WEBSITE: {
        "max_depth": _number("depth", 0, website.MAX_DEPTH),
        "max_pages": _number("number of pages", 1, website.MAX_PAGES),
        "include": _paths,
        "exclude": _paths,
    },
    SourceKind.FEED: {"max_pages": _number("number of entries", 1, feed.MAX_ENTRIES)},
    SourceKind.REPOSITORY: {
        "branch": _matching(_BRANCH, "This is not the name of a branch."),
        "folder": _folder,
    },
    SourceKind.BUCKET: {
        "endpoint": _endpoint,
        "region": _matching(_REGION, "This is not the name of a region."),
    },
}
