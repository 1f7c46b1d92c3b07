"""The page on which a person lets a client in."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.cimd import is_cimd_client_id
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.models import Application
from oauth2_provider.views import AuthorizationView
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from accounts.authorized_clients import authorize_client
from accounts.models import default_per_day, default_per_minute
from accounts.oauth_resources import known_resources, mcp_resource
from accounts.rate_limits import HOUR, RateLimited, count_or_wait
from accounts.signed_in_request import user_or_none
from api.oauth.consent_form import ConsentForm
from api.oauth.redirects import is_safe_redirect, origin_of, shown_host
from lexic.errors import LexicError
from lexic.http.strict_json import UnstorableText, check_json

_CONSENTS_AN_HOUR = 60


@method_decorator(never_cache, name="dispatch")
class ConsentView(AuthorizationView):
    """Asks whoever is signed in whether the client may act for them, how far, and of which plugins. Nobody is sent on
    without having been asked."""

    template_name = "api/consent.html"
    form_class = ConsentForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            check_json([dict(request.GET.lists()), dict(request.POST.lists())])
        except UnstorableText:
            error = CustomOAuth2Error(error="invalid_request", description="The request holds a null character.")
            return self.render_to_response({"error": error}, status=400)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # The library lets a client choose not to have the person asked again.
        asked = request.GET.copy()
        asked["approval_prompt"] = "force"
        if known := known_resources(asked.getlist("resource")):
            asked.setlist("resource", known)
        request.GET = asked  # type: ignore[assignment]
        response: HttpResponseBase = super().get(request, *args, **kwargs)
        return response

    def validate_authorization_request(self, request: HttpRequest) -> tuple[list[str], dict[str, Any]]:
        scopes, credentials = super().validate_authorization_request(request)
        if not is_safe_redirect(credentials["redirect_uri"]):
            raise _error("invalid_request", "This redirect_uri leads nowhere safe.", credentials, is_sent=False)
        if any(len(values) > 1 for name, values in request.GET.lists() if name != "resource"):
            raise _error("invalid_request", "A parameter comes twice.", credentials)
        if credentials.get("code_challenge_method") != "S256":
            raise _error("invalid_request", "Send a code_challenge with the method S256.", credentials)
        if known_resources(request.GET.getlist("resource")) is None:
            raise _error("invalid_target", "There is no such resource here.", credentials)
        return scopes, credentials

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": user_or_none(self.request)}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form = context["form"]
        redirect_uri = str(form["redirect_uri"].value() or "")
        redirect_uri = redirect_uri if is_safe_redirect(redirect_uri) else ""
        return {
            **context,
            "application": Application.objects.filter(client_id=str(form["client_id"].value() or "")).first(),
            "host": shown_host(redirect_uri),
            "client_host": self._client_host(form),
            "origin": origin_of(redirect_uri) if redirect_uri else "",
            "is_for_mcp": form["resource"].value() == mcp_resource(),
            "per_minute": default_per_minute(),
            "per_day": default_per_day(),
        }

    @staticmethod
    def _client_host(form: ConsentForm) -> str:
        """The host of the document that describes the client; empty where the client registered itself."""
        client_id = str(form["client_id"].value() or "")
        return (urlsplit(client_id).hostname or "") if is_cimd_client_id(client_id) else ""

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        response = super().render_to_response(context, **kwargs)
        if origin := context.get("origin"):
            # The answer to the form leads to the client.
            response._csp_update = {"form-action": [origin]}
        return response

    def form_valid(self, form: ConsentForm) -> HttpResponseBase:
        if not form.cleaned_data["allow"]:
            return super().form_valid(form)
        user = user_or_none(self.request)
        assert user is not None
        try:
            if wait := count_or_wait(f"oauth-consent:{user.pk}", {HOUR: _CONSENTS_AN_HOUR}):
                raise RateLimited(wait=wait)
            with transaction.atomic():
                authorize_client(
                    Application.objects.get(client_id=form.cleaned_data["client_id"]),
                    user=user,
                    capabilities=form.cleaned_data["may"],
                    plugins=form.chosen_plugins(),
                )
                response = super().form_valid(form)
                # The client is let in with a code, or not at all.
                transaction.set_rollback("code" not in parse_qs(urlsplit(response.get("Location", "")).query))
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
            return self.form_invalid(form)
        return response


def _error(code: str, description: str, credentials: dict[str, Any], *, is_sent: bool = True) -> OAuthToolkitError:
    """An error that the client is told of; or the person alone, where it `is_sent` nowhere."""
    error = CustomOAuth2Error(error=code, description=description, state=credentials.get("state"))
    return OAuthToolkitError(error=error, redirect_uri=credentials["redirect_uri"] if is_sent else None)
