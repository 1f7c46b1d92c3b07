"""Google Drive over its API: files are listed, described and downloaded, with tokens that are renewed as need be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings

from connectors import google_oauth
from connectors.drive_errors import (
    DriveBusy,
    DriveFailed,
    DriveForbidden,
    DriveNotConnected,
    DriveNotSetUp,
    UnknownDriveFile,
)
from connectors.drive_files import FOLDER, DriveEntry
from connectors.google_oauth import json_object
from connectors.models import DriveConnection
from knowledge.documents.file_store import FileTooLarge
from knowledge.readers.formats import DOCX_MEDIA_TYPE
from lexic import egress
from lexic.egress import FetchTooLarge, GetResponse
from lexic.errors import InvalidInput, LexicError
from lexic.middleware.request_limit import free_slot_and_connections

DOWNLOAD_SECONDS = 60.0
MAX_CURSOR_LENGTH = 1500  # of a token that names the next page of a list
_MAX_LISTING_BYTES = 2 * 1024 * 1024
_ENTRY_FIELDS = "id,name,mimeType,size,modifiedTime"
_RATE_REASONS = {"rateLimitExceeded", "userRateLimitExceeded", "sharingRateLimitExceeded"}
_SCOPE_REASONS = {"insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}
_SWITCHED_OFF_REASONS = {"accessNotConfigured", "SERVICE_DISABLED"}
_SIZE_REASONS = {"exportSizeLimitExceeded"}


class InvalidDriveCursor(InvalidInput):
    """Google Drive does not know this cursor."""

    code = "invalid_cursor"
    hint = "Begin without one, and follow `next` from there."


@dataclass(frozen=True, kw_only=True)
class DriveListing:
    """Some files, the last changed first. `next_cursor` is empty where there are no more."""

    entries: tuple[DriveEntry, ...]
    next_cursor: str


class DriveClient:
    """Asks for one person. Every method raises `DriveNotConnected` where Google no longer accepts the connection,
    `DriveBusy`, `DriveFailed`, and `DriveNotSetUp`."""

    def __init__(self, connection: DriveConnection) -> None:
        self._connection = connection

    def list_files(self, *, name: str = "", cursor: str = "", limit: int) -> DriveListing:
        """Files and no folders, in the person's Drive and in those shared with them; with a `name`, those that have a
        word that begins like it. Raises `InvalidDriveCursor`."""
        conditions = ["trashed = false", f"mimeType != '{FOLDER}'"]
        if name:
            conditions.append(f"name contains '{_escape(name)}'")
        parameters = {
            "q": " and ".join(conditions),
            "pageSize": str(limit),
            "orderBy": "modifiedTime desc",
            "fields": f"nextPageToken,files({_ENTRY_FIELDS})",
            "supportsAllDrives": "true",
            "includeItemsFromAllDrives": "true",
        }
        if cursor:
            parameters["pageToken"] = cursor
        said = self._request("files", parameters, max_bytes=_MAX_LISTING_BYTES)
        if said.status == 400 and cursor:
            raise InvalidDriveCursor
        found = _checked_object(said)
        files, token = found.get("files"), found.get("nextPageToken", "")
        if not isinstance(files, list) or not isinstance(token, str):
            raise DriveFailed
        return DriveListing(entries=tuple(DriveEntry.read(one) for one in files), next_cursor=token)

    def entry(self, file_id: str) -> DriveEntry:
        """Raises `UnknownDriveFile`, `DriveForbidden`."""
        parameters = {"fields": _ENTRY_FIELDS, "supportsAllDrives": "true"}
        said = self._request(f"files/{quote(file_id, safe='')}", parameters, max_bytes=_MAX_LISTING_BYTES)
        return DriveEntry.read(_checked_object(said))

    def download(self, entry: DriveEntry) -> bytes:
        """What the file holds; of a Google Doc, the Word file that it is exported as. Raises `UnknownDriveFile`,
        `DriveForbidden`, `FileTooLarge`."""
        path = f"files/{quote(entry.id, safe='')}"
        limit = settings.LEXIC_MAX_DOCUMENT_BYTES
        try:
            if entry.is_google_doc:
                said = self._request(
                    f"{path}/export", {"mimeType": DOCX_MEDIA_TYPE}, max_bytes=limit, timeout=DOWNLOAD_SECONDS
                )
            else:
                parameters = {"alt": "media", "supportsAllDrives": "true"}
                said = self._request(path, parameters, max_bytes=limit, timeout=DOWNLOAD_SECONDS)
        except FetchTooLarge:
            raise FileTooLarge from None
        _check(said)
        return said.body

    def _request(
        self, path: str, parameters: dict[str, str], *, max_bytes: int, timeout: float = google_oauth.TIMEOUT_SECONDS
    ) -> GetResponse:
        """Asks with the token of the moment, and once more with a new one. Raises `FetchTooLarge` as well."""
        url = f"{settings.GOOGLE_DRIVE['drive_url']}/{path}?{urlencode(parameters)}"
        token = self._connection.access_token()
        said = _get(url, token, max_bytes=max_bytes, timeout=timeout) if token else None
        if said is None or said.status == 401:
            said = _get(url, self._new_token(), max_bytes=max_bytes, timeout=timeout)
        if said.status == 401 or (said.status == 403 and _reasons(said) & _SCOPE_REASONS):
            self._connection.lapse()
            raise DriveNotConnected
        return said

    def _new_token(self) -> str:
        refresh_token = self._connection.refresh_token()
        if refresh_token is None:
            raise DriveNotConnected
        try:
            tokens = google_oauth.refresh(refresh_token)
        except DriveNotConnected:
            self._connection.lapse()
            raise
        self._connection.save_access_token(tokens.access, seconds=tokens.seconds)
        return tokens.access


def account_email(access_token: str) -> str:
    """The address of the Google account that this token is for; empty where Google does not say."""
    url = f"{settings.GOOGLE_DRIVE['drive_url']}/about?fields=user(emailAddress)"
    try:
        said = _get(url, access_token, max_bytes=_MAX_LISTING_BYTES, timeout=google_oauth.TIMEOUT_SECONDS)
    except LexicError:
        return ""
    user = json_object(said.body).get("user") if said.status == 200 else None
    email = user.get("emailAddress") if isinstance(user, dict) else None
    return email[:254] if isinstance(email, str) else ""


def _get(url: str, token: str, *, max_bytes: int, timeout: float) -> GetResponse:
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "Lexic"}
    free_slot_and_connections()
    try:
        return egress.get(url, headers=headers, max_bytes=max_bytes, timeout=timeout)
    except FetchTooLarge:
        raise
    except LexicError as error:
        raise DriveFailed("Google Drive could not be reached.") from error


def _checked_object(said: GetResponse) -> dict[str, Any]:
    _check(said)
    return json_object(said.body)


def _check(said: GetResponse) -> None:
    """Raises the error for a status and Google's reason."""
    if said.status == 200:
        return
    reasons = _reasons(said) if said.status == 403 else set()
    if said.status == 429 or reasons & _RATE_REASONS:
        raise DriveBusy(retry_after=said.retry_after)
    if said.status == 404:
        raise UnknownDriveFile
    if reasons & _SIZE_REASONS:
        raise FileTooLarge("Google exports no document that is so large.")
    if reasons & _SWITCHED_OFF_REASONS:
        raise DriveNotSetUp(hint="Ask its operator to switch on the Google Drive API for its client.")
    if said.status == 403:
        raise DriveForbidden
    raise DriveFailed


def _reasons(said: GetResponse) -> set[str]:
    """The words by which Google tells its errors apart."""
    error = json_object(said.body).get("error")
    if not isinstance(error, dict):
        return set()
    rows = [row for key in ("errors", "details") for row in error.get(key) or () if isinstance(row, dict)]
    return {row["reason"] for row in rows if isinstance(row.get("reason"), str)}


def _escape(text: str) -> str:
    """Escapes a text for the quotation marks of a Drive query."""
    return text.replace("\\", "\\\\").replace("'", "\\'")
