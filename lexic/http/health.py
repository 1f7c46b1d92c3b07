"""For load balancers: is the process alive, and can it do its work? No sign-in, and no secrets in the answer."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lexic import diagnostics

_REQUIRED_CHECKS = ("database", "pgvector", "migrations")
# Without these, questions are answered: other machines would be no better off with all the requests.
_OPTIONAL_CHECKS = ("redis", "files")
_DATABASE_CHECKS = {"pgvector", "migrations"}
_migrated = False


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Whether this process answers. It checks nothing else, so that an outage of the database does not restart the
    process."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether questions can be answered: 200 (`ready`, or `degraded` where something else fails), or 503."""
    parts: dict[str, bool] = {}
    for name in (*_REQUIRED_CHECKS, *_OPTIONAL_CHECKS):
        # What is in a database that is away is away too; asking again would only take its time.
        is_away = name in _DATABASE_CHECKS and not parts["database"]
        parts[name] = not is_away and _is_healthy(name)
    is_ready = all(parts[name] for name in _REQUIRED_CHECKS)
    shown = {name: "ok" if is_well else "failed" for name, is_well in parts.items()}
    status = "ready" if all(parts.values()) else "degraded" if is_ready else "unavailable"
    return JsonResponse({"status": status, "parts": shown}, status=200 if is_ready else 503)


def _is_healthy(name: str) -> bool:
    global _migrated
    # Reading all migration files takes a while, and what has been applied stays so under this process.
    if name == "migrations" and _migrated:
        return True
    is_well = diagnostics.run_check(name).status == "ok"
    if name == "migrations":
        _migrated = is_well
    return is_well
