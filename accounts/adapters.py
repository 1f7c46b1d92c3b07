"""The adapters of allauth: sign-in by e-mail address, through another site, and with a second factor."""

from __future__ import annotations

import base64
import logging
import secrets
from contextlib import suppress
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.mail import EmailMultiAlternatives
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from accounts import key_secrets, social_login
from accounts.confirmation_redirect import confirmed_destination, continue_after_confirmation
from accounts.interface_language import remember_language_of
from accounts.models import User
from accounts.reauthentication import has_recent_credential, has_recent_sign_in
from lexic.http.client_address import client_network
from lexic.infrastructure_errors import MailUnavailable, RecipientRefused
from lexic.middleware.request_limit import free_slot_and_connections
from lexic.templated_mail import is_recipient_refused, make_mail, send

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # allauth counts the failures of five minutes.
        "too_many_login_attempts": gettext_lazy(
            "Too many failed attempts to sign in. Try again in five minutes, or choose a new password."
        ),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """By which attempts to sign in, sign up and reset a password are counted: of IPv6 the network, or each attempt
        could come from another address."""
        return client_network(super().get_client_ip(request))

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        remember_language_of(user, response)
        if kwargs["signup"] and kwargs["redirect_url"]:
            continue_after_confirmation(request, kwargs["redirect_url"])
        return response

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        url: str = super().get_email_verification_redirect_url(email_address)
        return (self.request.user.is_authenticated and confirmed_destination(self.request)) or url

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Raises `MailUnavailable` where the mail server cannot be reached or refuses it: `RecipientRefused` where it
        refuses this address."""
        shell = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        mail = self.render_mail(template_prefix, email, {**shell, **context})
        try:
            send(mail)
        except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
            logger.warning("a mail could not be sent: %s: %s", type(error).__name__, error)
            raise (RecipientRefused if is_recipient_refused(error) else MailUnavailable) from error

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """What it tells of has happened already, so it goes on without a mail server."""
        with suppress(MailUnavailable):
            super().send_notification_mail(*args, **kwargs)

    def render_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], headers: dict[str, str] | None = None
    ) -> EmailMultiAlternatives:
        """Of one template, as HTML and as text. Its heading is the subject."""
        heading = render_to_string(f"{template_prefix}_subject.txt", context)
        mail = make_mail(
            email, subject=heading, template=f"{template_prefix}_message.html", context=context, headers=headers or {}
        )
        mail.subject = self.format_email_subject(mail.subject)
        return mail

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Whoever is sent a mail to confirm an address is told whether that can wait."""
        can_wait = settings.ACCOUNT_EMAIL_VERIFICATION == "optional"
        context = {**(message_context or {}), "confirming_can_wait": can_wait}
        super().add_message(request, level, message_template, context, **kwargs)

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """A person without a password or a second step is sent a code."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if methods or not user.is_authenticated:
            return methods
        return [{"id": "code", "description": gettext("Send me a code"), "url": reverse("reauthenticate_by_code")}]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whether this needs a fresh sign-in. Raises `ReauthenticationRequired`.

        allauth only counts what was confirmed after the sign-in; ours counts a sign-in of the last minutes as well. For
        people who only come in through another site it takes any session for a fresh one. Ours has to be.
        """
        is_required: bool = super().is_reauthentication_required(app=app, **kwargs)
        if not is_required or get_reauthentication_flows(self.request.user):
            return is_required and not has_recent_credential(self.request)
        if not has_recent_sign_in(self.request):
            raise ReauthenticationRequired
        return True


class SocialAdapter(DefaultSocialAccountAdapter):
    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> Any:
        """The providers of the settings. The operator configures them, so the database is not asked."""
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:
        try:
            return super().get_app(request, provider=provider, client_id=client_id)
        except SocialApp.DoesNotExist:
            raise Http404("People do not sign in from there on this site.") from None

    def get_requests_session(self) -> Any:
        """What providers are asked with.

        This goes past `lexic.egress` on purpose: where it leads is the operator's own setting (or fixed, for Google
        and GitHub), never an address that a visitor named, and an organisation's own provider often stands in its
        own network. What comes back from there (the address of a picture) is fetched through `lexic.egress`.
        """
        free_slot_and_connections()
        session = super().get_requests_session()
        session.max_redirects = 3
        return session

    def authenticate_by_email(self, sociallogin: SocialLogin) -> Any:
        social_login.drop_unconfirmed_claims(sociallogin)
        return super().authenticate_by_email(sociallogin)

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        social_login.normalize_provider_data(sociallogin)
        user: User = super().populate_user(request, sociallogin, data)
        social_login.set_display_name(user, data=data)
        return user

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        social_login.check_social_login(request, sociallogin)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        return social_login.save_social_user(
            sociallogin, lambda: super(SocialAdapter, self).save_user(request, sociallogin, form=form)
        )


class MfaAdapter(DefaultMFAAdapter):
    """The secrets of second steps are kept as those of API keys are: whoever reads the database cannot use them."""

    def encrypt(self, text: str) -> str:
        return key_secrets.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """If ENCRYPTION_KEY has changed, this returns a random secret, which no code fits. An empty secret would be
        known to everybody."""
        return key_secrets.decrypt(encrypted_text) or base64.b32encode(secrets.token_bytes(20)).decode()

    def _get_site_name(self) -> str:
        return "Lexic"
