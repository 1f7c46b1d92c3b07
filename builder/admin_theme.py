"""Addresses of the files that give the admin our look. The theme calls these by name (settings.UNFOLD)."""

from __future__ import annotations

from django.http import HttpRequest
from django.templatetags.static import static


def site_icon(request: HttpRequest) -> str:
    return static("logo.svg")


def design_tokens_css(request: HttpRequest) -> str:
    return static("tokens.css")


def components_css(request: HttpRequest) -> str:
    return static("components.css")


def signed_in_css(request: HttpRequest) -> str:
    return static("signed_in.css")


def builder_css(request: HttpRequest) -> str:
    return static("builder/builder.css")


def builder_script(request: HttpRequest) -> str:
    return static("builder/builder.js")


def command_box_script(request: HttpRequest) -> str:
    return static("builder/command_box.js")


def kept_focus_script(request: HttpRequest) -> str:
    return static("builder/kept_focus.js")


def unsaved_script(request: HttpRequest) -> str:
    return static("unsaved.js")


def arrival_script(request: HttpRequest) -> str:
    return static("arrival.js")
