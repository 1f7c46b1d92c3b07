"""The language that a person chose for the pages: in a cookie, and in their account, if they are signed in."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.signed_in_request import user_or_none
from lexic.conf.languages import COOKIE_NAME, COOKIE_SECONDS, LANGUAGES
from lexic.errors import InvalidInput
from lexic.http.error_handlers import handler400


# Without a token, so that pages which anybody reads need not set a cookie for it. The session's cookie does not come
# with a form of another site, so that such a form changes no account.
@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Remembers the language, and goes back to the page."""
    chosen = request.POST.get("language", "")
    if chosen not in dict(LANGUAGES):
        return handler400(request, InvalidInput(f"“{chosen[:20]}” is not a language of these pages."))
    if (user := user_or_none(request)) is not None:
        user.language = chosen
        user.save(update_fields=["language"])
    response = redirect(_page_to_return_to(request))
    remember_language(response, chosen)
    return response


def remember_language_of(user: User, response: HttpResponse) -> None:
    """What this person chose holds in this browser from now on; nothing, where they never chose."""
    if user.language:
        remember_language(response, user.language)


def remember_language(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        COOKIE_NAME,
        language,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _page_to_return_to(request: HttpRequest) -> str:
    page = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
    return page if is_ours else "/"
