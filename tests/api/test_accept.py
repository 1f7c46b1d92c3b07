"""Every route answers whoever asks for the media type that its description names, and whoever takes anything."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from accounts.models import User
from tests.api.callers import by_key

pytestmark = pytest.mark.django_db

# The second name of JSON lines, which the description leaves out.
ALIASES = {"application/x-ndjson": ("application/jsonl",)}
IDS = {"integer": "1", "string": "00000000-0000-4000-8000-000000000000"}


def described() -> list[tuple[str, str, str]]:
    """Method, address and media type of every answer that is not JSON alone."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    found = []
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            address = path
            for parameter in (one for one in operation.get("parameters", []) if one["in"] == "path"):
                kind = parameter["schema"].get("type", "string")
                address = address.replace(f"{{{parameter['name']}}}", IDS[kind])
            answers = [one.get("content", {}) for status, one in operation["responses"].items() if status < "300"]
            types = {media_type for answer in answers for media_type in answer}
            if types - {"application/json"}:  # JSON is what every route writes
                wanted = {*types, *(other for one in types for other in ALIASES.get(one, ())), "*/*", ""}
                found += [(method, address, one) for one in sorted(wanted)]
    return found


def test_no_route_refuses_the_media_type_that_it_is_described_with(alice: User) -> None:
    client, refused, asked = by_key(alice), list[Any](), described()
    for method, address, media_type in asked:
        given: dict[str, Any] = {"HTTP_ACCEPT": media_type} if media_type else {}
        response = getattr(client, method)(address, **given)
        if response.status_code == 406:
            refused.append((method, address, media_type))
    assert refused == []
    assert {"application/x-ndjson", "application/jsonl", "application/zip", "text/event-stream"} <= {
        media_type for _, _, media_type in asked
    }
