"""Raw requests to the API, and what a refusal looks like."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client
from hypothesis import HealthCheck, settings

from querying.models import Query

EASY = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
WEATHER = "What is the minimum cover for a beam exposed to weather?"
QUERY = "/api/v1/query"


def send(secret: str, body: bytes | str, *, content_type: str = "application/json", **headers: Any) -> Any:
    """The bytes as they are: the client's own `post` would translate them into the charset."""
    headers = {"HTTP_AUTHORIZATION": f"Bearer {secret}", **headers}
    raw = body if isinstance(body, bytes) else body.encode()
    return Client().generic("POST", QUERY, raw, content_type=content_type, **headers)


def ask(secret: str, **fields: Any) -> Any:
    return send(secret, json.dumps({"plugin": "cover", "query": WEATHER, **fields}))


def assert_refused(response: Any, *statuses: int) -> None:
    assert response.status_code in statuses, (response.status_code, response.content[:300])
    assert response["Content-Type"] == "application/json"
    shown = response.json()
    assert set(shown) == {"error", "code", "hint"}
    assert shown["error"]
    assert "Traceback" not in shown["error"]
    assert not Query.objects.exists()
