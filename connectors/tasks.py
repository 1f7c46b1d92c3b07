from __future__ import annotations

from typing import Any

from connectors import revocation
from lexic.celery import app


@app.task(name="connectors.revoke_tokens")
def revoke_tokens(**kwargs: Any) -> int:
    """Tell Google of the tokens that are not needed any more. Returns how many it has taken back."""
    return revocation.revoke_due()
