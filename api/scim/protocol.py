"""The base of all SCIM views: authentication, the bodies of requests, and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from pydantic import ValidationError
from scim2_models import (
    Error,
    InvalidSyntaxException,
    InvalidValueException,
    NotFoundException,
    SCIMException,
    UnauthorizedException,
    UniquenessException,
)

from accounts.rate_limits import MINUTE, count_or_wait
from api.scim.resources import POLICY
from lexic.errors import Conflict, InvalidInput, LexicError, NotFound
from lexic.http.strict_json import InvalidJson, read_json
from organisations.models import DirectoryToken, Organisation

CONTENT_TYPE = "application/scim+json"
MAX_PER_MINUTE = 1200
MAX_BODY_BYTES = 1024 * 1024
View = Callable[..., HttpResponse]


class ScimRequest(HttpRequest):
    """A request of a directory: its token has been looked at."""

    scim_organisation: Organisation


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def not_found(request: HttpRequest, **captured: Any) -> HttpResponse:
    """404 for every address that SCIM does not have."""
    raise NotFoundException(detail="There is nothing at this address.")


def scim_view(**by_method: View) -> View:
    """The view of one address: what answers each method, for who comes with the token of an organisation."""

    @csrf_exempt
    @never_cache
    def answer(request: HttpRequest, **captured: Any) -> HttpResponse:
        view = by_method.get(str(request.method))
        try:
            _authenticate(request)
            if view is None:
                refused = error_response(SCIMException(detail="This address does not take this method."), status=405)
                refused["Allow"] = ", ".join(by_method)
                return refused
            with POLICY:
                return view(request, **captured) if request.method == "GET" else _run_locked(view, request, captured)
        except SCIMException as error:
            return error_response(error)
        except ValidationError as error:
            return json_response(Error.from_validation_errors(error)[0].model_dump(), status=400)
        except LexicError as error:
            return error_response(as_scim(error), status=error.status)

    return answer


def read_body(request: HttpRequest) -> Any:
    """The JSON of the request. Raises `InvalidSyntaxException`, `InvalidJson`, `UnstorableText`."""
    if int(request.headers.get("Content-Length") or 0) > MAX_BODY_BYTES:
        raise InvalidSyntaxException(detail="The request is larger than one megabyte.")
    return read_json(request.body)


def json_response(content: Any, *, status: int = 200) -> HttpResponse:
    body = json.dumps(content, ensure_ascii=False, default=str)
    return HttpResponse(body, status=status, content_type=CONTENT_TYPE)


def error_response(error: SCIMException, *, status: int = 0) -> HttpResponse:
    said = error.to_error()
    said.status = status or error.status
    response = json_response(said.model_dump(), status=status or error.status)
    if response.status_code == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def as_scim(error: LexicError) -> SCIMException:
    """The error in the words of SCIM."""
    said = error.message_with_hint
    if isinstance(error, NotFound):
        return NotFoundException(detail=said)
    if isinstance(error, Conflict):
        return UniquenessException(detail=said)
    if isinstance(error, InvalidJson):
        return InvalidSyntaxException(detail=said)
    return InvalidValueException(detail=said) if isinstance(error, InvalidInput) else SCIMException(detail=said)


def _run_locked(view: View, request: HttpRequest, captured: dict[str, Any]) -> HttpResponse:
    """One change of an organisation at a time: what a patch is applied to is what is there then."""
    with transaction.atomic():
        request.scim_organisation.lock()  # type: ignore[attr-defined]
        return view(request, **captured)


def _authenticate(request: HttpRequest) -> None:
    """Raises `UnauthorizedException`, and `SCIMException` with 429."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    organisation = DirectoryToken.objects.organisation_of(token.strip()) if scheme.lower() == "bearer" else None
    if organisation is None:
        raise UnauthorizedException(detail="The token is not one of an organisation, or works no longer.")
    request.scim_organisation = organisation  # type: ignore[attr-defined]
    if count_or_wait(f"scim:{organisation.pk}", {MINUTE: MAX_PER_MINUTE}) is not None:
        raise TooManyRequests


class TooManyRequests(SCIMException):
    """Too many requests within a minute."""

    status = 429
    _default_detail = "Too many requests in one minute. Try again in the next."
