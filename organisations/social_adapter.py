"""Tells allauth about the providers of organisations; `accounts.adapters` handles those of the site."""

from __future__ import annotations

from typing import Any

from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.models import SocialLogin
from django.http import HttpRequest
from django.shortcuts import render

from accounts.adapters import SocialAdapter
from accounts.models import User
from lexic.errors import LexicError
from organisations import sign_in
from organisations.provider_requests import provider_session
from organisations.sso_session import organisation_of_provider


class OrganisationSocialAdapter(SocialAdapter):
    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> Any:
        """One of an organisation is found by its name, and is in no list of buttons."""
        if provider and organisation_of_provider(provider):
            app = sign_in.find_app(provider)
            return [app] if app else []
        return super().list_apps(request, provider=provider, client_id=client_id)

    def get_requests_session(self) -> Any:
        """A session for the provider that this request names. An owner has typed an organisation's provider address, so
        it goes through `lexic.egress`."""
        match = context.request.resolver_match if context.request else None
        named = str(match.kwargs.get("provider_id", "")) if match else ""
        return provider_session() if organisation_of_provider(named) else super().get_requests_session()

    def authenticate_by_email(self, sociallogin: SocialLogin) -> Any:
        if organisation := sign_in.organisation_of(sociallogin):
            return sign_in.find_provisioned_account(sociallogin, organisation)
        return super().authenticate_by_email(sociallogin)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        organisation = sign_in.organisation_of(sociallogin)
        if not organisation:
            super().pre_social_login(request, sociallogin)
            return
        try:
            sign_in.check_sign_in(request, sociallogin, organisation)
        except LexicError as error:
            page = {"provider": sociallogin.provider.name, "reason": error}
            response = render(request, "socialaccount/organisation_refused.html", page, status=error.status)
            raise ImmediateHttpResponse(response) from error

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        person = super().save_user(request, sociallogin, form=form)
        if organisation := sign_in.organisation_of(sociallogin):
            sign_in.join_through_provider(person, organisation)
        return person
