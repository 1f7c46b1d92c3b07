"""The base of all pages of the workspace: access, errors, and the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from conversations.models import ChatSession, Project
from lexic.errors import LexicError, NotAllowed, NotFound
from lexic.http.error_handlers import with_retry_after

View = Callable[..., HttpResponseBase]
# So many stand in the sidebar.
_MAX_PROJECTS, _MAX_CONVERSATIONS = 8, 12


def workspace_view(*methods: str) -> Callable[[View], View]:
    """A view for people who have signed in. What they may not see is a 404, what they may not change a 403."""

    def decorate(view: View) -> View:
        @require_http_methods([*methods, *(["HEAD"] if "GET" in methods else [])])
        @login_required
        @never_cache
        @wraps(view)
        def guarded(request: SignedInRequest, **captured: Any) -> HttpResponseBase:
            try:
                return view(request, **captured)
            except NotFound as error:
                raise Http404(error.message) from None
            except NotAllowed as error:
                raise PermissionDenied(error.message_with_hint) from None

        return guarded

    return decorate


def render_page(
    request: SignedInRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    section: str,
    error: LexicError | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page inside the shell. `section` names the entry of the sidebar; `error` is shown above, with its status."""
    shell = {"section": "workspace", "part": section, "error": error, **_sidebar(request.user)}
    page = render(request, template, {**shell, **context}, status=error.status if error else status)
    return with_retry_after(page, error)


def _sidebar(user: User) -> dict[str, Any]:
    """The projects and conversations that were used last. Two statements."""
    projects = Project.objects.visible_to(user).only("pk", "name").order_by("-updated_at", "pk")
    conversations = ChatSession.objects.private_to(user).only("pk", "title", "last_used_at")
    return {
        "side_projects": projects[:_MAX_PROJECTS],
        "side_conversations": conversations[:_MAX_CONVERSATIONS],
    }
