"""Leases as rows: each lets one holder do some work alone. Part of `knowledge.models`, which imports it."""

from __future__ import annotations

from collections.abc import Collection

from django.db import connection, models

# By the clock of the database alone: those of two machines differ. In order, so that two who take several names never
# wait for each other in a circle.
_TAKE = """
INSERT INTO knowledge_lease AS held (name, holder, taken_at, expires_at)
SELECT name, %(holder)s, clock_timestamp(), clock_timestamp() + make_interval(secs => %(seconds)s)
FROM unnest(%(names)s::text[]) AS wanted (name)
ORDER BY name
ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, taken_at = excluded.taken_at, expires_at = excluded.expires_at
WHERE held.expires_at < clock_timestamp() OR held.holder = ANY(%(from_dead)s::text[])
RETURNING name
"""
_RENEW = """
UPDATE knowledge_lease SET expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE holder = %(holder)s AND name = ANY(%(names)s::text[])
RETURNING name
"""


class LeaseQuerySet(models.QuerySet["Lease"]):
    def take(self, *names: str, holder: str, seconds: float, from_dead: Collection[str] = ()) -> set[str]:
        """Takes the leases that are free, have expired, or are held by one of `from_dead`. Returns the names of those
        that this holder has now."""
        return self._changed(_TAKE, names=list(names), holder=holder, seconds=seconds, from_dead=list(from_dead))

    def renew(self, *names: str, holder: str, seconds: float) -> set[str]:
        """Renews the leases of these names that this holder still has, and returns their names."""
        return self._changed(_RENEW, names=list(names), holder=holder, seconds=seconds)

    def _changed(self, statement: str, **values: str | float | list[str]) -> set[str]:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return {name for (name,) in cursor.fetchall()}


class Lease(models.Model):
    """Somebody does this work, until `expires_at` unless they renew it. What they hold is taken and renewed by SQL."""

    name = models.CharField(max_length=200, primary_key=True, editable=False)
    holder = models.CharField(max_length=100, editable=False)
    taken_at = models.DateTimeField(editable=False)
    expires_at = models.DateTimeField(editable=False)

    objects = LeaseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} until {self.expires_at:%H:%M:%S}"
