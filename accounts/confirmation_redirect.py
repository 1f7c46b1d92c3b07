"""Redirects a person who has confirmed their address to what they signed up for."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

_SESSION_KEY = "after_confirmation"


def continue_after_confirmation(request: HttpRequest, url: str) -> None:
    """The confirmation leads to this address of ours, in the browser of this session."""
    request.session[_SESSION_KEY] = url


def confirmed_destination(request: HttpRequest) -> str:
    """Where to go on, once; the builder for an author who was on the way to nothing; empty for anybody else."""
    url = request.session.pop(_SESSION_KEY, "")
    if url or not request.user.is_staff:
        return str(url)
    return reverse("admin:index")
