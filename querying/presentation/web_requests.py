"""Requests of web pages that ask a plugin: whether to stream, how an error is sent, and how many questions are left."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext, ngettext

from accounts import rate_limits, visitors
from lexic.errors import LexicError
from lexic.http.error_handlers import with_retry_after
from plugins.models import Plugin
from querying.presentation.question_run import QuestionRun


def wants_event_stream(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("text/event-stream")


def error_response(
    request: HttpRequest, error: LexicError, *, render_page: Callable[[LexicError], HttpResponse]
) -> HttpResponse:
    """What was wrong before the first event: JSON where a stream was asked for, else the page. It says how long to wait
    where there is something to wait for."""
    is_stream = wants_event_stream(request)
    response = JsonResponse(_shown_error(error), status=error.status) if is_stream else render_page(error)
    response.status_code = error.status
    return with_retry_after(response, error)


def _shown_error(error: LexicError) -> dict[str, str]:
    """The error as JSON, in the language of the page, for its script."""
    return {**error.as_dict(), "error": gettext(error.message), "hint": gettext(error.hint)}


def with_status_of(run: QuestionRun, response: HttpResponse) -> HttpResponse:
    """The page that shows the end of this question. Where the answer failed, it has the status of that failure, and
    says how long to wait where there is something to wait for."""
    if run.failure:
        response.status_code = run.failure.status
    return with_retry_after(response, run.failure)


def questions_left_text(request: HttpRequest, plugin: Plugin) -> str:
    """How many questions a visitor of this IP address may still ask today; empty without a limit."""
    left = rate_limits.peek_visitor_allowance(visitors.visitor_id(request), place=str(plugin.pk)).left_today
    if left is None:
        return ""
    if not left:
        return gettext("No questions left today without a key.")
    said = ngettext("One question left today without a key.", "%(count)s questions left today without a key.", left)
    return said % {"count": left}
