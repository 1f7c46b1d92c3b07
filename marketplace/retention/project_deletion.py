"""Deletes a project with everything in it."""

from __future__ import annotations

from django.db import transaction

from conversations.models import Project
from conversations.retention import delete_private_conversation
from marketplace.retention.plugin_deletion import delete_knowledge_base


@transaction.atomic
def delete_project(project: Project) -> None:
    """Deletes the project, its documents and files, and what quotes them. It goes with its knowledge base."""
    locked = Project.objects.select_for_update(of=("self",)).select_related("knowledge_base").get(pk=project.pk)
    for session in locked.conversations.order_by("pk"):
        delete_private_conversation(session)
    delete_knowledge_base(locked.knowledge_base)
