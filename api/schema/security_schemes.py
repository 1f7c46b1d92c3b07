"""The two ways to authenticate, as security schemes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = "api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        words = (
            "A key, `lx_…`, or an access token, `lxa_…`, in the header `Authorization: Bearer …`; never in an address."
        )
        return {"type": "http", "scheme": "bearer", "bearerFormat": "lx_ and 43 characters", "description": words}


class SessionScheme(OpenApiAuthenticationExtension):
    """The pages' own session, for programs that run in them. What changes something also wants its CSRF token."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = ["session", "csrf"]

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[Any]]:
        names = ["session"] if auto_schema.method in ("GET", "HEAD") else ["session", "csrf"]
        return {name: [] for name in names}

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        session = {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Signed in on the pages."}
        words = "The value of the cookie `csrftoken`, with everything but GET."
        return [session, {"type": "apiKey", "in": "header", "name": "X-CSRFToken", "description": words}]
