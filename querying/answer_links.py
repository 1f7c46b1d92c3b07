"""Links to single answers, for whoever has the address."""

from __future__ import annotations

import secrets
from typing import Any

from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone

from lexic.errors import Conflict

_TOKEN_BYTES = 24


class LinkRevokedByAuthor(Conflict):
    """The plugin's author has revoked the link to this answer."""

    code = "link_revoked_by_author"
    hint = "Ask the author; only they can allow a new one."


def new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


class AnswerLinkQuerySet(models.QuerySet["AnswerLink"]):
    def live(self) -> AnswerLinkQuerySet:
        """The links that open: not revoked, and the answer's words are still kept."""
        return self.filter(revoked_at=None, query__erased_at=None)


class AnswerLink(models.Model):
    """A link to the query row of one answer as it was logged. Nothing is copied, so the link ends when the row is
    deleted.

    It contains no reference to a person. Whoever asked creates and revokes it; after the plugin's author has revoked
    it, it cannot be created again.
    """

    query = models.OneToOneField("querying.Query", on_delete=models.CASCADE, related_name="link")
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    revoked_by_author = models.BooleanField(default=False, editable=False)

    objects = AnswerLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"link of {self.created_at:%Y-%m-%d}"

    def renew(self) -> None:
        """Opens a revoked link again, at another address. The caller has locked the row. Raises
        `LinkRevokedByAuthor`."""
        if self.revoked_by_author:
            raise LinkRevokedByAuthor
        if self.revoked_at:
            self.token, self.revoked_at, self.created_at = new_token(), None, timezone.now()
            self.save(update_fields=["token", "revoked_at", "created_at"])

    def revoke(self, *, by_author: bool = False) -> None:
        """Whoever opens it from now on finds nothing."""
        # In the database, so that nobody undoes what another has revoked at the same moment.
        changes: dict[str, Any] = {"revoked_at": Coalesce("revoked_at", timezone.now())}
        if by_author:
            changes["revoked_by_author"] = True
        AnswerLink.objects.filter(pk=self.pk).update(**changes)
