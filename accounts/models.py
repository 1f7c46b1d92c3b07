from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models, transaction
from django.utils import timezone

from accounts import key_secrets
from accounts.client_models import AuthorizedClient as AuthorizedClient
from accounts.session_providers import acting_providers
from accounts.user_models import User as User
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from audit.record import record
from audit.references import Reference
from lexic.compiled_query import CompiledQuery
from lexic.errors import Conflict, NotAllowed, NotFound
from lexic.http.origins import MAX_ORIGIN_LENGTH


class ApiKeyQuerySet(AuditedQuerySet["ApiKey"]):
    def usable(self, *, now: datetime | None = None) -> ApiKeyQuerySet:
        """Keys that work now: neither revoked nor expired, of a person whose account is active."""
        now = now or timezone.now()
        unexpired = models.Q(expires_at=None) | models.Q(expires_at__gt=now)
        return self.filter(unexpired, revoked_at=None, owner__is_active=True)

    def for_secret(self, secret: str) -> ApiKey | None:
        """The usable key with this secret, found by equality of its SHA-256; None when there is none."""
        if not key_secrets.looks_like_key(secret):
            return None
        return _key_of_hash.first(now=timezone.now(), key_hash=key_secrets.hash_secret(secret))

    def visible_to(self, user: User) -> ApiKeyQuerySet:
        """What a person sees in the builder: superusers see the keys of everybody, never their secrets."""
        return self if user.is_superuser else self.filter(owner=user)

    def manageable_by(self, principal: Principal) -> ApiKeyQuerySet:
        """The keys that a person or a key may look after: the owner's. A key that is limited to some plugins sees
        itself, and those that are limited to some of the same plugins."""
        theirs = self.filter(owner=user_of(principal))
        allowed = principal.allowed_plugins() if isinstance(principal, ApiKey) else None
        if allowed is None:
            return theirs
        limits = ApiKeyPlugin.objects.filter(apikey=models.OuterRef("pk"))
        others = limits.exclude(plugin__in=[pk for pk in allowed if pk])
        is_within = models.Exists(limits) & ~models.Exists(others)
        return theirs.filter(models.Q(pk=principal.pk) | models.Q(is_within))


class KeyNotRotatable(Conflict):
    """Only a key that works, and that was not replaced yet, can be replaced."""

    code = "not_rotatable"
    hint = "Make a new key instead."


class RevealDisabled(Conflict):
    """Keys are shown once only on this server."""

    code = "reveal_off"
    hint = "If the secret is lost, rotate the key: the new one gets a new secret."


class SignedInOtherwise(NotAllowed):
    """This key was made after a sign-in through an organisation, and this session began otherwise."""

    code = "signed_in_otherwise"
    hint = "Sign in through the organisation, then try again."


class SecretNotStored(Conflict):
    """There is no copy of this key's secret."""

    code = "no_copy"
    hint = "It was revoked, or made while copies were not kept. Rotate it, or make a new one."


class UnknownKey(NotFound):
    """There is no such key among yours."""

    code = "unknown_key"


class ApiKeyManager(models.Manager["ApiKey"]):
    @transaction.atomic
    def issue(self, *, owner: User, name: str, plugins: Iterable[Any] = (), **fields: Any) -> tuple[ApiKey, str]:
        """Create a key and return it with its secret. The secret is not stored in the clear anywhere.

        With `plugins` the key can ask these and no others, ever: there is no moment at which it could ask more.
        """
        secret = key_secrets.generate_secret()
        fields.setdefault("issued_through", sorted(acting_providers(owner) or ()))
        key = self.create(
            owner=owner,
            name=name,
            key_hash=key_secrets.hash_secret(secret),
            prefix=secret[: key_secrets.PREFIX_LENGTH],
            key_encrypted=key_secrets.encrypt(secret) if settings.API_KEY_REVEAL else "",
            **fields,
        )
        key.plugins.set(plugins)
        return key, secret


class Capability(models.TextChoices):
    QUERY = "query", "ask questions"
    READ = "read", "read plugins and documents"
    AUTHOR = "author", "change plugins and documents"


def default_capabilities() -> list[str]:
    return [Capability.QUERY.value]


def default_per_minute() -> int:
    return min(60, settings.KEY_MAX_PER_MINUTE)


def default_per_day() -> int:
    return min(5000, settings.KEY_MAX_PER_DAY)


class ApiKey(AuditedModel):
    """The key with which an agent authenticates. It is looked up by its hash, and can be revealed while its encrypted
    copy is kept."""

    # Writing the time of every request would make each read a write; a minute is precise enough.
    LAST_USED_PRECISION = timedelta(minutes=1)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=100, help_text="A name for yourself, such as “planning agent”.")
    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    key_encrypted = models.TextField(blank=True, editable=False)
    prefix = models.CharField(max_length=16, editable=False)
    capabilities = ArrayField(models.CharField(max_length=16, choices=Capability.choices), default=default_capabilities)
    plugins = models.ManyToManyField(
        "plugins.Plugin",
        through="ApiKeyPlugin",
        blank=True,
        related_name="+",
        help_text="Only these plugins can be asked with the key. Empty: every plugin its owner may ask.",
    )
    per_minute = models.PositiveIntegerField(
        default=default_per_minute, validators=[MinValueValidator(1)], help_text="Requests in a minute."
    )
    per_day = models.PositiveIntegerField(
        default=default_per_day, validators=[MinValueValidator(1)], help_text="Requests in a day (UTC)."
    )
    allowed_origins = ArrayField(
        models.CharField(max_length=MAX_ORIGIN_LENGTH),
        default=list,
        blank=True,
        db_default=[],
        help_text="Web pages that may use the key from a browser, such as https://www.example.org.",
    )
    # The providers that had signed in whoever made it. It opens no organisation that wants another one.
    issued_through = ArrayField(models.CharField(max_length=200), default=list, db_default=[], editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    rotated_from = models.OneToOneField(
        "self", on_delete=models.SET_NULL, null=True, editable=False, related_name="rotated_into"
    )
    # The key that made this one over the API, which goes when its maker is revoked.
    made_with = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, editable=False, related_name="made")
    # Whose requests are counted together: a key goes on with the counters of the one it replaces.
    counted_as = models.UUIDField(default=uuid.uuid4, editable=False)

    objects = ApiKeyManager.from_queryset(ApiKeyQuerySet)()
    audit_rule = AuditRule(
        object=Named(kind="key", name="name", person="owner_id"),
        subject=Named(kind="person", pk="owner_id", name="owner__email", person="owner_id"),
        created=Action.KEY_ISSUED,
        deleted=Action.KEY_DELETED,
        changed=dict.fromkeys(("capabilities", "expires_at", "owner_id"), Action.KEY_CHANGED)
        | {"revoked_at": Action.KEY_REVOKED},
    )

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def can(self, capability: str) -> bool:
        return capability in self.capabilities

    def allowed_plugins(self) -> list[uuid.UUID | None] | None:
        """Ids of the only plugins this key may ask; None when it is not limited.

        A plugin that is gone stands here as None: it matches nothing, and the key stays limited.
        """
        return list(self.limits.values_list("plugin_id", flat=True)) or None

    def opens_private_bases(self) -> bool:
        """Whether it opens what is its owner's alone, or a project's: it may read, and is limited to no plugins."""
        return self.can(Capability.READ) and self.allowed_plugins() is None

    @property
    def is_of_client(self) -> bool:
        """Whether the key belongs to an OAuth client, whose tokens have the key's permissions."""
        return hasattr(self, "authorized_client")

    def with_makers(self) -> list[ApiKey]:
        """This key, the key that made it, the one that made that, and so on. No statement for a key of a person."""
        keys = [self]
        # A key that replaced its own maker would go round for ever.
        while (maker := keys[-1].made_with) and maker not in keys:
            keys.append(maker)
        return keys

    @property
    def state(self) -> str:
        """`works`, `expired` or `revoked`."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "works"

    @property
    def is_revealable(self) -> bool:
        return bool(self.key_encrypted and settings.API_KEY_REVEAL)

    def reveal(self) -> str | None:
        """The secret again, or None when revealing is switched off, or its copy was not kept or cannot be opened.

        For people go through `reveal_to`, which remembers it.
        """
        return key_secrets.decrypt(self.key_encrypted) if self.is_revealable else None

    def check_revealable(self) -> None:
        """Raises `RevealDisabled` or `SecretNotStored`: called before somebody is asked to sign in again."""
        if not settings.API_KEY_REVEAL:
            raise RevealDisabled
        if not self.key_encrypted:
            raise SecretNotStored

    def reveal_to(self, user: User) -> str:
        """The secret again, for its owner alone; an audit entry records it.

        The caller has to check that the person has signed in recently. Raises `UnknownKey`, `RevealDisabled`,
        `SecretNotStored`, and `SignedInOtherwise` if the key may do more than the session.
        """
        self.check_revealable()
        secret = self.reveal()
        if secret is None or self.owner_id != user.pk:
            raise SecretNotStored if self.owner_id == user.pk else UnknownKey
        if not set(self.issued_through) <= (acting_providers(user) or set()):
            raise SignedInOtherwise
        with transaction.atomic():
            Reveal.objects.create(key=self, by=user)
            record(Action.KEY_REVEALED, Reference("key", self.pk, self.name, self.owner_id))
        return secret

    @transaction.atomic
    def rotate(self, *, overlap: timedelta, renew: bool = False, now: datetime | None = None) -> tuple[ApiKey, str]:
        """A key that may do the same, with its secret; this one stops after `overlap`, or earlier if it was to.

        The new one ends when this one was to end; with `renew`, it lives as long as this one was to live. Both count
        against the same limits. Raises `KeyNotRotatable`.
        """
        now = now or timezone.now()
        old = ApiKey.objects.select_for_update(of=["self"]).get(pk=self.pk)
        if old.state != "works" or old.is_of_client or ApiKey.objects.filter(rotated_from=old).exists():
            raise KeyNotRotatable
        copied = ("allowed_origins", "capabilities", "per_minute", "per_day", "made_with_id", "counted_as")
        new, secret = ApiKey.objects.issue(
            owner=old.owner,
            name=old.name,
            rotated_from=old,
            expires_at=old._renewed_expiry(now) if renew else old.expires_at,
            **{name: getattr(old, name) for name in copied},
        )
        ApiKeyPlugin.objects.bulk_create(ApiKeyPlugin(apikey=new, plugin_id=pk) for pk in old.allowed_plugins() or [])
        old.made.update(made_with=new)
        self.expires_at = min(now + overlap, old.expires_at or now + overlap)
        self.save(update_fields=["expires_at"])
        return new, secret

    def _renewed_expiry(self, now: datetime) -> datetime | None:
        try:
            return now + (self.expires_at - self.created_at) if self.expires_at else None
        except OverflowError:  # the year 9999 is as far as it goes
            return self.expires_at

    @transaction.atomic
    def revoke(self) -> None:
        """Stop the key for good, with the keys that were made with it, and drop the copies of their secrets.

        The first time is the one that is remembered.
        """
        self.revoked_at = self.revoked_at or timezone.now()
        self.key_encrypted = ""
        self.save(update_fields=["revoked_at", "key_encrypted"])
        for key in self.made.filter(revoked_at=None):
            key.revoke()

    def touch(self, *, now: datetime | None = None) -> None:
        """Remember that the key was used, at most once in `LAST_USED_PRECISION`."""
        now = now or timezone.now()
        if self.last_used_at is None or now - self.last_used_at >= self.LAST_USED_PRECISION:
            ApiKey.objects.filter(pk=self.pk).update(last_used_at=now)
            self.last_used_at = now


class ApiKeyPluginQuerySet(AuditedQuerySet["ApiKeyPlugin"]):
    """The limits of keys."""


class ApiKeyPlugin(AuditedModel):
    """One plugin that a key is limited to.

    The row outlives its plugin, empty. Were it to go too, a key limited to that one plugin would be limited to
    nothing, and could suddenly ask every plugin of its owner.
    """

    apikey = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="limits")
    plugin = models.ForeignKey("plugins.Plugin", on_delete=models.SET_NULL, null=True, related_name="+")

    objects = ApiKeyPluginQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="key", pk="apikey_id", name="apikey__name", person="apikey__owner_id"),
        subject=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        created=Action.KEY_PLUGIN_ADDED,
        deleted=Action.KEY_PLUGIN_REMOVED,
        made_at=None,
    )

    class Meta:
        db_table = "accounts_apikey_plugins"
        unique_together = [("apikey", "plugin")]

    def __str__(self) -> str:
        return f"{self.apikey_id} → {self.plugin_id or 'a deleted plugin'}"


class Reveal(models.Model):
    """Somebody looked at the secret of a key again."""

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="reveals")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.key_id} on {self.at:%d %b %Y, %H:%M}"


# Whoever makes a request: a person who has signed in, or a key.
Principal = User | ApiKey


def may_read_documents(principal: Principal) -> bool:
    """Whether documents are shown as they are: to people, and to a key that may read or author. One that may only ask
    is given quotations."""
    return not isinstance(principal, ApiKey) or any(map(principal.can, (Capability.READ, Capability.AUTHOR)))


def user_of(principal: Principal) -> User:
    """The person who answers for what is done: a key acts for its owner, who then opens what the key does."""
    if not isinstance(principal, ApiKey):
        return principal
    principal.owner.acting_key = principal
    return principal.owner


def display_name(user: User) -> str:
    """How allauth's pages call a person."""
    return str(user)


def _usable_keys_of_hash(*, key_hash: str, now: datetime) -> ApiKeyQuerySet:
    return ApiKey.objects.usable(now=now).select_related("owner").filter(key_hash=key_hash)


_key_of_hash = CompiledQuery(
    _usable_keys_of_hash, key_hash="the hash of a secret", now=datetime(2000, 1, 1, tzinfo=UTC)
)
