"""When the log was last verified, and what came of it, for the operators' page and the alarms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache
from django.utils import timezone

from audit.chain import BrokenChain, ChainHead, ChainVerification, verify_chain

_KEY = "audit:verification"


@dataclass(frozen=True, kw_only=True)
class Verification:
    """`problem` is empty where the log was as it was written."""

    at: datetime
    problem: str


def verify_and_remember(*, known: ChainHead | None = None) -> ChainVerification:
    """Verifies the whole log; `known` is a head that somebody kept. Raises `BrokenChain`."""
    try:
        found = verify_chain(known=known)
    except BrokenChain as error:
        cache.set(_KEY, (timezone.now(), error.message), timeout=None)
        raise
    cache.set(_KEY, (timezone.now(), ""), timeout=None)
    return found


def last_verification() -> Verification | None:
    """None where none is remembered: Redis keeps it."""
    found = cache.get(_KEY)
    return Verification(at=found[0], problem=found[1]) if found else None
