"""`Idempotency-Key`: a POST that is sent again is answered with the first response, and not done again.

As in the draft of the IETF (draft-ietf-httpapi-idempotency-key-header): names are the caller's own, for one key and one
day. The same name with another request is 422, and 409 while the first one is being answered. Only what was done is
kept: after an error or a stream the name is free again. Uploads of files are the same document by their content anyway,
so they need no name, and none is looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiKey
from api.models import IdempotentRequest
from lexic.errors import Conflict, InvalidInput, LexicError

HEADER, REPLAYED_HEADER = "Idempotency-Key", "Idempotency-Replayed"
NAME_PATTERN = r"[\x21-\x7e]{1,255}"
_NAME = re.compile(NAME_PATTERN)
# A longer response is not kept, and its name is free again.
_MAX_RESPONSE_BYTES = 1_000_000
_KEPT_HEADERS = ("Content-Type", "ETag", "Location")
_NONCE_BYTES = 12
_RETRY_SECONDS = 2


class InvalidIdempotencyKey(InvalidInput):
    """The header Idempotency-Key holds 1 to 255 visible characters of ASCII."""

    code = "invalid_idempotency_key"
    hint = "Send a new UUID for each thing that is to be done once."


class IdempotencyKeyReused(LexicError):
    """This Idempotency-Key was sent with another request."""

    code = "idempotency_key_reused"
    status = 422
    hint = "Send a new one with each request that is not the same."


class RequestInProgress(Conflict):
    """The first request with this Idempotency-Key is still being answered."""

    code = "request_in_progress"
    hint = "Send it again in a moment, for its response."
    retry_after = _RETRY_SECONDS


class ResponseUnreadable(Conflict):
    """This request was answered before, and its response cannot be read any more."""

    code = "response_unreadable"
    hint = "The site's encryption key was replaced meanwhile. Read what the request has made, and do not send it again."


class _Answered(Exception):
    """The request was answered before, with this response."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """This request is the first one of its name."""

    row: IdempotentRequest
    name: str

    def finish(self, response: HttpResponseBase) -> None:
        """Keeps the response, or frees the name where nothing was done or nothing can be kept."""
        if not isinstance(response, HttpResponse) or response.status_code >= 300 or _is_long(response):
            IdempotentRequest.objects.filter(pk=self.row.pk).delete()
            return
        headers = {name: response[name] for name in _KEPT_HEADERS if response.has_header(name)}
        body = base64.b64encode(response.content).decode()
        sealed = _seal(json.dumps({"headers": headers, "body": body}), self.name)
        IdempotentRequest.objects.filter(pk=self.row.pk).update(status=response.status_code, sealed_response=sealed)


class IdempotentView(APIView):
    """A view whose POST by a key is done once for each `Idempotency-Key`. `keeps_responses` is False where the view
    knows by itself a request that is sent again."""

    keeps_responses = True
    _claim: _Claim | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        name = request.headers.get(HEADER)
        is_upload = (request.content_type or "").startswith("multipart/")
        is_kept = self.keeps_responses and request.method == "POST" and not is_upload
        if name is not None and is_kept and isinstance(request.auth, ApiKey):
            self._claim = self._claim_or_replay(request, name, key=request.auth)

    def check_replay(self, request: Request) -> None:
        """Raises what refuses the first response to this request now: the key may have lost since what it shows."""

    def replayed(self, response: HttpResponse) -> HttpResponse:
        """The first response as this key may see it now."""
        return response

    def _claim_or_replay(self, request: Request, name: str, *, key: ApiKey) -> _Claim:
        try:
            return _claim_request(request, name, key=key)
        except _Answered as answered:
            self.check_replay(request)
            raise _Answered(self.replayed(answered.response)) from None

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]
        return exc.response if isinstance(exc, _Answered) else super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._claim is None:
            return response
        if isinstance(response, Response):
            response.add_post_render_callback(self._claim.finish)
        else:
            self._claim.finish(response)
        return response


def _claim_request(request: Request, name: str, *, key: ApiKey) -> _Claim:
    """Raises `_Answered` where it was answered, `IdempotencyKeyReused`, `RequestInProgress`, `InvalidIdempotencyKey`,
    `ResponseUnreadable`, and what reading the body raises."""
    if not _NAME.fullmatch(name):
        raise InvalidIdempotencyKey
    request_hash = _hash_request(request)
    found = {"api_key": key, "name_hash": hashlib.sha256(name.encode()).hexdigest()}
    IdempotentRequest.objects.filter(**found).expired(now=timezone.now()).delete()
    try:
        with transaction.atomic():
            return _Claim(row=IdempotentRequest.objects.create(**found, request_hash=request_hash), name=name)
    except IntegrityError:
        row = IdempotentRequest.objects.filter(**found).first()
    if row is not None and row.request_hash != request_hash:
        raise IdempotencyKeyReused
    if row is None or row.status is None:
        raise RequestInProgress
    raise _Answered(_kept_response(row, name))


def _hash_request(request: Request) -> str:
    """A hash of the method, the address and the body, whatever the order of the body's names."""
    body = json.dumps(request.data, sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.get_full_path()}\n{body}".encode()).hexdigest()


def _is_long(response: HttpResponse) -> bool:
    return len(response.content) > _MAX_RESPONSE_BYTES


def _kept_response(row: IdempotentRequest, name: str) -> HttpResponse:
    """Raises `ResponseUnreadable`."""
    kept = json.loads(_unseal(bytes(row.sealed_response), name))
    headers = {**kept["headers"], REPLAYED_HEADER: "true"}
    return HttpResponse(base64.b64decode(kept["body"]), status=row.status, headers=headers)


def _seal(text: str, name: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(_derive(settings.ENCRYPTION_KEY, name)).encrypt(nonce, text.encode(), None)


def _unseal(sealed: bytes, name: str) -> str:
    """What was sealed under the present key of the site or an earlier one. Raises `ResponseUnreadable`."""
    for key in (settings.ENCRYPTION_KEY, *settings.ENCRYPTION_KEY_FALLBACKS):
        with suppress(InvalidTag):
            return AESGCM(_derive(key, name)).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None).decode()
    raise ResponseUnreadable


def _derive(site_key: str, name: str) -> bytes:
    """A key of the site's and of the caller's name, which is kept nowhere."""
    return hashlib.sha256(f"{site_key}\x1f{name}".encode()).digest()
