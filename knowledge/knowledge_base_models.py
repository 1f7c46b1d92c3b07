"""Knowledge bases: who may read and change them, and what each held at its revisions. Part of `knowledge.models`."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.utils import timezone

from accounts.models import ApiKey, Principal, User, user_of
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from knowledge.embedding_spaces import EmbeddingSpace
from knowledge.grant_models import Consent, KnowledgeGrant
from knowledge.member_models import BaseKind, opens_private_base
from language.language_identification import LANGUAGE_NAMES
from lexic.compiled_query import CompiledSubquery
from lexic.name_field import NameField
from plugins.models import EDITABLE, VIEWABLE, Plugin, Role


class KnowledgeBaseQuerySet(AuditedQuerySet["KnowledgeBase"]):
    def editable_by(self, principal: Principal) -> KnowledgeBaseQuerySet:
        private = opens_private_base(principal, roles=[Role.EDITOR])
        return self._limited_to_key(principal).filter(_is_edited_by(user_of(principal)) | private)

    def visible_to(self, principal: Principal) -> KnowledgeBaseQuerySet:
        """Knowledge bases whose text the person may read. Publishing a plugin does not open its knowledge base, and
        running the site opens no private one."""
        user = user_of(principal)
        viewed = models.Q(plugin__in=VIEWABLE.ids(user))
        private = opens_private_base(principal, roles=Role.values)
        return self._limited_to_key(principal).filter(_is_edited_by(user) | viewed | private)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the bases, and first what is in them, so that the audit log has each document, grant and member."""
        with transaction.atomic():
            for base in self:
                for rows in (base.documents, base.grants, base.members):
                    rows.all().delete()
            return super().delete()

    def for_plugins(self) -> KnowledgeBaseQuerySet:
        """The bases that plugins may read: all except private ones."""
        return self.filter(kind=BaseKind.PLUGIN)

    def _limited_to_key(self, principal: Principal) -> KnowledgeBaseQuerySet:
        """The knowledge bases that the plugins of a limited key read."""
        allowed = principal.allowed_plugins() if isinstance(principal, ApiKey) else None
        if allowed is None:
            return self
        granted = KnowledgeGrant.objects.usable().filter(plugin__in=allowed, is_attached=True)
        return self.filter(models.Q(plugin__in=allowed) | models.Q(pk__in=granted.values("knowledge_base")))

    def attachable_to(self, plugin: Plugin, *, by: Principal) -> KnowledgeBaseQuerySet:
        """The bases that the plugin neither reads nor asks for, among those that `by` may edit. To be allowed to read
        one is not enough, as a plugin quotes it to others."""
        asked = plugin.knowledge_grants.requested().values("knowledge_base")
        read = KnowledgeBase.objects.of_plugin(plugin).values("pk")
        mine = self.for_plugins().editable_by(by)
        return mine.exclude(pk__in=asked).exclude(pk__in=read).select_related("owner")

    def open_to(self, plugin: Plugin, *, least: str = Consent.DRAFT) -> KnowledgeBaseQuerySet:
        """The bases whose text the plugin may use now: its own one, and those that are granted to it for this use."""
        granted = _granted(least).ids(plugin=plugin.pk)
        return self.for_plugins().filter(models.Q(plugin=plugin) | models.Q(pk__in=granted))

    def of_plugin(self, plugin: Plugin) -> KnowledgeBaseQuerySet:
        """What the plugin's draft reads: its own base first, then the ones attached to it."""
        attached = _ATTACHED.ids(plugin=plugin.pk)
        read = self.for_plugins().filter(models.Q(plugin=plugin) | models.Q(pk__in=attached))
        own_first = models.Case(models.When(plugin=plugin, then=0), default=1)
        return read.order_by(own_first, "pk")


_EXAMPLE = UUID("1b6c9f52-2c7e-4d57-8b3f-6a9d0e4c7f18")


@cache
def _granted(least: str) -> CompiledSubquery:
    """The bases that are granted to a plugin for at least this use."""

    def granted(plugin: UUID) -> models.QuerySet[Any, Any]:
        return KnowledgeGrant.objects.usable(least).filter(plugin=plugin).values("knowledge_base")

    return CompiledSubquery(granted, plugin=_EXAMPLE)


def _attached(plugin: UUID) -> models.QuerySet[Any, Any]:
    return KnowledgeGrant.objects.usable().filter(plugin=plugin, is_attached=True).values("knowledge_base")


_ATTACHED = CompiledSubquery(_attached, plugin=_EXAMPLE)


def _is_edited_by(user: User) -> models.Q:
    """The condition on the bases of plugins that this person may change: their own, those of plugins that they edit,
    and all of them where they run the site."""
    for_plugins = models.Q(kind=BaseKind.PLUGIN)
    if user.is_superuser and user.is_active:
        return for_plugins
    of_no_plugin = models.Q(owner=user, plugin=None)
    return for_plugins & (of_no_plugin | models.Q(plugin__in=EDITABLE.ids(user)))


class KnowledgeBase(AuditedModel):
    """A named set of documents that share one embedder. A plugin has one of its own; others are granted to it.

    The base of a plugin has the owner of the plugin: the database holds that, also when the plugin changes hands. A
    base of another `kind` is private: it has no plugin, no grant can name it, and its `members` alone open it.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="knowledge_bases")
    plugin = models.OneToOneField(
        Plugin, on_delete=models.CASCADE, null=True, blank=True, related_name="knowledge_base"
    )
    kind = models.CharField(
        max_length=8, choices=BaseKind, default=BaseKind.PLUGIN, db_default=BaseKind.PLUGIN, editable=False
    )
    name = NameField(max_length=120)
    embedder = models.CharField(
        max_length=120,
        default="local",
        help_text="“local”, or “openai:MODEL” or “openai:MODEL:DIMENSIONS”. Once documents are in, an operator changes"
        " it with “manage.py reembed”.",
    )
    dimensions = models.PositiveSmallIntegerField(default=384, editable=False)
    # The number of the `EmbeddingSpace` that it is searched by now.
    space = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    # What people wrote in earlier versions. It still travels in plugin files; nothing shows it or goes by it.
    language = models.CharField(max_length=32, default="english")
    # Codes of the languages, other than English, that its documents are in, by `Document.language`.
    document_languages = ArrayField(
        models.CharField(max_length=8), default=list, db_default=[], blank=True, editable=False
    )
    revision = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = KnowledgeBaseQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="base", name="name", person="owner_id"),
        subject=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="owner_id"),
        created=Action.BASE_CREATED,
        deleted=Action.BASE_DELETED,
        changed=dict.fromkeys(("owner_id", "plugin_id", "kind"), Action.BASE_MOVED),
        named_if={"kind": BaseKind.PLUGIN},
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind=BaseKind.PLUGIN) | models.Q(plugin=None), name="private_base_has_no_plugin"
            ),
            models.UniqueConstraint(
                fields=["owner"], condition=models.Q(kind=BaseKind.PERSONAL), name="personal_base_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """As `KnowledgeBaseQuerySet.delete`."""
        return KnowledgeBase.objects.filter(pk=self.pk).delete()

    def is_owned_by(self, user: User) -> bool:
        """Whether the person decides which plugins use it."""
        return self.plugin.is_owned_by(user) if self.plugin else self.owner_id == user.pk

    @property
    def is_private(self) -> bool:
        return self.kind != BaseKind.PLUGIN

    @property
    def other_languages(self) -> str:
        """The languages other than English that its documents are in, as people read them."""
        return ", ".join(LANGUAGE_NAMES.get(code, code) for code in self.document_languages)

    def space_at(self, revision: int) -> EmbeddingSpace:
        """The space it was searched by at that revision; an unsaved one where it never changed its embedder."""
        known = {space.since: space for space in self.spaces.all() if space.since is not None}
        last = max((since for since in known if since <= revision), default=None)
        if last is None:
            return EmbeddingSpace(number=0, embedder=self.embedder, dimensions=self.dimensions, since=0)
        return known[last]


class Revision(models.Model):
    """What a knowledge base held at one revision: the figures that lexical ranking needs."""

    knowledge_base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    chunk_count = models.PositiveIntegerField()
    term_total = models.PositiveBigIntegerField(help_text="Sum of the chunks' lengths in words.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "number"], name="revision_once")]

    def __str__(self) -> str:
        return f"{self.knowledge_base} r{self.number}"
