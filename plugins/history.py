"""The history of a plugin: who changed what of it, and when. It is Django's log of the admin, on the page “History”."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry

from accounts.models import User
from plugins.models import Plugin


def log_change(plugin: Plugin, *, by: User, sentence: str, flag: int = CHANGE) -> None:
    """`flag`: CHANGE, or ADDITION or DELETION of the plugin itself."""
    LogEntry.objects.log_actions(
        user_id=by.pk, queryset=[plugin], action_flag=flag, change_message=sentence, single_object=True
    )
