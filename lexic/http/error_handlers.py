"""Every error of the API as `{"error", "code", "hint"}` with the right status. Never a stack trace.

`as_json` is for what happens inside an API view; the handlers at the end are for what happens before one is
reached (`handler400` and so on in `lexic.urls`). Pages for people get HTML.
"""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Mapping
from typing import Any

from django.core import exceptions as django_errors
from django.db import connections
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.utils import translation
from django.utils.translation import gettext
from django.views import defaults
from rest_framework import exceptions as api

from lexic.errors import InvalidInput, LexicError, NotAllowed, NotFound, try_again_in
from lexic.http import openai_errors
from lexic.infrastructure_errors import outage_error
from lexic.middleware.request_id import number_to_report
from lexic.middleware.trailing_slash import address_without_trailing_slash
from lexic.phrases import Phrase

logger = logging.getLogger(__name__)

API_PATHS = ("/api/", "/v1/", "/scim/", "/mcp", "/a2a/", "/healthz", "/readyz")
# Addresses that are shown in frames of other sites.
_FRAMED_PATHS = ("/chat/",)
_MAX_REASON_LENGTH = 300
# What a client waits before it asks a server again that does not know how long it will be away.
_RETRY_SECONDS = 2
_ALLAUTH_RATE_SECONDS = 60


class NotAuthenticated(LexicError):
    """This needs a valid API key."""

    code = "not_authenticated"
    status = 401
    hint = "Send a key in the header: Authorization: Bearer lx_..."


class PayloadTooLarge(LexicError):
    """The request is too large."""

    code = "too_large"
    status = 413
    hint = "Send less at once."


class TooManyRequests(LexicError):
    """Too many requests."""

    code = "rate_limited"
    status = 429
    hint = "Wait as long as the header Retry-After says."


class InternalError(LexicError):
    """Something went wrong on our side."""

    code = "internal"
    status = 500


class BadRequest(LexicError):
    """The request cannot be answered in this form."""

    code = "invalid"
    status = 400
    hint = InvalidInput.hint


def handle_api_exception(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The exception handler of every API view (`EXCEPTION_HANDLER`).

    Not a `Response` of the framework: that would be rendered as whatever the caller accepts, an event stream say.
    """
    _mark_for_rollback()
    error = to_lexic_error(exc)
    if error.status >= 500:
        _log_error(exc, error)
    request = context.get("request")
    body = error_body(error, path=request.path if request is not None else "")
    return JsonResponse(body, status=error.status, headers=_error_headers(error, cause=exc))


def error_body(error: LexicError, *, path: str) -> dict[str, Any]:
    """The error as the clients of this address read it."""
    return openai_errors.error_envelope(error) if path.startswith(openai_errors.OPENAI_PATH_PREFIX) else error.as_dict()


def to_lexic_error(exc: BaseException) -> LexicError:
    """The exception as a `LexicError`. An unexpected exception becomes `internal`, with the number by which the log
    is searched."""
    if isinstance(exc, LexicError):
        return exc
    if isinstance(exc, api.APIException):
        return _from_drf_error(exc)
    if outage := outage_error(exc):
        return outage
    for kinds, make in _DJANGO_ERROR_MAPPING:
        if isinstance(exc, kinds):
            return make(exc)
    hint = gettext("If it happens again, report it with this id: %(number)s")
    return InternalError(hint=hint % {"number": number_to_report()})


def _from_drf_error(exc: api.APIException) -> LexicError:
    if isinstance(exc, api.ValidationError):
        return InvalidInput(validation_message(exc.detail), param=_first_validation_error(exc.detail)[0])
    if isinstance(exc, (api.NotAuthenticated, api.AuthenticationFailed)):
        return NotAuthenticated(validation_message(exc.detail) if isinstance(exc, api.AuthenticationFailed) else None)
    if isinstance(exc, api.Throttled):
        wait = getattr(exc, "wait", None)
        sentence = None if wait is None else f"Too many requests. {try_again_in(math.ceil(wait))}"
        return TooManyRequests(sentence)
    if isinstance(exc, api.PermissionDenied):
        return NotAllowed(validation_message(exc.detail))
    if isinstance(exc, api.NotFound):
        return NotFound()
    code, hint = _DRF_ERRORS.get(type(exc), ("error", BadRequest.hint))
    error = BadRequest(validation_message(exc.detail), code=code, hint=hint)
    error.status = exc.status_code
    return error


# The code, and what to do.
_DRF_ERRORS: dict[type[api.APIException], tuple[str, str]] = {
    api.ParseError: ("invalid_json", "Send JSON in UTF-8."),
    api.MethodNotAllowed: ("method_not_allowed", "The header Allow names the methods that this address takes."),
    api.UnsupportedMediaType: (
        "unsupported_media_type",
        "Send JSON with the header Content-Type: application/json, and files as multipart/form-data.",
    ),
    api.NotAcceptable: ("not_acceptable", "Send the header Accept: application/json, or leave it out."),
}

_DJANGO_ERROR_MAPPING: tuple[tuple[tuple[type[BaseException], ...], Any], ...] = (
    ((Http404, django_errors.ObjectDoesNotExist), lambda exc: NotFound()),
    ((django_errors.RequestDataTooBig, django_errors.TooManyFilesSent), lambda exc: PayloadTooLarge()),
    ((django_errors.PermissionDenied,), lambda exc: NotAllowed()),
    ((django_errors.ValidationError,), lambda exc: InvalidInput(validation_message(_django_error_detail(exc)))),
    ((django_errors.SuspiciousOperation, django_errors.BadRequest), lambda exc: InvalidInput()),
)


def validation_message(detail: Any) -> str:
    """The first complaint as one sentence that names the field, `options.maxSources: This is too much.`"""
    path, reason = _first_validation_error(detail)
    text = f"{path}: {reason}" if path else reason
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _first_validation_error(detail: Any) -> tuple[str, str]:
    """The field of the first complaint (`options.maxSources`; empty when it is about none), and the reason."""
    path: list[str] = []
    while isinstance(detail, (Mapping, list, tuple)) and detail:
        key, detail = next(iter(detail.items())) if isinstance(detail, Mapping) else _first_list_error(detail)
        if key not in ("", "non_field_errors", "__all__", "detail"):
            path.append(str(key))
    return ".".join(path), str(detail)[:_MAX_REASON_LENGTH].strip() or "This is not valid."


def _first_list_error(complaints: list[Any] | tuple[Any, ...]) -> tuple[str, Any]:
    """The first error of a list; if it is the error of a row (valid rows are empty), with the number of the row."""
    for number, complaint in enumerate(complaints):
        if complaint:
            return (str(number) if isinstance(complaint, Mapping) else ""), complaint
    return "", complaints[0] if complaints and not isinstance(complaints[0], Mapping) else ""


def _django_error_detail(exc: django_errors.ValidationError) -> Any:
    return exc.message_dict if hasattr(exc, "error_dict") else exc.messages


def _error_headers(error: LexicError, *, cause: BaseException | None = None) -> dict[str, str]:
    headers = retry_headers(error) | retry_headers(cause)
    if challenge := getattr(cause, "auth_header", None) or ("Bearer" if error.status == 401 else None):
        headers["WWW-Authenticate"] = challenge
    return headers


def retry_headers(error: object) -> dict[str, str]:
    """`Retry-After`, for an error (or the event that a question ended with) that says how long to wait, and for every
    502 and 503; else nothing."""
    wait = getattr(error, "wait", None) or getattr(error, "retry_after", None)
    if wait is None and getattr(error, "status", None) in (502, 503):
        wait = _RETRY_SECONDS
    return {} if wait is None else {"Retry-After": str(math.ceil(wait))}


def with_retry_after(response: HttpResponse, error: object) -> HttpResponse:
    for name, value in retry_headers(error).items():
        response[name] = value
    return response


def _log_error(exc: BaseException, error: LexicError) -> None:
    said = f"{error.hint} ({exc})" if exc is not error else error.hint
    logger.error("%s: %s", error.code, said, exc_info=exc if isinstance(error, InternalError) else None)


def _mark_for_rollback() -> None:
    """What the view wrote before it failed must not be committed with a request-wide transaction."""
    for connection in connections.all(initialized_only=True):
        if connection.settings_dict["ATOMIC_REQUESTS"] and connection.in_atomic_block:
            connection.set_rollback(True)


# --- Errors outside of API views -------------------------------------------------------------------------


def is_api_request(request: HttpRequest) -> bool:
    return request.path.startswith(API_PATHS)


def wants_page(*, path: str, accept: str) -> bool:
    """Whether whoever asked reads pages: a browser at an address that is not one of the API's. Scripts of pages ask for
    JSON, or for anything."""
    return not path.startswith(API_PATHS) and "text/html" in accept.lower()


def render_refusal(error: LexicError, *, language: str) -> str:
    """A page about a request that was refused before anybody read it: nobody is known here."""
    with translation.override(language):
        hint = error.hint.said() if isinstance(error.hint, Phrase) else translation.gettext(error.hint)
        return loader.render_to_string("refused_request.html", {"error": error, "hint": hint})


def error_response(error: LexicError, *, path: str = "") -> JsonResponse:
    """The error as the clients of this address read it, with its status and headers."""
    return JsonResponse(error_body(error, path=path), status=error.status, headers=_error_headers(error))


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        return error_response(to_lexic_error(exception), path=request.path)
    return defaults.bad_request(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        return error_response(NotAllowed(), path=request.path)
    return defaults.permission_denied(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        meant = address_without_trailing_slash(request)
        hint = (
            f"Use {meant}, without the trailing slash." if meant else "Check the address; /api/schema lists them all."
        )
        return error_response(NotFound(hint=hint), path=request.path)
    return defaults.page_not_found(request, exception)


def handler429(request: HttpRequest, exception: Exception | None = None, *, wait: float | None = None) -> HttpResponse:
    """The response to a caller whose limit is used up. `wait`: the seconds until there is room again, where known.

    allauth calls this without an error. Its limits are for a minute, so one is enough.
    """
    if exception is None and wait is None:
        wait = _ALLAUTH_RATE_SECONDS
    error = exception if isinstance(exception, LexicError) else TooManyRequests()
    seconds = None if wait is None else max(1, math.ceil(wait))
    if is_api_request(request):
        response: HttpResponse = error_response(error, path=request.path)
    else:
        response = render(request, "429.html", {"error": error, "seconds": seconds}, status=429)
    if seconds is not None:
        response["Retry-After"] = str(seconds)
    return response


def handler500(request: HttpRequest) -> HttpResponse:
    """Called while the exception is being handled; Django has logged it with its traceback."""
    exc = sys.exc_info()[1] or InternalError()
    if not is_api_request(request):
        return _server_error_page(request, outage_error(exc), cause=exc)
    error = to_lexic_error(exc)
    _log_error(exc, error)
    return error_response(error if error.status >= 500 else InternalError(), path=request.path)


def outage_response(request: HttpRequest, error: LexicError) -> HttpResponse:
    """The response during an outage: a page, or the error as the clients of the address read it."""
    if is_api_request(request):
        return error_response(error, path=request.path)
    return _server_error_page(request, error, cause=error)


def _server_error_page(request: HttpRequest, outage: LexicError | None, *, cause: BaseException) -> HttpResponse:
    """Drawn without the request, whose session or person may be what broke. Its number stands in the log as well.

    To the script of a page that sent the request, which cannot read a page, the same as JSON.
    """
    number = number_to_report()
    code = outage.code if outage else "internal"
    logger.error("%s: error %s at %s: %s: %s", code, number, request.path, type(cause).__name__, cause)
    if _is_sent_by_script(request):
        return _localised_error(outage or to_lexic_error(cause))
    status = outage.status if outage else 500
    is_read, is_framed = request.method in ("GET", "HEAD"), request.path.startswith(_FRAMED_PATHS)
    shown = {"number": number, "outage": outage, "status": status, "is_framed": is_framed, "is_read": is_read}
    content = loader.render_to_string("500.html", {**shown, "address": request.get_full_path()})
    response = HttpResponse(content, status=status, headers=_error_headers(outage) if outage else None)
    return _allow_any_frame(response) if is_framed else response


def _is_sent_by_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").lower().startswith(("application/json", "text/event-stream"))


def _localised_error(error: LexicError) -> JsonResponse:
    """In the language of the page."""
    error = error if error.status >= 500 else InternalError()
    shown = {"error": gettext(error.message), "code": error.code, "hint": gettext(error.hint) if error.hint else ""}
    return JsonResponse(shown, status=error.status, headers=_error_headers(error))


def _allow_any_frame(response: HttpResponse) -> HttpResponse:
    """For the page of an error where a chat would be, on another site: which sites may show it cannot be looked up now,
    and there is nothing to press that changes anything."""
    response._csp_replace = {"frame-ancestors": ["*"]}  # type: ignore[attr-defined]
    response.xframe_options_exempt = True
    return response
