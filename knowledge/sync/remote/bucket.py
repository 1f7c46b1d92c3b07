"""Reads the objects of a bucket below one prefix, in any store that speaks the protocol of S3.

Requests are signed by botocore and sent by the egress client, so that no endpoint leads into our own network.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings

from knowledge.models import Source, SourceItem
from knowledge.readers.formats import TYPES_BY_EXTENSION
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import UnreadableDocument
from knowledge.sync.remote.remote_listing import RemoteFile, RemoteListing, Spool, SpoolFull
from knowledge.sync.remote.source_errors import SourceRefused, SourceUnavailable
from lexic import egress
from lexic.egress import EgressRefused, FetchFailed, WebResponse

MAX_OBJECTS = 2_000
DEFAULT_REGION = "us-east-1"
REQUEST_SECONDS = 60.0
# What one sync may take; what it fetched is known to the next one.
MAX_SECONDS = 600.0
_MAX_PAGES = 50
_LISTING = "knowledge.readers.web.bucket_list:read_bucket_list"


def list_bucket(source: Source, *, known: Mapping[str, SourceItem], spool: Spool) -> RemoteListing:
    """The objects below the prefix. Raises `SourceUnavailable`."""
    bucket, end = _Bucket(source), time.monotonic() + MAX_SECONDS
    listing = RemoteListing()
    try:
        found = _list_objects(bucket, spool=spool, listing=listing)
        for key, etag in found.items():
            if time.monotonic() > end:
                listing.end_early(f"After {MAX_SECONDS / 60:.0f} minutes not all was fetched.")
                break
            item = known.get(key)
            if item and etag and item.version.get("etag") == etag:
                listing.same.add(key)
            else:
                _fetch_object(bucket, key, etag, spool=spool, listing=listing)
    except SpoolFull:
        listing.end_early("One sync fetches at most 500 MB; the next one continues.")
    return listing


class _Bucket:
    """One bucket, and how its store is asked."""

    def __init__(self, source: Source) -> None:
        parts = urlsplit(source.location)  # s3://bucket/prefix
        self._name, self.prefix = parts.netloc, parts.path.lstrip("/")
        self._region = source.options.get("region") or DEFAULT_REGION
        endpoint = source.options.get("endpoint") or f"https://s3.{self._region}.amazonaws.com"
        self._endpoint = endpoint.rstrip("/")
        self._credentials = source.credentials()

    def list_page(self, token: str) -> WebResponse:
        parameters = {"list-type": "2", "max-keys": "1000", "prefix": self.prefix}
        return self._get("", parameters | ({"continuation-token": token} if token else {}))

    def get_object(self, key: str) -> WebResponse:
        return self._get(key, {})

    def _get(self, key: str, parameters: Mapping[str, str]) -> WebResponse:
        """Raises `FetchFailed`, `EgressRefused`."""
        query = f"?{urlencode(sorted(parameters.items()), quote_via=quote)}" if parameters else ""
        url = f"{self._endpoint}/{self._name}/{quote(key, safe='/-_.~')}{query}"
        return egress.request(
            url,
            headers=self._signed_headers(url),
            max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES,
            timeout=REQUEST_SECONDS,
            policy=settings.SOURCES_EGRESS,
        )

    def _signed_headers(self, url: str) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if not self._credentials:
            return headers
        # Imported here, because most processes never ask a bucket.
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        sent = AWSRequest(method="GET", url=url, headers={})
        keys = Credentials(self._credentials["access_key_id"], self._credentials["secret_access_key"])
        S3SigV4Auth(keys, "s3", self._region).add_auth(sent)
        return headers | {name: str(value) for name, value in sent.headers.items()}


def _list_objects(bucket: _Bucket, *, spool: Spool, listing: RemoteListing) -> dict[str, str]:
    """The keys of what can be read, with their entity tags. Raises `SourceUnavailable`."""
    found: dict[str, str] = {}
    token = ""
    for _ in range(_MAX_PAGES):
        head, *objects = _read_list(_checked_list(bucket, token), spool)
        for one in objects:
            _note_object(one, found, listing)
        token = str(head.get("next") or "")
        if not token or len(found) > MAX_OBJECTS:
            break
    if token or len(found) > MAX_OBJECTS:
        listing.end_early(f"It has more than {MAX_OBJECTS:,} objects; the rest was not read.")
    return dict(list(found.items())[:MAX_OBJECTS])


def _checked_list(bucket: _Bucket, token: str) -> WebResponse:
    try:
        said = bucket.list_page(token)
    except (EgressRefused, FetchFailed) as error:
        raise SourceUnavailable(f"The store of the bucket cannot be asked: {error.message}") from error
    if said.status in (401, 403):
        raise SourceRefused
    if said.status != 200:
        raise SourceUnavailable(f"The store of the bucket answered with status {said.status}.")
    return said


def _read_list(said: WebResponse, spool: Spool) -> list[dict[str, Any]]:
    path, _ = spool.keep(said.body)
    try:
        values = [one for one in confined_call(_LISTING, path, arguments={}) if isinstance(one, dict)]
    except UnreadableDocument as error:
        raise SourceUnavailable("The store of the bucket does not answer as one of S3's protocol does.") from error
    return values or [dict[str, Any]()]


def _note_object(one: Mapping[str, Any], found: dict[str, str], listing: RemoteListing) -> None:
    key, etag, size = str(one.get("key", "")), str(one.get("etag", ""))[:300], one.get("size", 0)
    extension = key.rpartition(".")[2].lower() if "." in key.rpartition("/")[2] else ""
    if extension not in TYPES_BY_EXTENSION or not key.isprintable() or len(key) > 1_000:
        return
    if not isinstance(size, int) or size > settings.LEXIC_MAX_DOCUMENT_BYTES:
        listing.left_out.append((key, "it is too large"))
    else:
        found[key] = etag


def _fetch_object(bucket: _Bucket, key: str, etag: str, *, spool: Spool, listing: RemoteListing) -> None:
    try:
        said = bucket.get_object(key)
    except (EgressRefused, FetchFailed) as error:
        reason = error.message
    else:
        if said.status == 200:
            path, sha256 = spool.keep(said.body)
            version = {"etag": etag}
            listing.files.append(
                RemoteFile(path=key, file_name=key[-300:], content=path, sha256=sha256, version=version)
            )
            return
        reason = f"The store answered with status {said.status}."
    listing.add_problem(key, reason)
    listing.kept[key] = reason
