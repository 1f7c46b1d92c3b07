"""A plugin gets another owner."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from knowledge.models import KnowledgeBase
from lexic.errors import Conflict
from marketplace.listings.update_listing import update_listing_if_published
from plugins import collaborators
from plugins.models import Plugin, Role


class NotAnEditor(Conflict):
    """A plugin is handed over to one of its editors."""

    code = "not_an_editor"
    hint = "Make them an editor first."


def transfer_ownership(plugin: Plugin, *, to: User) -> None:
    """The editor owns the plugin and its knowledge base; the owner of until now stays as an editor.

    Raises `NotAnEditor`.
    """
    with transaction.atomic():
        locked = Plugin.objects.select_for_update().get(pk=plugin.pk)
        if not to.is_active or collaborators.find_role(locked, to) != Role.EDITOR:
            raise NotAnEditor
        before = locked.owner
        collaborators.remove_collaborator(locked, person=to)
        locked.owner = to
        locked.save(update_fields=["owner", "updated_at"])
        collaborators.assign_role(locked, person=before, role=Role.EDITOR)
        KnowledgeBase.objects.filter(plugin=locked, owner=before).update(owner=to)
        update_listing_if_published(locked)
    plugin.owner = to
