"""A person with an account. Part of `accounts.models`, which imports it."""

from __future__ import annotations

import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models, transaction
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from audit.models import AuditName

if TYPE_CHECKING:
    from accounts.models import ApiKey

UNNAMED = gettext_noop("Unnamed member")


def normalized_email(email: str) -> str:
    """As every account has its address, so that one is found by the index of the column."""
    return email.strip().lower()


class UserQuerySet(AuditedQuerySet["User"]):
    """Accounts; a change of what many of them may do is recorded for each."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes them one by one, so that the audit log names none of them any more."""
        with transaction.atomic():
            deleted = [user.delete() for user in self]
        counts = Counter[str]()
        for _, by_model in deleted:
            counts.update(by_model)
        return sum(count for count, _ in deleted), dict(counts)


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=normalized_email(username or ""))

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=normalized_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AuditedModel, AbstractBaseUser, PermissionsMixin):
    """A person. The email address is the login; no name is ever needed to sign in."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField("email address", unique=True)
    # As the person chose it, or the provider that they signed up with says it; empty until then.
    display_name = models.CharField(max_length=150, blank=True)
    # The name of a file in `accounts.avatars`, made by the server; empty without a picture.
    avatar = models.CharField(max_length=64, blank=True, editable=False)
    # In which the person chose to read visitors' pages and our mails, as `settings.LANGUAGES` has it; empty until then.
    language = models.CharField(max_length=10, blank=True, default="", db_default="", editable=False)
    is_staff = models.BooleanField(
        "may use the builder", default=False, help_text="Opens the admin, where plugins are built."
    )
    is_active = models.BooleanField(default=True)
    # When a new author has hidden the first steps on the builder's first page.
    checklist_dismissed_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    # The key by which this person acts (`accounts.models.user_of`); None for themselves.
    acting_key: ApiKey | None = None

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager.from_queryset(UserQuerySet)()
    audit_rule = AuditRule(
        object=Named(kind="person", name="email", person="pk"),
        created=Action.ACCOUNT_CREATED,
        deleted=Action.ACCOUNT_DELETED,
        changed=dict.fromkeys(("is_staff", "is_superuser", "is_active"), Action.ROLE_CHANGED),
    )

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_ci")]

    def __str__(self) -> str:
        """What their colleagues read: the name, else the part of the address before the @, without its tag."""
        local_part = self.email.partition("@")[0]
        return self.display_name or local_part.partition("+")[0] or local_part

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = normalized_email(self.email)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """From then on the audit log has an id where it had the person's name and address."""
        pk = self.pk
        with transaction.atomic():
            deleted = super().delete(*args, **kwargs)
            AuditName.objects.erase_person(pk)
        return deleted

    @property
    def avatar_url(self) -> str:
        """Where the picture is, on this site; empty without one."""
        return reverse("avatar", args=[self.avatar]) if self.avatar else ""

    @property
    def public_name(self) -> str:
        """What anybody may read of a person: the name they go by, and never an address or a part of one."""
        return self._shown_name or gettext(UNNAMED)

    @property
    def is_unnamed(self) -> bool:
        """Whether the public reads no name of theirs."""
        return not self._shown_name

    @property
    def _shown_name(self) -> str:
        name = " ".join(self.display_name.split())
        has_address = any("@" in word.strip("@") for word in name.split())
        return "" if has_address else name

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)
