"""Addresses of the files that give the admin our look. The theme calls these by name (settings.UNFOLD)."""

from __future__ import annotations

from django.http import HttpRequest
from django.templatetags.static import static


def icon(request: HttpRequest) -> str:
    return static("logo.svg")


def tokens(request: HttpRequest) -> str:
    return static("tokens.css")


def parts(request: HttpRequest) -> str:
    return static("parts.css")


def own(request: HttpRequest) -> str:
    return static("builder/builder.css")


def script(request: HttpRequest) -> str:
    return static("builder/builder.js")
