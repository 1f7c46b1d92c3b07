"""Grants: which plugins may use the knowledge base of another owner, who allowed it, and for what."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts.models import ApiKey, Principal, User, user_of
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from lexic.errors import NotAllowed
from organisations.models import READING_ROLES, Membership, Organisation, OrganisationRole
from plugins.models import Plugin

if TYPE_CHECKING:
    from knowledge.models import KnowledgeBase


class Consent(models.TextChoices):
    """What the owner of a knowledge base agrees to. Each choice includes the ones above it."""

    DRAFT = "draft", "draft: people who work on the plugin ask its draft"
    PUBLISHED = "published", "published: everybody who may ask the plugin gets quotations"
    SHARED = "shared", "shared: others may also install copies that hold its documents"

    @classmethod
    def at_least(cls, least: str) -> list[str]:
        return cls.values[cls.values.index(least) :]


class BaseIsPrivate(NotAllowed):
    """This knowledge base belongs to a person or a project, and no plugin may read it."""

    code = "private_base"
    hint = "Add the documents to a knowledge base of the plugin, if everybody who asks the plugin may read them."


class KnowledgeGrantQuerySet(AuditedQuerySet["KnowledgeGrant"]):
    def open(self) -> KnowledgeGrantQuerySet:
        """Grants and requests that have not ended."""
        return self.filter(ended_at=None)

    def requested(self) -> KnowledgeGrantQuerySet:
        return self.open().filter(granted_at=None)

    def standing(self, least: str = Consent.DRAFT) -> KnowledgeGrantQuerySet:
        """Grants that hold now: given, not ended, for at least this use, and to a person who may still open the base.

        This is the only rule by which a plugin uses knowledge that is not its own.
        """
        given = self.open().filter(granted_at__isnull=False, consent__in=Consent.at_least(least))
        return given.filter(_person_opens_base())

    def usable(self, least: str = Consent.DRAFT) -> KnowledgeGrantQuerySet:
        """The standing grants that give access now. A grant for drafts gives none while the organisation of the base is
        closed to its person because of how they sign in; what is published is read as before."""
        signed_in = Organisation.objects.satisfied_by(models.OuterRef(models.OuterRef("granted_to")))
        is_open = signed_in.filter(pk=models.OuterRef("knowledge_base__plugin__organisation"))
        is_theirs = models.Q(knowledge_base__plugin=None) | models.Q(knowledge_base__plugin__organisation=None)
        is_published = models.Q(consent__in=Consent.at_least(Consent.PUBLISHED))
        return self.standing(least).filter(
            is_published | is_theirs | _is_of_one_organisation() | models.Exists(is_open)
        )

    def lapsed(self) -> KnowledgeGrantQuerySet:
        """Grants and requests that have not ended, of people who may no longer open the base."""
        return self.open().exclude(pk__in=KnowledgeGrant.objects.filter(_person_opens_base()).values("pk"))

    def decided_by(self, principal: Principal) -> KnowledgeGrantQuerySet:
        """Grants and requests that this person decides on: those of the bases that they own. A key that is limited to
        plugins decides on those of the plugins' own bases."""
        user = user_of(principal)
        mine = self if user.is_superuser and user.is_active else self.owned_by(user)
        allowed = principal.allowed_plugins() if isinstance(principal, ApiKey) else None
        return mine if allowed is None else mine.filter(knowledge_base__plugin__in=allowed)

    def owned_by(self, user: User) -> KnowledgeGrantQuerySet:
        """Grants and requests of the bases that the person owns, or an organisation that they own."""
        owned = Organisation.objects.open_to(user, roles=[OrganisationRole.OWNER])
        own = models.Q(knowledge_base__owner=user, knowledge_base__plugin__organisation=None)
        return self.filter(own | models.Q(knowledge_base__plugin__organisation__in=owned))

    def with_people(self) -> KnowledgeGrantQuerySet:
        """Grants and requests that have not ended, with their people, plugins and bases. `stands` is false for
        requests, and for grants that lapsed with their person's access."""
        stands = models.Exists(KnowledgeGrant.objects.standing().filter(pk=models.OuterRef("pk")))
        people = ("knowledge_base__owner", "plugin__owner", "granted_to", "granted_by")
        return self.open().annotate(stands=stands).select_related(*people)

    @transaction.atomic
    def attach(self, base: KnowledgeBase, plugin: Plugin, *, by: User, consent: str = "") -> KnowledgeGrant:
        """Let the draft of the plugin read the base: at once where `by` owns the base, else once its owner agrees.

        Without `consent`, who owns base and plugin agrees to every use, and anybody else to drafts alone. A grant that
        stands already is used again. The caller has checked that `by` may edit both. Raises `BaseIsPrivate`.
        """
        if base.is_private:
            raise BaseIsPrivate
        Plugin.objects.select_for_update(no_key=True).only("pk").get(pk=plugin.pk)  # one at a time
        mine = self.filter(knowledge_base=base, plugin=plugin)
        if known := mine.standing().first():
            known.is_attached = True
            known.save(update_fields=["is_attached"])
            return known
        mine.end()
        grant = self.create(knowledge_base=base, plugin=plugin, granted_to=by)
        if base.is_owned_by(by) or by.is_superuser:
            owns_both = plugin.owner_id == base.owner_id == by.pk
            grant.give(by=by, consent=consent or (Consent.SHARED if owns_both else Consent.DRAFT))
        return grant

    def end(self, *, now: datetime | None = None) -> int:
        """Nothing reads by these grants any more: neither drafts nor releases. Returns how many were open."""
        return self.open().update(ended_at=now or timezone.now(), is_attached=False)


def _person_opens_base() -> models.Q:
    """The person of the grant owns the base, works on its plugin, alone or in its organisation, or runs the site. Where
    base and plugin belong to one organisation, any person will do."""
    person = models.Q(granted_to__is_superuser=True) | models.Q(granted_to=models.F("knowledge_base__owner"))
    for members in (Plugin.editors.through, Plugin.viewers.through):
        of_plugin = {"plugin": models.OuterRef("knowledge_base__plugin"), "user": models.OuterRef("granted_to")}
        person |= models.Q(models.Exists(members._default_manager.filter(**of_plugin)))
    colleagues = Membership.objects.filter(
        organisation=models.OuterRef("knowledge_base__plugin__organisation"),
        user=models.OuterRef("granted_to"),
        role__in=READING_ROLES,
    )
    return _is_of_one_organisation() | (person | models.Q(models.Exists(colleagues))) & models.Q(
        granted_to__is_active=True
    )


def _is_of_one_organisation() -> models.Q:
    return models.Q(plugin__organisation=models.F("knowledge_base__plugin__organisation"))


class KnowledgeGrant(AuditedModel):
    """A knowledge base that a plugin may use though it belongs to another plugin, or to none.

    Without `granted_at` it is a request that waits for the owner of the base. `is_attached` says that the draft reads
    the base: releases that pinned it go on reading it after the draft detached it, until the grant ends.
    """

    knowledge_base = models.ForeignKey("knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="grants")
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="knowledge_grants")
    consent = models.CharField(max_length=12, choices=Consent.choices, default=Consent.DRAFT)
    is_attached = models.BooleanField(default=True)
    granted_to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    granted_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = KnowledgeGrantQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(
            kind="base", pk="knowledge_base_id", name="knowledge_base__name", person="knowledge_base__owner_id"
        ),
        subject=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        created=Action.GRANT_CREATED,
        deleted=Action.GRANT_CHANGED,
        changed=dict.fromkeys(
            ("consent", "is_attached", "granted_at", "ended_at", "granted_to_id", "granted_by_id"), Action.GRANT_CHANGED
        ),
        made_at="requested_at",
    )

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["knowledge_base", "plugin"], condition=models.Q(ended_at=None), name="grant_open_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.knowledge_base_id} for {self.plugin_id}"

    def give(self, *, by: User, consent: str, now: datetime | None = None) -> None:
        """The owner agrees to this use; a later call agrees to another one."""
        self.granted_by, self.consent = by, consent
        self.granted_at = self.granted_at or now or timezone.now()
        self.save(update_fields=["granted_by", "consent", "granted_at"])

    def detach(self) -> None:
        """The draft reads the base no longer. A request is over; a grant stays for releases that pinned the base."""
        self.is_attached = False
        self.ended_at = None if self.granted_at else timezone.now()
        self.save(update_fields=["is_attached", "ended_at"])
