"""Every error of the API as `{"error", "code", "hint"}` with the right status. Never a stack trace.

`as_json` is for what happens inside an API view; the handlers at the end are for what happens before one is
reached (`handler400` and so on in `lexic.urls`). Pages for people get HTML.
"""

from __future__ import annotations

import logging
import math
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from django.core import exceptions as django_errors
from django.db import InterfaceError, OperationalError, connections
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.views import defaults
from rest_framework import exceptions as api

from lexic import openai_errors
from lexic.errors import InvalidInput, LexicError, NotAllowed, NotFound

logger = logging.getLogger(__name__)

API_PATHS = ("/api/", "/v1/", "/mcp", "/healthz", "/readyz")
_LONGEST_REASON = 300


class SignInNeeded(LexicError):
    """This needs a valid API key."""

    code = "not_authenticated"
    status = 401
    hint = "Send a key in the header: Authorization: Bearer lx_..."


class TooLarge(LexicError):
    """The request is too large."""

    code = "too_large"
    status = 413
    hint = "Send less at once."


class TooMany(LexicError):
    """Too many requests."""

    code = "rate_limited"
    status = 429
    hint = "Wait as long as the header Retry-After says."


class Unavailable(LexicError):
    """The database cannot be reached at the moment."""

    code = "unavailable"
    status = 503
    hint = "Try again in a moment."


class Internal(LexicError):
    """Something went wrong on our side."""

    code = "internal"
    status = 500


class Unfit(LexicError):
    """The request cannot be answered in this form."""

    code = "invalid"
    status = 400


def as_json(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The exception handler of every API view (`EXCEPTION_HANDLER`).

    Not a `Response` of the framework: that would be rendered as whatever the caller accepts, an event stream say.
    """
    _roll_back()
    error = as_lexic_error(exc)
    if error.status >= 500:
        _log(exc, error)
    return JsonResponse(shown(error, path=_path(context)), status=error.status, headers=_headers(exc, error))


def shown(error: LexicError, *, path: str) -> dict[str, Any]:
    """The error as the clients of this address read it."""
    return openai_errors.envelope(error) if path.startswith(openai_errors.PATHS) else error.as_dict()


def _path(context: Mapping[str, Any]) -> str:
    request = context.get("request")
    return request.path if request is not None else ""


def as_lexic_error(exc: BaseException) -> LexicError:
    """What happened, in our words. An exception that nobody foresaw becomes `internal` with an id for the log."""
    if isinstance(exc, LexicError):
        return exc
    if isinstance(exc, api.APIException):
        return _from_api(exc)
    for kinds, make in _FROM_DJANGO:
        if isinstance(exc, kinds):
            return make(exc)
    number = secrets.token_hex(4)
    return Internal(hint=f"If it happens again, report it with this id: {number}")


def _from_api(exc: api.APIException) -> LexicError:
    if isinstance(exc, api.ValidationError):
        return InvalidInput(sentence(exc.detail), param=_complaint(exc.detail)[0])
    if isinstance(exc, (api.NotAuthenticated, api.AuthenticationFailed)):
        return SignInNeeded(sentence(exc.detail) if isinstance(exc, api.AuthenticationFailed) else None)
    if isinstance(exc, api.Throttled):
        return TooMany(_throttled(exc))
    if isinstance(exc, api.PermissionDenied):
        return NotAllowed(sentence(exc.detail))
    if isinstance(exc, api.NotFound):
        return NotFound()
    error = Unfit(sentence(exc.detail), code=_CODES.get(type(exc), "error"))
    error.status = exc.status_code
    return error


_CODES: dict[type[api.APIException], str] = {
    api.ParseError: "invalid_json",
    api.MethodNotAllowed: "method_not_allowed",
    api.UnsupportedMediaType: "unsupported_media_type",
    api.NotAcceptable: "not_acceptable",
}

_FROM_DJANGO: tuple[tuple[tuple[type[BaseException], ...], Any], ...] = (
    ((Http404, django_errors.ObjectDoesNotExist), lambda exc: NotFound()),
    ((django_errors.RequestDataTooBig, django_errors.TooManyFilesSent), lambda exc: TooLarge()),
    ((django_errors.PermissionDenied,), lambda exc: NotAllowed()),
    ((django_errors.ValidationError,), lambda exc: InvalidInput(sentence(_django_detail(exc)))),
    ((django_errors.SuspiciousOperation, django_errors.BadRequest), lambda exc: InvalidInput()),
    ((OperationalError, InterfaceError), lambda exc: Unavailable()),
)


def sentence(detail: Any) -> str:
    """The first complaint as one sentence that names the field, `options.maxSources: This is too much.`"""
    path, reason = _complaint(detail)
    text = f"{path}: {reason}" if path else reason
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _complaint(detail: Any) -> tuple[str, str]:
    """The field of the first complaint (`options.maxSources`; empty when it is about none), and the reason."""
    path: list[str] = []
    while isinstance(detail, (Mapping, list, tuple)) and detail:
        key, detail = next(iter(detail.items())) if isinstance(detail, Mapping) else _first_of(detail)
        if key not in ("", "non_field_errors", "__all__", "detail"):
            path.append(str(key))
    return ".".join(path), str(detail)[:_LONGEST_REASON].strip() or "This is not valid."


def _first_of(complaints: list[Any] | tuple[Any, ...]) -> tuple[str, Any]:
    """The first complaint of a list; where one stands for a row (rows that are fine are empty), with its number."""
    for number, complaint in enumerate(complaints):
        if complaint:
            return (str(number) if isinstance(complaint, Mapping) else ""), complaint
    return "", complaints[0] if complaints and not isinstance(complaints[0], Mapping) else ""


def _django_detail(exc: django_errors.ValidationError) -> Any:
    return exc.message_dict if hasattr(exc, "error_dict") else exc.messages


def _throttled(exc: api.Throttled) -> str | None:
    wait = getattr(exc, "wait", None)
    return None if wait is None else f"Too many requests. Try again in {math.ceil(wait)} seconds."


def _headers(exc: BaseException | None, error: LexicError) -> dict[str, str]:
    headers: dict[str, str] = {}
    if error.status == 401:
        headers["WWW-Authenticate"] = getattr(exc, "auth_header", None) or "Bearer"
    wait = getattr(exc, "wait", None) or getattr(exc, "retry_after", None)
    if wait is None and isinstance(error, Unavailable):
        wait = 2
    if wait is not None:
        headers["Retry-After"] = str(math.ceil(wait))
    return headers


def _log(exc: BaseException, error: LexicError) -> None:
    logger.error("%s: %s", error.code, error.hint, exc_info=exc if isinstance(error, Internal) else None)


def _roll_back() -> None:
    """What the view wrote before it failed must not be committed with a request-wide transaction."""
    for connection in connections.all(initialized_only=True):
        if connection.settings_dict["ATOMIC_REQUESTS"] and connection.in_atomic_block:
            connection.set_rollback(True)


# --- Errors outside of API views -------------------------------------------------------------------------


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PATHS)


def json_error(error: LexicError, *, path: str) -> JsonResponse:
    return JsonResponse(shown(error, path=path), status=error.status, headers=_headers(None, error))


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return json_error(as_lexic_error(exception), path=request.path)
    return defaults.bad_request(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return json_error(NotAllowed(), path=request.path)
    return defaults.permission_denied(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return json_error(NotFound(hint="Check the address; /api/schema lists them all."), path=request.path)
    return defaults.page_not_found(request, exception)


def handler429(
    request: HttpRequest, exception: Exception | None = None, *, wait: float | None = None
) -> HttpResponse:
    """For those whose limit is spent. `wait`: the seconds until there is room again, where they are known."""
    error = exception if isinstance(exception, LexicError) else TooMany()
    seconds = None if wait is None else max(1, math.ceil(wait))
    if is_api(request):
        response: HttpResponse = json_error(error, path=request.path)
    else:
        response = render(request, "429.html", {"error": error, "seconds": seconds}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response


def handler500(request: HttpRequest) -> HttpResponse:
    """Called while the exception is being handled; Django has logged it with its traceback."""
    if not is_api(request):
        return _broken_page(request)
    exc = sys.exc_info()[1] or Internal()
    error = as_lexic_error(exc)
    _log(exc, error)
    return json_error(error if error.status >= 500 else Internal(), path=request.path)


def _broken_page(request: HttpRequest) -> HttpResponse:
    """Drawn without the request, whose session or person may be what broke. Its number stands in the log as well."""
    number = secrets.token_hex(4)
    logger.error("internal: error %s at %s", number, request.path)
    return HttpResponse(loader.render_to_string("500.html", {"number": number}), status=500)
