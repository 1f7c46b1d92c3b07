"""The page that a mailed invitation opens, whatever it invites to. Whoever is not signed in sees it too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.confirmation_redirect import continue_after_confirmation
from accounts.email_addresses import has_confirmed_email
from accounts.mailed_invitations import Invited, MailedInvitationQuerySet
from accounts.models import User
from accounts.signed_in_request import SignedInRequest, user_or_none
from lexic.errors import LexicError


@dataclass(frozen=True, kw_only=True)
class InvitationPage(Generic[Invited]):
    """`find` gives the invitation of a token, `accept` takes it for a person and answers the request; both raise
    `LexicError`. `describe` says what those with its role may do."""

    template: str
    find: Callable[[str], Invited]
    accept: Callable[[HttpRequest, Invited, User], HttpResponse]
    describe: Callable[[Invited], str]

    def show(self, request: HttpRequest, token: str) -> HttpResponse:
        """What one is invited to. Accepting it (POST) needs an account with the address that it was sent to."""
        user = user_or_none(request)
        try:
            found = self.find(token)
            if request.method == "POST" and user:
                return self.accept(request, found, user)
        except LexicError as error:
            return self._refuse(request, error)
        is_confirmed = user is None or has_confirmed_email(user)
        if not is_confirmed:
            continue_after_confirmation(request, request.path)
        context = {
            "invitation": found,
            "may": self.describe(found),
            "is_theirs": user and user.email == found.email,
            "is_confirmed": is_confirmed,
        }
        return render(request, self.template, context)

    def accept_own(
        self, request: SignedInRequest, invitations: MailedInvitationQuerySet[Invited], pk: UUID
    ) -> HttpResponse:
        """Accepts one of these invitations without its link: the confirmed address of the account is enough."""
        mine = invitations.open().for_address(request.user.email)
        try:
            return self.accept(request, get_object_or_404(mine, pk=pk), request.user)
        except LexicError as error:
            return self._refuse(request, error)

    def _refuse(self, request: HttpRequest, error: LexicError) -> HttpResponse:
        return render(request, self.template, {"error": error}, status=error.status)
