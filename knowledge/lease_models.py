"""Who may do some work alone, as rows. Part of `knowledge.models`, which imports it."""

from __future__ import annotations

from django.db import connection, models

# By the clock of the database alone: those of two machines differ.
_TAKE = """
INSERT INTO knowledge_lease AS held (name, holder, taken_at, expires_at)
VALUES (%(name)s, %(holder)s, clock_timestamp(), clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, taken_at = excluded.taken_at, expires_at = excluded.expires_at
WHERE held.expires_at < clock_timestamp() OR held.holder = %(from_dead)s
"""
_RENEW = """
UPDATE knowledge_lease SET expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE name = %(name)s AND holder = %(holder)s
"""


class LeaseQuerySet(models.QuerySet["Lease"]):
    def take(self, name: str, *, holder: str, seconds: float, from_dead: str) -> bool:
        """Whether the lease is this holder's now: nobody had it, or its time was over, or `from_dead` had it."""
        return self._changes_row(_TAKE, name=name, holder=holder, seconds=seconds, from_dead=from_dead)

    def renew(self, name: str, *, holder: str, seconds: float) -> bool:
        """False where the lease is not this holder's any more."""
        return self._changes_row(_RENEW, name=name, holder=holder, seconds=seconds)

    def _changes_row(self, statement: str, **values: str | float) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.rowcount == 1


class Lease(models.Model):
    """Somebody does this work, until `expires_at` unless they renew it. What they hold is taken and renewed by SQL."""

    name = models.CharField(max_length=200, primary_key=True, editable=False)
    holder = models.CharField(max_length=100, editable=False)
    taken_at = models.DateTimeField(editable=False)
    expires_at = models.DateTimeField(editable=False)

    objects = LeaseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} until {self.expires_at:%H:%M:%S}"
