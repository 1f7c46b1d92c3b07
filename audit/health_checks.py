"""The checks of the audit log for `manage.py doctor`, the operators' page and Prometheus."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from audit.verification import last_verification
from lexic.diagnostics import CheckFailed, CheckSkipped, register_check
from lexic.gauges import register_gauge

# The timetable verifies it once a day.
TOO_OLD = timedelta(days=2)


@register_check("audit")
def check_audit_log() -> str:
    """Whether the log was as it was written when it was last verified. It is not verified here: that takes a while."""
    last = last_verification()
    if last is None:
        raise CheckSkipped("not verified yet; run “manage.py audit verify”")
    if last.problem:
        hint = "Keep the database as it is, run “manage.py audit verify”, and compare it with an export from before."
        raise CheckFailed(last.problem, hint=hint)
    if timezone.now() - last.at > TOO_OLD:
        hint = "See whether a worker keeps the timetable (-B)."
        raise CheckFailed(f"It was last verified on {last.at.day} {last.at:%B %Y}.", hint=hint)
    return f"as it was written, on {last.at.day} {last.at:%B %Y, %H:%M} UTC"


@register_gauge("lexic_audit_verified_timestamp_seconds", "When the audit log was last verified.")
def audit_verified() -> float | None:
    last = last_verification()
    return last.at.timestamp() if last else None


@register_gauge("lexic_audit_changed", "1 where the last verification found that the audit log was changed.")
def audit_changed() -> float | None:
    last = last_verification()
    return float(bool(last.problem)) if last else None
