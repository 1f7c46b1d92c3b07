"""Additional checks of OAuth tokens, beyond those of the library: the person still authorizes the client, and the token
was issued for one of our URLs."""

from __future__ import annotations

import logging
from typing import Any

from oauth2_provider.models import RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from accounts.authorized_clients import is_authorized, remember_used_code, revoke_replayed_code
from accounts.oauth_resources import known_resources

logger = logging.getLogger(__name__)


class TokenValidator(OAuth2Validator):
    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        if not super().validate_code(client_id, code, client, request, *args, **kwargs):
            revoke_replayed_code(code, application=client)
            return False
        return is_authorized(client, user=request.user)

    def _create_refresh_token(self, request: Any, *args: Any, **kwargs: Any) -> RefreshToken:
        token: RefreshToken = super()._create_refresh_token(request, *args, **kwargs)
        if request.grant_type == "authorization_code":
            remember_used_code(request.code, token)
        return token

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        if not super().validate_refresh_token(refresh_token, client, request, *args, **kwargs):
            logger.warning("a refresh token of client %s is unknown, expired or was used before", client.client_id)
            return False
        return is_authorized(client, user=request.user)

    def _check_and_set_request_resource(self, request: Any) -> None:
        """Each token is for one of our addresses. Raises `invalid_target`."""
        sent = [value for name, value in request.decoded_body or [] if name == "resource" and value.strip()]
        if sent:
            request.resource = known_resources(sent) or sent
        super()._check_and_set_request_resource(request)
        if not request.resource or known_resources(request.resource) is None:
            raise errors.CustomOAuth2Error(
                error="invalid_target", description="There is no such resource here.", request=request
            )
