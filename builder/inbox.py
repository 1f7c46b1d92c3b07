from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from builder.panes import pane_url, render
from plugins.models import Plugin


def urls() -> list[URLPattern]:
    return [pane_url("inbox/", show, name="inbox")]


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return render(request, plugin, "inbox", "builder/inbox.html")
