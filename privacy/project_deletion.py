"""Deletes a project with everything in it, and says before what that is."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from conversations.models import ChatSession, Project
from conversations.retention import delete_private_conversation
from knowledge.models import BaseMember, Document, KnowledgeBase
from privacy.plugin_deletion import delete_knowledge_base


@dataclass(frozen=True, kw_only=True)
class ProjectDeletion:
    """How much goes with a project: documents, everybody's conversations, and members who can open it no longer."""

    documents: int
    conversations: int
    members: int


def project_deletion(project: Project) -> ProjectDeletion:
    """What deleting the project deletes, for the page that asks for a confirmation. Three statements."""
    base = project.knowledge_base_id
    return ProjectDeletion(
        documents=Document.objects.present().filter(knowledge_base=base).count(),
        conversations=ChatSession.objects.filter(project=project).count(),
        members=BaseMember.objects.filter(knowledge_base=base).count(),
    )


@transaction.atomic
def delete_project(project: Project) -> None:
    """Deletes the project, its documents and files, and what quotes them. It goes with its knowledge base."""
    locked = Project.objects.select_for_update(of=("self",)).select_related("knowledge_base").get(pk=project.pk)
    # First: a run in a conversation that ends now locks it before itself.
    KnowledgeBase.objects.select_for_update().get(pk=locked.knowledge_base_id)
    for session in locked.conversations.order_by("pk"):
        delete_private_conversation(session)
    delete_knowledge_base(locked.knowledge_base)
