"""The content security policy of `settings.CONTENT_SECURITY_POLICY`, and what the builder's theme needs beyond it."""

from __future__ import annotations

from csp.constants import UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_BUILDER_PATH = "/admin/"
# The theme evaluates expressions in attributes and sets style attributes. It never renders a stranger's text as markup.
_BUILDER_SOURCES = {"script-src": [UNSAFE_EVAL], "style-src": [UNSAFE_INLINE]}


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """Sets the policy on every response whose view has not set one."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path.startswith(_BUILDER_PATH) and not report_only:
            parts.update = _BUILDER_SOURCES
        return parts
