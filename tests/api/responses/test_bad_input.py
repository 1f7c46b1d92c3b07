"""What cannot be read is refused in one form, with a status below 500, and asks nothing."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.models import Plugin
from querying.models import Query
from tests.api.chat_completions.asking import WEATHER, assert_error, client_of
from tests.api.responses.asking import read, respond

pytestmark = pytest.mark.django_db

USER = {"role": "user", "content": WEATHER}
BAD: list[tuple[dict[str, Any], int, str, str | None]] = [
    ({"input": None}, 400, "no_question", "input"),
    ({"input": ""}, 400, "no_question", "input"),
    ({"input": []}, 400, "no_question", "input"),
    ({"input": 7}, 400, "invalid_input_item", "input"),
    ({"input": {"role": "user"}}, 400, "invalid_input_item", "input"),
    ({"input": ["text"]}, 400, "invalid_input_item", "input.0"),
    ({"input": [{}]}, 400, "invalid_input_item", "input.0"),
    ({"input": [{"type": 7}]}, 400, "invalid_input_item", "input.0"),
    ({"input": [{"role": "user"}]}, 400, "invalid_content", "input.0.content"),
    ({"input": [{"role": "user", "content": 7}]}, 400, "invalid_content", "input.0.content"),
    ({"input": [{"role": "user", "content": [7]}]}, 400, "invalid_content", "input.0.content.0"),
    ({"input": [{"role": "owner", "content": "x"}]}, 400, "invalid_input_item", "input.0.role"),
    ({"input": [{"role": ["user"], "content": "x"}]}, 400, "invalid_input_item", "input.0.role"),
    (
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "https://example.org/a.png"}]}]},
        400,
        "unsupported_content",
        "input.0.content.0",
    ),
    ({"input": [USER] * 2049}, 400, "too_many_items", "input"),
    ({"input": "x" * 20_001}, 400, "context_length_exceeded", "input"),
    ({"input": [{"role": "assistant", "content": "Hello."}]}, 400, "no_question", "input"),
    ({"input": [{"type": "item_reference", "id": "msg_x"}, USER]}, 404, "unknown_response", "input.0"),
    ({"input": [{"type": "item_reference", "id": f"msg_{'0' * 32}"}, USER]}, 404, "unknown_response", "input.0"),
    ({"previous_response_id": "resp_x"}, 404, "unknown_response", "previous_response_id"),
    ({"previous_response_id": f"resp_{'0' * 32}"}, 404, "unknown_response", "previous_response_id"),
    ({"previous_response_id": "' OR 1=1 --"}, 404, "unknown_response", "previous_response_id"),
    ({"previous_response_id": 7}, 400, "invalid", "previous_response_id"),
    ({"model": "nothing"}, 404, "model_not_found", "model"),
    ({"model": None}, 400, "invalid", "model"),
    ({"stream": "yes"}, 400, "invalid", "stream"),
    ({"store": "no"}, 400, "invalid", "store"),
    ({"metadata": {"a": 1}}, 400, "invalid", "metadata"),
    ({"metadata": {str(n): "x" for n in range(17)}}, 400, "invalid", "metadata"),
    ({"text": {"format": {"type": "json_object"}}}, 400, "unsupported_parameter", "text.format"),
    ({"text": {"format": "json"}}, 400, "unsupported_parameter", "text.format"),
    ({"text": {"format": {"type": "json_schema", "schema": {"type": "x"}}}}, 400, "invalid_schema", "text.format"),
    ({"text": "json"}, 400, "invalid", "text"),
    ({"tool_choice": {"type": "file_search"}, "tools": []}, 400, "unsupported_parameter", "tool_choice"),
    ({"tool_choice": "required"}, 400, "tool_not_offered", "tools"),
    ({"conversation": "conv_1"}, 400, "unsupported_parameter", "conversation"),
    ({"prompt": {"id": "pmpt_1"}}, 400, "unsupported_parameter", "prompt"),
    ({"followup": {"token": "x", "answer": "severe"}}, 400, "invalid_followup", None),
    ({"facts": ["severe"]}, 400, "invalid", "facts"),
    ({"options": {"maxSources": 0}}, 400, "invalid", "options.maxSources"),
]


@pytest.mark.parametrize(("body", "status", "code", "param"), BAD)
def test_bad_input_is_refused(
    published: Plugin, key: str, body: dict[str, Any], status: int, code: str, param: str | None
) -> None:
    sent = {"model": "cover", "input": WEATHER, **body}
    assert_error(client_of(key).post("/v1/responses", sent, format="json"), status, code, param=param)
    assert not Query.objects.exists()


@pytest.mark.parametrize("name", ["resp_x", "x", "resp_", f"msg_{'0' * 32}", "resp_" + "0" * 400])
def test_an_id_that_is_none_is_not_found(published: Plugin, key: str, name: str) -> None:
    assert_error(read(key, name), 404, "unknown_response")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b'"x"', b"null"])
def test_a_body_that_is_no_object_is_refused(published: Plugin, key: str, content: bytes) -> None:
    response = client_of(key).generic("POST", "/v1/responses", content, content_type="application/json")
    assert response.status_code == 400
    assert set(response.json()["error"]) == {"message", "type", "param", "code", "hint"}


def test_without_a_key_nothing_is_answered(published: Plugin) -> None:
    assert_error(respond("", WEATHER), 401, "invalid_api_key")
