"""Google's side of OAuth: the address that asks a person for consent, and tokens made, renewed and revoked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from connectors.drive_errors import AuthorizationRefused, DriveBusy, DriveFailed, DriveNotConnected, DriveNotSetUp
from lexic import egress
from lexic.errors import InvalidInput, LexicError
from lexic.http.strict_json import read_json
from lexic.middleware.request_limit import free_slot_and_connections

# The least that both lists a person's files and reads them. `drive.file` knows only files that are picked in a script
# of Google's own, which the pages may not load; `drive.metadata.readonly` lists them and opens none.
SCOPE = "https://www.googleapis.com/auth/drive.readonly"
TIMEOUT_SECONDS = 15.0
_MAX_ANSWER_BYTES = 64 * 1024
_DEFAULT_TOKEN_SECONDS, _MAX_TOKEN_SECONDS = 300, 24 * 3600
_MAX_TOKEN_LENGTH = 4096


@dataclass(frozen=True, kw_only=True)
class GoogleTokens:
    """`access` is good for so many `seconds`; `refresh` is empty where Google gave none."""

    access: str
    seconds: int
    refresh: str = ""


def is_set_up() -> bool:
    """Whether the operator has registered this site with Google."""
    return bool(settings.GOOGLE_DRIVE["client_id"] and settings.GOOGLE_DRIVE["secret"])


def require_set_up() -> None:
    """Raises `DriveNotSetUp`."""
    if not is_set_up():
        raise DriveNotSetUp


def consent_url(*, state: str, challenge: str) -> str:
    """The address at Google that asks a person to let this site read their files. `challenge` is the S256 one of
    PKCE."""
    parameters = {
        "client_id": settings.GOOGLE_DRIVE["client_id"],
        "redirect_uri": _redirect_uri(),
        "response_type": "code",
        "scope": SCOPE,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "access_type": "offline",  # with a refresh token, which only comes with
        "prompt": "consent",
    }
    return f"{settings.GOOGLE_DRIVE['authorize_url']}?{urlencode(parameters)}"


def exchange_code(code: str, *, verifier: str) -> GoogleTokens:
    """The tokens for a code that Google sent back. Raises `AuthorizationRefused` where the code is not accepted or the
    person did not let the files be read, `DriveFailed`, `DriveBusy`, `DriveNotSetUp`."""
    status, said = _post_token(
        {"grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": _redirect_uri()}
    )
    if status in (400, 401):
        raise AuthorizationRefused
    tokens = _tokens(status, said)
    if SCOPE not in str(said.get("scope", "")).split() or not tokens.refresh:
        revoke(tokens.refresh or tokens.access)
        raise AuthorizationRefused
    return tokens


def refresh(refresh_token: str) -> GoogleTokens:
    """A new access token. Raises `DriveNotConnected` where the consent has ended, `DriveFailed`, `DriveBusy`,
    `DriveNotSetUp`."""
    status, said = _post_token({"grant_type": "refresh_token", "refresh_token": refresh_token})
    if status in (400, 401) and said.get("error") in ("invalid_grant", "unauthorized_client", "invalid_scope"):
        raise DriveNotConnected
    return _tokens(status, said)


def revoke(token: str) -> bool:
    """Tells Google that the token is not needed any more. False where that has to be tried again."""
    try:
        status, _ = _post(settings.GOOGLE_DRIVE["revoke_url"], {"token": token})
    except LexicError:
        return False
    return status in (200, 400)  # 400: it is none any more


def _redirect_uri() -> str:
    return f"{settings.PUBLIC_URL}{reverse('api_drive_callback')}"


def _post_token(fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """The status and what was said. Raises `DriveNotSetUp`, `DriveFailed`, `DriveBusy`."""
    require_set_up()
    google = settings.GOOGLE_DRIVE
    client = {"client_id": google["client_id"], "client_secret": google["secret"]}
    status, said = _post(google["token_url"], {**client, **fields})
    if said.get("error") == "invalid_client":
        raise DriveNotSetUp("Google does not know this site.")
    return status, said


def _post(url: str, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """The status and what was said, empty where that is no object of JSON. Raises `DriveFailed`, `DriveBusy`."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    body = urlencode(fields).encode()
    free_slot_and_connections()
    try:
        posted = egress.post(url, body=body, headers=headers, max_bytes=_MAX_ANSWER_BYTES, timeout=TIMEOUT_SECONDS)
    except LexicError as error:
        raise DriveFailed("Google could not be reached.") from error
    if posted.status == 429:
        raise DriveBusy(retry_after=posted.retry_after)
    return posted.status, json_object(posted.excerpt)


def json_object(body: bytes) -> dict[str, Any]:
    """The object of JSON that this is; empty for anything else."""
    try:
        said = read_json(body)
    except InvalidInput:
        return {}
    return said if isinstance(said, dict) else {}


def _tokens(status: int, said: dict[str, Any]) -> GoogleTokens:
    access, refresh_token, seconds = said.get("access_token"), said.get("refresh_token", ""), said.get("expires_in")
    if status != 200 or not _is_token(access) or not (refresh_token == "" or _is_token(refresh_token)):
        raise DriveFailed
    good_for = seconds if isinstance(seconds, int) and 0 < seconds <= _MAX_TOKEN_SECONDS else _DEFAULT_TOKEN_SECONDS
    return GoogleTokens(access=str(access), refresh=str(refresh_token), seconds=good_for)


def _is_token(value: Any) -> bool:
    """Whether it can stand in a header."""
    is_text = isinstance(value, str) and 0 < len(value) <= _MAX_TOKEN_LENGTH
    return is_text and value.isascii() and value.isprintable() and " " not in value
