"""The checks of privacy for `manage.py doctor`."""

from __future__ import annotations

from lexic.diagnostics import CheckFailed, register_check
from privacy.key_rotation import count_unreadable

# The newest of each column: a key that is wrong reads none of them.
_SAMPLE = 20


@register_check("secrets")
def check_sealed_secrets() -> str:
    """Whether ENCRYPTION_KEY reads what is sealed: after a restore, or on a new machine, it may be another one."""
    unreadable, read = count_unreadable(newest=_SAMPLE)
    if unreadable:
        raise CheckFailed(
            f"{unreadable} of the {read} newest sealed secrets cannot be read by ENCRYPTION_KEY or its fallbacks.",
            hint="Set ENCRYPTION_KEY to what it was then. “manage.py rotate_keys --dry-run” counts them all.",
        )
    return f"the newest {read} that are sealed can be read" if read else "none is sealed yet"
