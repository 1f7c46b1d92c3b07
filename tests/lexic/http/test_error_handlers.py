from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.core import exceptions as django_errors
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import exceptions as api
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from lexic.concurrency import Overloaded
from lexic.errors import LexicError
from lexic.http import error_handlers
from lexic.infrastructure_errors import ServiceUnavailable, StorageUnavailable
from lexic.middleware.request_id import begin_request, current_request_id, take_id

FIELDS = {"error", "code", "hint"}


def answer(error: Exception) -> HttpResponse:
    """What an API view answers that raises this."""

    class Failing(APIView):
        authentication_classes = ()
        permission_classes = ()

        def get(self, request: Request) -> HttpResponse:
            raise error

    return Failing.as_view()(APIRequestFactory().get("/api/x"))


def content(response: HttpResponse) -> dict[str, Any]:
    return json.loads(response.content)


class Refused(LexicError):
    """No."""

    code = "refused"
    status = 422
    hint = "Ask something else."


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Refused(), 422, "refused"),
        (api.ValidationError({"name": ["Too long."]}), 400, "invalid"),
        (api.ParseError(), 400, "invalid_json"),
        (api.NotAuthenticated(), 401, "not_authenticated"),
        (api.AuthenticationFailed("This key has expired."), 401, "not_authenticated"),
        (api.PermissionDenied(), 403, "not_allowed"),
        (api.NotFound(), 404, "not_found"),
        (api.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (api.NotAcceptable(), 406, "not_acceptable"),
        (api.UnsupportedMediaType("text/csv"), 415, "unsupported_media_type"),
        (api.Throttled(wait=12.3), 429, "rate_limited"),
        (Http404("secret"), 404, "not_found"),
        (django_errors.ObjectDoesNotExist(), 404, "not_found"),
        (django_errors.PermissionDenied(), 403, "not_allowed"),
        (django_errors.ValidationError({"name": ["Too long."]}), 400, "invalid"),
        (django_errors.RequestDataTooBig(), 413, "too_large"),
        (django_errors.SuspiciousOperation("secret"), 400, "invalid"),
        (OperationalError("password=secret"), 503, "unavailable"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_every_error_has_the_one_shape(error: Exception, status: int, code: str) -> None:
    response = answer(error)
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    shown = content(response)
    assert set(shown) == FIELDS
    assert shown["code"] == code
    assert shown["error"].endswith((".", "!", "?"))
    assert "secret" not in response.content.decode()


def test_a_lexic_error_is_shown_as_it_describes_itself() -> None:
    assert content(answer(Refused())) == {"error": "No.", "code": "refused", "hint": "Ask something else."}


def test_an_invalid_field_is_named() -> None:
    class Options(serializers.Serializer):
        maxSources = serializers.IntegerField()

    class Body(serializers.Serializer):
        options = Options()

    body = Body(data={"options": {"maxSources": "many"}})
    body.is_valid()
    response = answer(api.ValidationError(body.errors))
    assert content(response)["error"] == "options.maxSources: A valid integer is required."


def test_an_invalid_row_of_a_list_is_named_by_its_number() -> None:
    old_form = [{}, {"name": ["This field is required."]}]
    new_form = {1: {"name": ["This field is required."]}}
    assert error_handlers.validation_message(old_form) == "1.name: This field is required."
    assert error_handlers.validation_message(new_form) == "1.name: This field is required."


def test_a_complaint_about_the_whole_is_not_prefixed() -> None:
    assert (
        error_handlers.validation_message({"non_field_errors": ["Give one or the other"]}) == "Give one or the other."
    )


@given(
    st.recursive(
        st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_complaint_becomes_one_sentence(detail: Any) -> None:
    assert error_handlers.validation_message(detail).endswith((".", "!", "?"))


def test_401_says_how_to_sign_in_and_429_when_to_come_back() -> None:
    assert answer(api.NotAuthenticated())["WWW-Authenticate"].startswith("Bearer")
    throttled = answer(api.Throttled(wait=12.3))
    assert throttled["Retry-After"] == "13"
    assert content(throttled)["error"] == "Too many requests. Try again in 13 seconds."
    assert answer(OperationalError())["Retry-After"] == "2"


def test_an_unforeseen_error_is_logged_with_the_id_that_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="lexic.http.error_handlers"):
        response = answer(ZeroDivisionError("division by zero"))
    number = content(response)["hint"].rpartition(" ")[2]
    assert len(number) == 8
    assert number in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivision" not in response.content.decode()


@pytest.mark.parametrize("path", ["/api/nothing", "/v1/nothing", "/mcp/nothing"])
def test_outside_of_views_api_paths_get_json(path: str) -> None:
    request = RequestFactory().get(path)
    for status, response in {
        400: error_handlers.handler400(request, django_errors.SuspiciousOperation("secret")),
        403: error_handlers.handler403(request, django_errors.PermissionDenied()),
        404: error_handlers.handler404(request, Http404()),
        500: error_handlers.handler500(request),
    }.items():
        assert response.status_code == status
        shown = content(response)
        # Below /v1/ an error looks as OpenAI's clients know it.
        assert set(shown["error"] if path.startswith("/v1/") else shown) >= FIELDS - {"error"}
        assert path.startswith("/v1/") or set(shown) == FIELDS


def test_outside_of_views_pages_get_html() -> None:
    request = RequestFactory().get("/plugins/nothing")
    for response in (error_handlers.handler404(request, Http404()), error_handlers.handler500(request)):
        assert response["Content-Type"].startswith("text/html")


def broken_page(request: HttpRequest, error: Exception) -> HttpResponse:
    """What is answered where the view has raised this."""
    try:
        raise error
    except type(error):
        return error_handlers.handler500(request)


def test_a_page_that_was_read_can_be_tried_again() -> None:
    page = broken_page(RequestFactory().get("/marketplace?q=cover"), ZeroDivisionError()).content.decode()
    assert '<a class="btn btn-main" href="/marketplace?q=cover">Try again</a>' in page
    assert "back button" not in page


def test_what_was_sent_is_not_sent_again_by_a_link() -> None:
    page = broken_page(RequestFactory().post("/accounts/signup/"), OperationalError()).content.decode()
    assert "Try again</a>" not in page
    assert "Your browser’s back button leads to what you typed." in page


@pytest.mark.parametrize(("path", "is_framed"), [("/chat/cover", True), ("/marketplace/cover", False)])
def test_only_where_a_chat_would_be_the_error_stands_in_the_frames_of_other_sites(path: str, is_framed: bool) -> None:
    response = broken_page(RequestFactory().get(path), OperationalError())
    assert hasattr(response, "xframe_options_exempt") == hasattr(response, "_csp_replace") == is_framed
    assert ("chat_frame" in response.content.decode()) == is_framed


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_the_script_of_a_page_gets_what_it_can_read_in_the_language_of_the_page(accept: str) -> None:
    request = RequestFactory().post("/chat/cover/ask", headers={"Accept": accept})
    with translation.override("de"):
        response = broken_page(request, OperationalError())
    assert (response.status_code, response["Retry-After"], set(content(response))) == (503, "2", FIELDS)
    assert content(response)["error"] == "Die Datenbank ist im Moment nicht erreichbar."


def test_the_script_of_a_page_gets_the_number_of_what_nobody_foresaw() -> None:
    take_id("order-77")
    try:
        request = RequestFactory().post("/chat/cover/ask", headers={"Accept": "text/event-stream"})
        response = broken_page(request, ZeroDivisionError("secret"))
    finally:
        take_id("")
    assert (response.status_code, content(response)["code"]) == (500, "internal")
    assert content(response)["hint"].endswith("order-77")
    assert "secret" not in response.content.decode()


def test_the_number_on_a_page_begins_the_id_of_its_request(caplog: pytest.LogCaptureFixture) -> None:
    begin_request("")
    try:
        page = broken_page(RequestFactory().get("/"), ZeroDivisionError("of a page")).content.decode()
        assert f"error {current_request_id()[:8]}<" in page
    finally:
        take_id("")
    assert "ZeroDivisionError: of a page" in caplog.text
    assert "of a page" not in page


def test_a_number_that_the_caller_chose_stays_as_it_is() -> None:
    take_id("order-77")
    try:
        assert "error order-77<" in broken_page(RequestFactory().get("/"), ZeroDivisionError()).content.decode()
    finally:
        take_id("")


def test_a_database_that_is_away_is_not_our_bug(caplog: pytest.LogCaptureFixture) -> None:
    response = broken_page(RequestFactory().get("/api/x"), OperationalError("password=secret"))
    assert response.status_code == 503
    assert content(response)["code"] == "unavailable"
    assert response["Retry-After"] == "2"


class Waiting(LexicError):
    """Wait."""

    status = 429
    retry_after = 6.2


@pytest.mark.parametrize(
    ("error", "seconds"), [(Waiting(), "7"), (Overloaded(seconds=40), "40"), (StorageUnavailable(), "10")]
)
def test_outside_of_views_an_error_says_how_long_to_wait(error: LexicError, seconds: str) -> None:
    assert error_handlers.error_response(error)["Retry-After"] == seconds
    assert error_handlers.outage_response(RequestFactory().get("/"), error)["Retry-After"] == seconds
    assert answer(error)["Retry-After"] == seconds


def test_a_page_says_how_long_to_wait_where_its_error_does() -> None:
    assert error_handlers.with_retry_after(HttpResponse(), Waiting())["Retry-After"] == "7"
    assert error_handlers.with_retry_after(HttpResponse(), ServiceUnavailable())["Retry-After"] == "2"
    assert "Retry-After" not in error_handlers.with_retry_after(HttpResponse(), Refused())
    assert "Retry-After" not in error_handlers.with_retry_after(HttpResponse(), None)
