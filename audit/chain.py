"""The hash chain of the audit log, which shows whether anybody has changed it: every hash covers its entry and the hash
before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

from audit.actions import Action
from audit.models import AuditEntry, AuditName
from lexic.database import read_snapshot
from lexic.errors import Conflict

_BATCH_SIZE = 2000
# The text that the hash covers, as the database makes it of the columns as they are now.
_ENTRIES = """
SELECT number, hash, id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       action, actor, via, object, subject, request_id, details::text, names::text
FROM audit_auditentry WHERE number > %s ORDER BY number LIMIT %s
"""


class BrokenChain(Conflict):
    """The audit log was changed."""

    code = "audit_log_changed"
    hint = "Keep the database as it is, and compare it with an export or a backup from before."


@dataclass(frozen=True, kw_only=True)
class ChainHead:
    """The last entry of the log: whoever keeps it elsewhere can tell later that nothing before it was changed."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> ChainHead:
        """The head that `str(head)` wrote. Raises `ValueError`."""
        number, _, digest = text.strip().partition(":")
        if len(digest) != 64:
            raise ValueError(text)
        return cls(number=int(number), hash=digest)


@dataclass(frozen=True, kw_only=True)
class ChainVerification:
    """An unbroken log with this number of `entries`. `first` and `head` are None where it is empty; `erased` counts the
    names that were erased."""

    entries: int
    first: int | None
    head: ChainHead | None
    erased: int


def verify_chain(*, known: ChainHead | None = None) -> ChainVerification:
    """Computes every hash anew. Raises `BrokenChain`, which names the first entry that is not as it was written.

    With a `known` head also what was cut off at the end, or written anew from some entry on, is found out.
    """
    with read_snapshot():  # entries may be pruned meanwhile
        return _verify_entries(known)


def _verify_entries(known: ChainHead | None) -> ChainVerification:
    entries, first, last = 0, None, ChainHead(number=0, hash="")
    known_found = known is None
    for number, said, text in _hashed_texts():
        if first is None:
            first = number
            if number > 1:
                last = _pruned_head(number)
        if number != last.number + 1:
            raise BrokenChain(f"Entry {last.number + 1} is missing.")
        if said != _digest(last.hash, text):
            raise BrokenChain(f"Entry {number} was changed, or an entry was put in or taken out before it.")
        if known and number == known.number:
            if said != known.hash:
                raise BrokenChain(f"Entry {number} is not the one that was known: the log was written anew.")
            known_found = True
        entries, last = entries + 1, ChainHead(number=number, hash=said)
    if known and not known_found and (first is None or known.number >= first):
        raise BrokenChain(f"The log ends with entry {last.number}, and entry {known.number} was there.")
    if loose := AuditEntry.objects.filter(number=None).first():
        raise BrokenChain(f"Entry {loose.pk} stands outside of the chain.")
    return ChainVerification(entries=entries, first=first, head=last if entries else None, erased=_check_names())


def _digest(previous: str, text: str) -> str:
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


def _hashed_texts() -> Iterator[tuple[int, str, str]]:
    """Number, hash and the text that the hash covers of every entry, in order."""
    after = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_ENTRIES, [after, _BATCH_SIZE])
            rows = cursor.fetchall()
        for number, said, *columns in rows:
            yield number, said, "\n".join(map(str, [number, *columns]))
        if len(rows) < _BATCH_SIZE:
            return
        after = rows[-1][0]


def _pruned_head(first: int) -> ChainHead:
    """The last entry before this one, as the entry that says that it was deleted has it. Raises `BrokenChain`."""
    pruned = AuditEntry.objects.filter(action=Action.LOG_PRUNED, details__through=first - 1).first()
    if pruned is None:
        raise BrokenChain(f"The entries before entry {first} are missing, and no entry says that they were deleted.")
    return ChainHead(number=first - 1, hash=str(pruned.details["hash"]))


def _check_names() -> int:
    """How many names were erased. Raises `BrokenChain` for one that was changed."""
    for name in AuditName.objects.iterator(chunk_size=_BATCH_SIZE):
        if name.compute_digest() != name.digest:
            raise BrokenChain(f"The name of {name.reference} was changed.")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT digest) FROM audit_auditentry, jsonb_each_text(names) AS named(reference, digest)"
            " WHERE NOT EXISTS (SELECT FROM audit_auditname known WHERE known.digest = named.digest)"
        )
        return int(cursor.fetchone()[0])
