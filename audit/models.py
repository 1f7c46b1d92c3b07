"""The rows of the audit log, and the names in it that can be erased."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Mapping

from django.db import models
from django.utils import timezone

from audit.actions import Action


class AuditEntry(models.Model):
    """Somebody did something. The database refuses to change or delete it (`audit/sql/append_only.sql`).

    `actor`, `object` and `subject` are references such as `person:ID`; `subject` is the other one that it is about: who
    was given the role, which plugin the knowledge was granted to. `names` has, for each reference that had a name then,
    the digest of its `AuditName`. `number` and `hash` are set by the database when the transaction commits: each hash
    covers its entry and the hash before it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    number = models.BigIntegerField(null=True, unique=True, editable=False)
    hash = models.CharField(max_length=64, default="", editable=False)
    at = models.DateTimeField(default=timezone.now, editable=False)
    action = models.CharField(max_length=40, choices=Action)
    actor = models.CharField(max_length=80, blank=True)
    via = models.CharField(max_length=160)
    object = models.CharField(max_length=80, blank=True)
    subject = models.CharField(max_length=80, blank=True)
    request_id = models.CharField(max_length=128, blank=True)
    details = models.JSONField(default=dict)
    names = models.JSONField(default=dict)

    class Meta:
        verbose_name = "entry of the audit log"
        verbose_name_plural = "audit log"
        ordering = ["-number"]
        indexes = [
            models.Index(fields=["at"], name="audit_entry_at"),
            models.Index(fields=["action", "at"], name="audit_entry_action"),
            models.Index(fields=["actor", "at"], name="audit_entry_actor"),
            models.Index(fields=["object", "at"], name="audit_entry_object"),
            models.Index(fields=["subject", "at"], name="audit_entry_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.action} {self.object}"

    @property
    def row_id(self) -> str:
        """The id of the row that was written: the object, or a row that says something of it, such as a grant."""
        return str(self.details.get("row") or self.object.partition(":")[2])

    @property
    def object_id(self) -> str:
        """The id of what it was done to."""
        return self.object.partition(":")[2]

    @property
    def subject_id(self) -> str:
        return self.subject.partition(":")[2]

    def known_names(self, names: Mapping[str, str]) -> dict[str, str]:
        """The names that it has, by reference; `names` are those that were not erased, by digest."""
        return {reference: names[digest] for reference, digest in self.names.items() if digest in names}


class AuditNameQuerySet(models.QuerySet["AuditName"]):
    def erase_person(self, pk: uuid.UUID, *, address: str = "") -> int:
        """From now on the log names neither this account nor, where it is theirs, this address. Returns how many names
        were erased."""
        theirs = models.Q(person=pk)
        if address:
            theirs |= models.Q(name__iexact=address)
        return self.filter(theirs).delete()[0]


class AuditName(models.Model):
    """What somebody or something was called when an entry was written. Entries hold only the digest, which with the
    salt tells nothing once this row is erased, and proves the name as long as it is there."""

    digest = models.CharField(primary_key=True, max_length=64, editable=False)
    reference = models.CharField(max_length=80, db_index=True)
    name = models.CharField(max_length=320)
    salt = models.CharField(max_length=32)
    person = models.UUIDField(null=True, db_index=True)

    objects = AuditNameQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @classmethod
    def salted(cls, *, reference: str, name: str, person: uuid.UUID | None) -> AuditName:
        """An unsaved row with a salt of its own and the digest that belongs to it."""
        row = cls(reference=reference, name=name, salt=secrets.token_hex(16), person=person)
        row.digest = row.compute_digest()
        return row

    def compute_digest(self) -> str:
        """Of salt, reference and name: another name under the same digest is found out."""
        return hashlib.sha256("\n".join((self.salt, self.reference, self.name)).encode()).hexdigest()
