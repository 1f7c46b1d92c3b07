"""The history of changes in the builder, each described in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from accounts.signed_in_request import signed_in_user
from lexic.errors import LexicError
from plugins.history import log_change
from plugins.models import Plugin


def log_plugin_change(request: HttpRequest, plugin: Plugin, sentence: str) -> None:
    """Notes the sentence in the history of the plugin."""
    log_change(plugin, by=signed_in_user(request), sentence=sentence)


def log_and_report(request: HttpRequest, plugin: Plugin, sentence: str) -> None:
    """Notes the sentence in the history of the plugin, and shows it on the next page."""
    log_plugin_change(request, plugin, sentence)
    messages.success(request, sentence)


def changed_labels(form: BaseForm) -> str:
    """What was changed in a form that is valid, as people call it: “type, valid from”."""
    return ", ".join(str(form[name].label).lower() for name in form.changed_data)


@contextmanager
def errors_as_messages(request: HttpRequest, prefix: str = "") -> Iterator[None]:
    """Shows an error of the block on the next page, after `prefix`; the rest of the block is left out."""
    try:
        yield
    except LexicError as error:
        messages.error(request, f"{prefix} {error.message_with_hint}".strip())
