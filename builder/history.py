"""What people change in the builder: noted in the plugin's history, and said in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import admin, messages
from django.http import HttpRequest

from lexic.errors import LexicError
from plugins.models import Plugin


def log_plugin_change(request: HttpRequest, plugin: Plugin, sentence: str) -> None:
    """Notes the sentence in the history of the plugin."""
    admin.site.get_model_admin(Plugin).log_change(request, plugin, sentence)


def log_and_report(request: HttpRequest, plugin: Plugin, sentence: str) -> None:
    """Notes the sentence in the history of the plugin, and shows it on the next page."""
    log_plugin_change(request, plugin, sentence)
    messages.success(request, sentence)


@contextmanager
def errors_as_messages(request: HttpRequest, prefix: str = "") -> Iterator[None]:
    """Shows an error of the block on the next page, after `prefix`; the rest of the block is left out."""
    try:
        yield
    except LexicError as error:
        messages.error(request, f"{prefix} {error.message} {error.hint}".strip())
