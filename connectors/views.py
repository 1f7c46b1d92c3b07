"""The page of a person's connections, from which documents can be fetched."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from connectors import revocation
from connectors.drive_errors import MANAGE_ACCESS_URL
from connectors.google_oauth import is_set_up
from connectors.models import DriveConnection


@require_safe
@login_required
@never_cache
def connections_view(request: SignedInRequest) -> HttpResponse:
    return render(request, "connectors/connections.html", connections_context(request.user))


def connections_context(user: User) -> dict[str, Any]:
    """What the part about Google Drive shows. One statement."""
    return {
        "connection": DriveConnection.objects.filter(user=user).first(),
        "is_set_up": is_set_up(),
        "manage_access_url": MANAGE_ACCESS_URL,
    }


@require_POST
@login_required
@never_cache
def disconnect_drive_view(request: SignedInRequest) -> HttpResponse:
    if revocation.disconnect(request.user):
        messages.success(request, "Your Google Drive is disconnected.")
    else:
        messages.warning(
            request, "Your Google Drive is disconnected here. Google is told as soon as it can be reached."
        )
    return redirect("connections")
