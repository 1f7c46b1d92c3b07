from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from accounts import quotas
from accounts.models import ApiKey, ApiKeyPlugin, Principal, User, user_of
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from lexic.errors import Conflict
from lexic.http.origins import MAX_ORIGIN_LENGTH
from lexic.name_field import NameField
from organisations.models import EDITING_ROLES, READING_ROLES, Organisation, OrganisationRole
from organisations.person_rule import PersonRule
from plugins import slugs
from plugins.answer_policy import AnswerPolicy as AnswerPolicy
from plugins.answer_policy import CitationMode as CitationMode
from plugins.answer_policy import Planner as Planner
from plugins.collaborator_models import Invitation as Invitation
from plugins.collaborator_models import OrganisationOffer as OrganisationOffer
from plugins.collaborator_models import OwnershipOffer as OwnershipOffer
from plugins.collaborator_models import Role as Role
from plugins.release_models import SEMVER as SEMVER
from plugins.release_models import Release as Release
from plugins.release_models import ReleaseImmutable as ReleaseImmutable
from plugins.release_models import ReleaseQuerySet as ReleaseQuerySet
from plugins.retention import RetentionSettings
from plugins.visibility import (
    HAS_PAGE,
    IS_ASKED,
    IS_ASKED_BY_NAME,
    IS_COPIED,
    IS_LISTED,
    WITH_PAGE,
    VisibilitySettings,
    is_page_token,
    new_page_token,
)
from plugins.visibility import PluginKind as PluginKind
from plugins.visibility import Visibility as Visibility
from plugins.visibility import at_address as _at_address


class GoldenGate(models.TextChoices):
    OFF = "off", "off: publish whatever the golden questions say"
    WARN = "warn", "warn: say which golden questions fail, and publish"
    BLOCK = "block", "block: publish only when enough golden questions pass"


class ChunkStrategy(models.TextChoices):
    CHARACTERS = "characters", "by characters (1500, 200 shared)"
    TOKENS = "tokens", "by tokens (512, 64 shared)"


class PluginQuerySet(AuditedQuerySet["Plugin"]):
    """A key may do no more than its owner, and only to the plugins that it is limited to."""

    def editable_by(self, principal: Principal) -> PluginQuerySet:
        """Plugins this person may change: their own and those they edit; all for a superuser."""
        user, plugins = user_of(principal), self._limited_to_key(principal)
        if not user.is_active:
            return self.none()
        if user.is_superuser:
            return plugins
        mine = models.Q(owner=user) | models.Q(pk__in=_EDITED.ids(user))
        return plugins.filter(mine | _is_of_organisation(user, EDITING_ROLES), _is_open_to(user))

    def viewable_by(self, principal: Principal) -> PluginQuerySet:
        """Plugins this person may look at in the builder: those they may change, and those they may view."""
        user = user_of(principal)
        viewed = models.Q(pk__in=_VIEWED.ids(user)) | _is_of_organisation(user, READING_ROLES)
        viewed = viewed & _is_open_to(user) if user.is_active else models.Q(pk=None)
        plugins = self._limited_to_key(principal)
        return plugins.filter(models.Q(pk__in=EDITABLE.ids(user)) | viewed)

    def askable_by(self, principal: Principal) -> PluginQuerySet:
        """Plugins a person or a key may ask, whoever told them of it. Lists name those `discoverable_by` them."""
        return self._limited_to_key(principal).filter(IS_ASKED | _is_viewable_by(principal))

    def discoverable_by(self, principal: Principal) -> PluginQuerySet:
        """Plugins that a list may name to a person or a key: the listed ones, and those they may look at in the
        builder."""
        return self._limited_to_key(principal).filter(IS_LISTED | _is_viewable_by(principal))

    def askable_by_name(self, principal: Principal) -> PluginQuerySet:
        """Plugins that a person or a key may ask by slug or id, which can be guessed: no unlisted ones of others."""
        return self._limited_to_key(principal).filter(IS_ASKED_BY_NAME | _is_viewable_by(principal))

    def listed_to(self, principal: Principal) -> PluginQuerySet:
        """The plugins `askable_by` a person or a key that anybody may know of. Django builds this statement in a tenth
        of the time, so a search for one plugin tries it first."""
        return self._limited_to_key(principal).filter(IS_LISTED)

    def listed(self) -> PluginQuerySet:
        """Published plugins that anybody may know of; the library of a codebase only once it is shared."""
        return self.filter(IS_LISTED)

    def with_page(self) -> PluginQuerySet:
        """Published plugins whose page anybody may open: the listed ones, and unlisted ones `at_address`."""
        return self.filter(HAS_PAGE)

    def at_address(self, address: str) -> PluginQuerySet:
        """The plugin of this last part of the address of a page: its slug, or the token of an unlisted page."""
        return self.filter(_at_address(address))

    def copied(self) -> PluginQuerySet:
        """The plugins `with_page` that others may copy."""
        return self.filter(IS_COPIED)

    def in_public_chat(self) -> PluginQuerySet:
        """Published plugins that anybody may chat with, without an account."""
        return self.filter(is_published=True, public_chat=True, visibility__in=WITH_PAGE)

    def with_role_of(self, principal: Principal) -> PluginQuerySet:
        """`role` on each: "owner", "editor" or "viewer". Those who run the site may do what an owner may; so do owners
        of its organisation, and reviewers there view."""
        user = user_of(principal)
        rest = "owner" if user.is_superuser else Role.VIEWER.value
        owned = models.Q(owner=user) | _is_of_organisation(user, [OrganisationRole.OWNER])
        edited = models.Q(pk__in=_EDITED.ids(user)) | _is_of_organisation(user, EDITING_ROLES)
        role = models.Case(
            models.When(owned, then=models.Value("owner")),
            models.When(edited, then=models.Value(Role.EDITOR.value)),
            default=models.Value(rest),
            output_field=models.CharField(),
        )
        return self.select_related("owner").annotate(role=role)  # type: ignore[no-redef]

    def _limited_to_key(self, principal: Principal) -> PluginQuerySet:
        """The plugins within the key's limits when the statement runs. A limit whose plugin is gone matches nothing."""
        if not isinstance(principal, ApiKey):
            return self
        limits = ApiKeyPlugin.objects.filter(apikey=principal.pk)
        return self.filter(~models.Exists(limits) | models.Q(pk__in=limits.values("plugin")))


def _is_viewable_by(principal: Principal) -> models.Q:
    """The condition on plugins that this person, or the owner of this key, may look at in the builder."""
    return models.Q(pk__in=VIEWABLE.ids(user_of(principal)))


def _is_of_organisation(user: User, roles: Sequence[str]) -> models.Q:
    """The condition on plugins of organisations in which this person has one of these roles."""
    return models.Q(organisation__in=_open_organisations(tuple(roles)).ids(user))


def _is_open_to(user: User) -> models.Q:
    """The condition on plugins whose organisation takes how this person signs in: it holds also for those who have a
    role on the plugin itself."""
    return models.Q(organisation=None) | models.Q(organisation__in=_SATISFIED.ids(user))


@cache
def _open_organisations(roles: tuple[str, ...]) -> PersonRule:
    return PersonRule(lambda user: Organisation.objects.open_to(user, roles=roles).values("pk"))


_SATISFIED = PersonRule(lambda user: Organisation.objects.satisfied_by(user).values("pk"))
_EDITED = PersonRule(lambda user: user.edited_plugins.values("pk"))
_VIEWED = PersonRule(lambda user: user.viewed_plugins.values("pk"))
# The plugins that a person may change, and those that they may look at, for conditions of other query sets.
EDITABLE = PersonRule(lambda user: Plugin.objects.editable_by(user).values("pk"))
VIEWABLE = PersonRule(lambda user: Plugin.objects.viewable_by(user).values("pk"))


class PublishingBlocked(Conflict):
    """An operator withdrew this plugin after a report; it cannot be published until they allow it."""

    code = "is_held"
    hint = "Correct what was reported, and write to the operators of this site."


class Plugin(AuditedModel, VisibilitySettings, RetentionSettings, AnswerPolicy):
    """What an expert authors: persona and policy. Knowledge and trees point at it from their own apps.

    One of an `organisation` has an owner of that organisation as `owner`: the account that its documents count for.
    """

    MAX_CONFIG_LENGTH = 16_000  # characters of JSON

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="owned_plugins")
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, editable=False, related_name="plugins"
    )
    editors = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="edited_plugins",
        help_text="They may change it.",
    )
    viewers = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="viewed_plugins",
        help_text="They may look at it in the builder and ask its draft, but not change it.",
    )
    kind = models.CharField(
        max_length=8,
        choices=PluginKind.choices,
        default=PluginKind.EXPERT,
        db_default=PluginKind.EXPERT,
        editable=False,
        help_text="What its answers are drawn from.",
    )
    name = NameField(max_length=120)
    slug = models.SlugField(
        max_length=slugs.MAX_SLUG_LENGTH,
        unique=True,
        blank=True,
        help_text="What agents call it. Made from the name when left empty.",
    )
    tagline = NameField(max_length=160, blank=True, help_text="One line for the marketplace.")
    description = models.TextField(blank=True)
    domain = models.CharField(max_length=80, help_text="The field it knows, such as “structural-engineering”.")
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    chunk_strategy = models.CharField(max_length=16, choices=ChunkStrategy.choices, default=ChunkStrategy.CHARACTERS)
    chunk_size = models.PositiveIntegerField(default=1500, validators=[MinValueValidator(200), MaxValueValidator(8000)])
    golden_gate = models.CharField(max_length=8, choices=GoldenGate.choices, default=GoldenGate.WARN)
    golden_share = models.FloatField(
        "golden questions needed",
        default=0.95,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="The share of golden questions that must pass (0 to 1), where the gate blocks.",
    )
    is_held = models.BooleanField(
        default=False,
        editable=False,
        help_text="An operator withdrew it; it cannot be published until they allow it.",
    )
    is_shared = models.BooleanField("shared", default=False, help_text="Others may install a copy.")
    shares_golden = models.BooleanField(
        "golden questions are shared",
        default=False,
        help_text="A copy holds its golden questions, so that its new owner can measure it too.",
    )
    public_chat = models.BooleanField(default=False, help_text="Anyone may chat with it on its public page.")
    embed_origins = ArrayField(
        models.CharField(max_length=MAX_ORIGIN_LENGTH),
        default=list,
        blank=True,
        db_default=[],
        help_text="Web pages that may show the public chat, or ask it from a browser: https://www.example.org.",
    )
    spending_cap = models.DecimalField(
        max_digits=10,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="What its answers may cost in a calendar month. Then questions are refused. Empty: no cap.",
    )
    config = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Values for programs of one's own. Lexic keeps them and gives them to webhooks.",
    )
    version = models.CharField(max_length=32, default="1.0.0", editable=False)
    next_notes = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="What was typed for the next release."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    # Whoever asked for it by `with_role_of` is this: "owner", "editor" or "viewer".
    role: str

    objects = PluginQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="plugin", name="name", person="owner_id"),
        created=Action.PLUGIN_CREATED,
        deleted=Action.PLUGIN_DELETED,
        changed={
            "owner_id": Action.OWNER_CHANGED,
            "organisation_id": Action.OWNER_CHANGED,
            "is_published": (Action.PUBLISHED, Action.UNPUBLISHED),
            "version": Action.PUBLISHED,
            "visibility": Action.VISIBILITY_CHANGED,
            "page_token": Action.PAGE_MOVED,
            "is_shared": (Action.SHARED, Action.UNSHARED),
            "public_chat": (Action.CHAT_OPENED, Action.CHAT_CLOSED),
            "public_only": (Action.NARROWED, Action.WIDENED),
            "is_held": (Action.BLOCKED, Action.UNBLOCKED),
            "legal_hold": Action.HOLD_CHANGED,
        },
        shown={"page_token": bool},  # whoever has it opens the page
    )

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["owner"], name="plugin_owner")]
        constraints = [
            models.UniqueConstraint(
                fields=["page_token"], condition=~models.Q(page_token=""), name="plugin_page_token_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises `TooManyPlugins` where a new one would be too many."""
        if not self.slug:
            self.slug = self.free_slug()
        if self.is_unlisted and not self.page_token:
            self.page_token = new_page_token()
            fields = kwargs.get("update_fields")
            kwargs |= {"update_fields": [*fields, "page_token"]} if fields is not None else {}
        if self._state.adding:
            Plugin.check_quota(self.owner)
        super().save(*args, **kwargs)

    @staticmethod
    def check_quota(owner: User) -> None:
        """Raises `TooManyPlugins` where this person may not have one more. An operator has no quota of their own."""
        if not owner.is_superuser and quotas.PLUGINS.limit("account"):
            quotas.PLUGINS.check("account", used=Plugin.objects.filter(owner=owner).count())
        if quotas.PLUGINS.limit("site"):
            quotas.PLUGINS.check("site", used=Plugin.objects.count())

    def clean(self) -> None:
        super().clean()
        if slugs.parse_id(self.slug) or is_page_token(self.slug):
            raise ValidationError({"slug": "A slug cannot look like an id: agents may ask a plugin by either."})
        try:
            self.check_slug()
        except slugs.SlugTaken as error:
            raise ValidationError({"slug": error.message_with_hint}) from error

    def check_slug(self) -> None:
        """Raises `SlugTaken`, which names a free slug, where another plugin or an address of the API is called so."""
        if self._has_slug(self.slug):
            raise slugs.SlugTaken(
                hint=f"Choose another one, such as “{self.free_slug()}”, or leave it out to get a free one."
            )

    def free_slug(self) -> str:
        """A slug that nothing else has, made from its own or from the name."""
        return slugs.unique_slug(self.slug or self.name, taken=self._has_slug)

    def _has_slug(self, slug: str) -> bool:
        """Whether anything else is called so."""
        return slug in slugs.RESERVED_SLUGS or Plugin.objects.filter(slug=slug).exclude(pk=self.pk).exists()

    def may_be_shared_by(self, user: User) -> bool:
        """Who works on a plugin is its owner's business; editors change everything else."""
        return user.is_active and (user.is_superuser or self.is_owned_by(user))

    def is_owned_by(self, user: User) -> bool:
        """Whether the person owns it, or is an owner of the organisation that does."""
        if self.organisation_id is None:
            return self.owner_id == user.pk
        owned = Organisation.objects.open_to(user, roles=[OrganisationRole.OWNER])
        return owned.filter(pk=self.organisation_id).exists()

    def keep_next_notes(self, notes: str) -> None:
        """What is typed for the next release stays until that is made. It is no change of the draft."""
        self.next_notes = notes
        self.save(update_fields=["next_notes"])

    def latest_release(self) -> Release | None:
        return self.releases.order_by("-created_at").first()

    def set_live_release(self, release: Release) -> None:
        """Let agents ask the given release of this plugin. Raises `PublishingBlocked`."""
        if self.is_held:
            raise PublishingBlocked
        self.is_published = True
        self.version = release.version
        self.save(update_fields=["is_published", "version", "updated_at"])

    def unpublish(self) -> None:
        """Withdraw the plugin. Its releases stay, so that what was answered can be replayed."""
        self.is_published = False
        self.save(update_fields=["is_published", "updated_at"])

    def block_publishing(self) -> None:
        """Keeps the plugin withdrawn until `unblock_publishing`."""
        self.is_held = True
        self.save(update_fields=["is_held", "updated_at"])

    def unblock_publishing(self) -> None:
        """Lets the plugin be published again, which only its own people do."""
        self.is_held = False
        self.save(update_fields=["is_held", "updated_at"])
