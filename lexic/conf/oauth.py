"""The authorization server: how programs sign in for people, with OAuth 2.1 as MCP asks for it."""

from __future__ import annotations

from typing import Any

_ACCESS_TOKEN_SECONDS = 15 * 60
# A client that was not used for so long has to ask again.
_REFRESH_TOKEN_SECONDS = 30 * 24 * 3600


def oauth_settings(public_url: str) -> dict[str, Any]:
    """Codes with PKCE and rotated refresh tokens, and nothing else that OAuth ever had."""
    return {
        "OIDC_ISS_ENDPOINT": public_url,
        # As `accounts.models.Capability`.
        "SCOPES": {
            "query": "ask questions",
            "read": "read plugins and documents",
            "author": "change plugins and documents",
        },
        "DEFAULT_SCOPES": ["query"],
        "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",
        "OAUTH2_VALIDATOR_CLASS": "accounts.token_validator.TokenValidator",
        "ACCESS_TOKEN_GENERATOR": "accounts.key_secrets.generate_access_token",
        "REFRESH_TOKEN_GENERATOR": "accounts.key_secrets.generate_refresh_token",
        "ACCESS_TOKEN_EXPIRE_SECONDS": _ACCESS_TOKEN_SECONDS,
        "REFRESH_TOKEN_EXPIRE_SECONDS": _REFRESH_TOKEN_SECONDS,
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        # Programs on somebody's own machine listen on a port of the moment, and many call that machine “localhost”.
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],
        "DCR_ENABLED": True,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": "api.oauth.client_documents.ClientDocumentFetcher",
        "CIMD_REGISTRATION_PERMISSION_CLASSES": ("api.oauth.client_documents.IsFromConsentPage",),
        "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
        "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
        "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_basic", "client_secret_post"],
        "OAUTH2_PROTECTED_RESOURCE_NAME": "Lexic",
        "OAUTH2_PROTECTED_RESOURCE_DOCUMENTATION": f"{public_url}/docs/api",
        # What RFC 9700 forbids is refused.
        **dict.fromkeys(
            (
                "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT",
                "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT",
                "COMPLIANT_BCP_RFC9700_PKCE_METHOD",
                "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT",
                "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS",
                "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE",
                "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN",
                "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING",
                "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED",
            ),
            True,
        ),
    }
