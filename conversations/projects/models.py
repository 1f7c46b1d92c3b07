"""Projects: the documents and conversations of one matter, and the people who work on it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import Principal, User, user_of
from knowledge.models import BaseKind, BaseMember, KnowledgeBase
from lexic.compiled_query import written_out
from lexic.name_field import NameField
from plugins.models import Plugin, Role

MAX_DESCRIPTION_CHARACTERS = 4000


class ProjectQuerySet(models.QuerySet["Project"]):
    """Whoever may open its knowledge base may see a project. Its conversations are each person's own."""

    def visible_to(self, principal: Principal) -> ProjectQuerySet:
        return self.filter(knowledge_base__in=written_out(KnowledgeBase.objects.visible_to(principal).values("pk")))

    def editable_by(self, principal: Principal) -> ProjectQuerySet:
        return self.filter(knowledge_base__in=written_out(KnowledgeBase.objects.editable_by(principal).values("pk")))

    def as_seen_by(self, principal: Principal) -> ProjectQuerySet:
        """`role` on each ("owner", "editor" or "viewer"), `plugin_slug` where this person may ask its plugin, and the
        number of its documents as `document_total`."""
        user = user_of(principal)
        edited = written_out(KnowledgeBase.objects.editable_by(principal).values("pk"))
        role = models.Case(
            models.When(owner=user, then=models.Value("owner")),
            models.When(knowledge_base__in=edited, then=models.Value(Role.EDITOR.value)),
            default=models.Value(Role.VIEWER.value),
            output_field=models.CharField(),
        )
        askable = Plugin.objects.askable_by(principal).filter(pk=models.OuterRef("plugin"))
        present = models.Count("knowledge_base__documents", filter=models.Q(knowledge_base__documents__removed_in=None))
        rows = self.select_related("owner", "knowledge_base").prefetch_related("knowledge_base__members")
        slug = models.Subquery(askable.order_by().values("slug")[:1])
        return rows.annotate(role=role, plugin_slug=slug, document_total=present)

    @transaction.atomic
    def create_with_base(self, *, owner: User, name: str, **fields: Any) -> Project:
        """A project with an empty knowledge base of its own. Raises `TooManyProjects`."""
        User.objects.select_for_update(no_key=True).only("pk").get(pk=owner.pk)  # counted one at a time
        quotas.PROJECTS.check("account", used=self.filter(owner=owner).count())
        base = KnowledgeBase.objects.create(
            owner=owner, kind=BaseKind.PROJECT, name=name, embedder=settings.LEXIC_EMBEDDER
        )
        return self.create(owner=owner, name=name, knowledge_base=base, **fields)


class Project(models.Model):
    """One matter, with a private knowledge base. Its conversations ask its `plugin`, where it names one.

    Who may open it is a matter of the base: its owner, and the base's members.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="projects")
    name = NameField(max_length=120)
    description = models.TextField(blank=True)
    knowledge_base = models.OneToOneField(KnowledgeBase, on_delete=models.CASCADE, related_name="project")
    plugin = models.ForeignKey(Plugin, on_delete=models.SET_NULL, null=True, blank=True, related_name="projects")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ProjectQuerySet.as_manager()

    # Set by `as_seen_by`.
    role: str
    plugin_slug: str | None
    document_total: int

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["owner"], name="project_owner")]

    def __str__(self) -> str:
        return self.name

    @transaction.atomic
    def change(self, **fields: Any) -> bool:
        """Sets these columns; its base has its name. False where the project has been deleted meanwhile."""
        is_there = bool(Project.objects.filter(pk=self.pk).update(**fields, updated_at=timezone.now()))
        if is_there and "name" in fields:
            KnowledgeBase.objects.filter(pk=self.knowledge_base_id).update(name=fields["name"])
        return is_there

    @transaction.atomic
    def set_members(self, roles: dict[str, str]) -> None:
        """From now on these addresses, each with its role, open the project beside its owner, and no others. Raises
        `TooManyCollaborators`."""
        quotas.PEOPLE.check("project", used=len(roles), adding=0)
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=self.knowledge_base_id)
        base.members.all().delete()
        BaseMember.objects.bulk_create(
            BaseMember(knowledge_base=base, email=email, role=role) for email, role in roles.items()
        )

    @transaction.atomic
    def set_member(self, email: str, role: str) -> None:
        """From now on this address opens the project with this role. Raises `TooManyCollaborators`."""
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=self.knowledge_base_id)
        others = base.members.exclude(email=email.strip().lower()).count()
        quotas.PEOPLE.check("project", used=others)
        BaseMember.objects.update_or_create(knowledge_base=base, email=email.strip().lower(), defaults={"role": role})

    def remove_member(self, email: str) -> None:
        """From now on this address does not open the project."""
        BaseMember.objects.for_address(email).filter(knowledge_base=self.knowledge_base_id).delete()

    def remove_person(self, user: User) -> None:
        """From now on this person, who does not own it, does not open the project."""
        BaseMember.objects.of_user(user).filter(knowledge_base=self.knowledge_base_id).delete()

    def addresses(self, role: str) -> Iterable[str]:
        """The members with this role, in the order of their addresses."""
        return sorted(member.email for member in self.knowledge_base.members.all() if member.role == role)
