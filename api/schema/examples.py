"""The examples of `examples.yaml`, as the views give them to their operations."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample

from api.schema.yaml_files import read_yaml

_EXAMPLES = {
    resource: [OpenApiExample(**example) for example in examples]
    for resource, examples in read_yaml("examples").items()
}
QUERY_EXAMPLES = _EXAMPLES["query"]
CHAT_EXAMPLES = _EXAMPLES["chat"]
RESPONSES_EXAMPLES = _EXAMPLES["responses"]
MARKETPLACE_EXAMPLES = _EXAMPLES["marketplace"]
PUBLIC_CHAT_EXAMPLES = _EXAMPLES["public_chat"]
