"""The schema's shapes are those of the answers: every key is named, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import jsonschema
import pytest
from rest_framework import serializers

from api.chat_completions import serializers as chat_serializers
from api.schema.error_responses import ERROR_SCHEMAS
from plugins.models import Plugin
from tests.api.chat_completions.asking import OPEN, WEATHER, chat, client_of
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db


def differences(shape: serializers.BaseSerializer, value: Any, path: str = "") -> list[str]:
    """Keys that only one of the two has, and values of another kind."""
    if isinstance(shape, serializers.ListSerializer):
        assert shape.child is not None
        return [one for at, item in enumerate(value) for one in differences(shape.child, item, f"{path}.{at}")]
    if not isinstance(shape, serializers.Serializer) or value is None:
        return []
    fields: Mapping[str, Any] = shape.fields
    named = [f"{path}.{key}" for key in value.keys() - fields.keys()]
    missing = [f"{path}.{name}" for name, field in fields.items() if field.required and name not in value]
    both = value.keys() & fields.keys()
    within = [one for key in both for one in differences(fields[key], value[key], f"{path}.{key}")]
    return named + missing + within


def check(shape: type[serializers.Serializer], value: Any) -> None:
    assert differences(shape(), value) == []
    checked = shape(data=value)
    assert checked.is_valid(), checked.errors


@pytest.mark.parametrize("question", [WEATHER, OPEN, "Who won the football world cup?"])
def test_a_completion(published: Plugin, key: str, question: str):
    check(chat_serializers.CompletionSerializer, chat(key, question).json())


def test_models(published: Plugin, key: str):
    check(chat_serializers.ModelListSerializer, client_of(key).get("/v1/models").json())
    check(chat_serializers.ModelSerializer, client_of(key).get("/v1/models/cover").json())


def test_errors(published: Plugin, key: str):
    for answer in (chat(key, WEATHER, model="nothing"), client_of("").get("/v1/nothing")):
        jsonschema.validate(answer.json(), ERROR_SCHEMAS["OpenAIError"])
        assert answer.json()["error"].keys() == ERROR_SCHEMAS["OpenAIError"]["properties"]["error"]["properties"].keys()


@pytest.mark.django_db(transaction=True)
def test_chunks(published: Plugin, key: str):
    body = {"model": "cover", "stream": True, "stream_options": {"include_usage": True}}
    body["messages"] = [{"role": "user", "content": WEATHER}]
    with asgi_server() as url, httpx2.Client(trust_env=False, timeout=30) as client:
        answered = client.post(f"{url}/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"})
    *events, end = [line.removeprefix("data: ") for line in answered.text.splitlines() if line]
    assert end == "[DONE]"
    for event in events:
        check(chat_serializers.ChunkSerializer, json.loads(event))
