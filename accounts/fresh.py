"""Some things need more than a session that somebody left open: a sign-in of the last few minutes."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponse

from lexic.errors import NotAllowed


class FreshSignInNeeded(NotAllowed):
    """This needs a person who has confirmed their password within the last minutes."""

    code = "fresh_sign_in_needed"
    hint = "Confirm the password at /accounts/reauthenticate/ and send this again with the same session."


def check_fresh(request: HttpRequest) -> None:
    """For doors that cannot send anybody to a page. Raises `FreshSignInNeeded`."""
    try:
        _only_when_fresh(request)
    except ReauthenticationRequired:
        raise FreshSignInNeeded from None


@reauthentication_required
def _only_when_fresh(request: HttpRequest) -> HttpResponse:
    return HttpResponse()
