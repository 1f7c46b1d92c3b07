"""The addresses that clients send to: registration, tokens and revocation."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.views import RevokeTokenView
from oauth2_provider.views import TokenView as LibraryTokenView
from oauthlib.oauth2 import OAuth2Error

from accounts.authorized_clients import lock_token_exchange
from accounts.rate_limits import HOUR
from api.oauth.open_view import OpenView, oauth_error
from api.oauth.registration import RegistrationSerializer, register_client
from lexic.errors import InvalidInput
from lexic.http.error_handlers import validation_message
from lexic.http.strict_json import read_json

_MAX_METADATA_BYTES = 16 * 1024


@method_decorator(csrf_exempt, name="dispatch")
class TokenView(OpenView, LibraryTokenView):
    """Codes and refresh tokens become access tokens. Of several requests with the same one at once, each waits for the
    one before it, and nothing is left of one that fails."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            with transaction.atomic():
                lock_token_exchange(
                    code=request.POST.get("code", ""), refresh_token=request.POST.get("refresh_token", "")
                )
                response = self.authorization_flow_token_response(request)
        except OAuth2Error as error:
            return oauth_error(error.error, error.description or "", status=error.status_code)
        # The library leaves these out of some of its errors.
        response["Content-Type"], response["Cache-Control"] = "application/json", "no-store"
        return response


@method_decorator(csrf_exempt, name="dispatch")
class RevokeView(OpenView, RevokeTokenView):
    """A client gives its tokens back (RFC 7009)."""


@method_decorator(csrf_exempt, name="dispatch")
class RegistrationView(OpenView):
    """A client says what it is called and where people are sent back."""

    limits = {HOUR: 60}

    def post(self, request: HttpRequest) -> HttpResponseBase:
        body = request.read(_MAX_METADATA_BYTES + 1)
        if len(body) > _MAX_METADATA_BYTES:
            return oauth_error("invalid_client_metadata", "This is more than a client has to say.", status=413)
        try:
            sent = read_json(body)
        except InvalidInput as error:
            return oauth_error("invalid_client_metadata", error.message)
        metadata = RegistrationSerializer(data=sent)
        if not metadata.is_valid():
            code = "invalid_redirect_uri" if "redirect_uris" in metadata.errors else "invalid_client_metadata"
            return oauth_error(code, validation_message(metadata.errors))
        registered = register_client(metadata.validated_data)
        return JsonResponse(registered, status=201, headers={"Cache-Control": "no-store"})
