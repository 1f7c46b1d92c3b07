"""Clients whose id is the address of a document about themselves (client ID metadata documents)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from oauth2_provider.cimd import CIMDError

from accounts.authorized_clients import make_room_for_client
from accounts.rate_limits import MINUTE, count_or_wait
from api.oauth.redirects import is_safe_redirect
from api.oauth.registration import RegistrationSerializer
from lexic import egress
from lexic.errors import LexicError
from lexic.http.error_handlers import validation_message
from lexic.http.strict_json import read_json
from lexic.middleware.request_limit import free_slot_and_connections

_MAX_BYTES, _TIMEOUT_SECONDS, _KEPT_SECONDS = 16 * 1024, 5.0, 3600
# A limit for the whole site: each fetch is a request to an address that a stranger names.
_FETCHES_A_MINUTE = 30
_CONSENT_PATH = "/oauth/authorize"


class ClientDocumentFetcher:
    """Fetches what a client says of itself, by the site's one way out, and without following it elsewhere."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document, and how many seconds it is kept. Raises `CIMDError`."""
        address = urlsplit(client_id)
        steps = address.path.split("/")
        if not is_safe_redirect(client_id) or address.scheme != "https" or not address.path or {".", ".."} & set(steps):
            raise CIMDError("this is no address of a document")
        free_slot_and_connections()
        try:
            found = egress.fetch(
                client_id,
                max_bytes=_MAX_BYTES,
                timeout=_TIMEOUT_SECONDS,
                content_types=["application/json"],
                policy=egress.EgressPolicy(max_redirects=0),
            )
            document = read_json(found.body)
        except LexicError as error:
            raise CIMDError(error.message) from error
        metadata = RegistrationSerializer(data={"token_endpoint_auth_method": "none", **_object(document)})
        if not metadata.is_valid():
            raise CIMDError(validation_message(metadata.errors))
        make_room_for_client()
        known = ("redirect_uris", "token_endpoint_auth_method")
        read = {name: metadata.validated_data[name] for name in known}
        secrets = {name: document[name] for name in ("client_secret", "client_secret_expires_at") if name in document}
        name = metadata.validated_data["client_name"]
        return {"client_id": document.get("client_id"), "client_name": name, **read, **secrets}, _KEPT_SECONDS


class IsFromConsentPage:
    """Allows only people who have signed in and see the consent page."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        is_asked = urlsplit(request.uri).path == _CONSENT_PATH
        return is_asked and count_or_wait("oauth-documents", {MINUTE: _FETCHES_A_MINUTE}) is None


def _object(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise CIMDError("the document is no object")
    return document
