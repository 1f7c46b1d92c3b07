"""OpenAPI's links: which operations take the id of an object that another operation has just created.

Programs that follow them, such as tests, find their way from one operation to another."""

from __future__ import annotations

import re
from typing import Any

# By the operation that creates an object: the parameter for its id, the field of the answer that holds it, and the
# operations that take it.
_LINKS = {
    "askQuestion": ("query", "queryId", ["giveFeedback"]),
    "createApiKey": ("id", "id", ["getApiKey", "changeOrRevealApiKey", "rotateApiKey", "revokeApiKey"]),
    "createPlugin": ("plugin", "slug", ["getPlugin", "updatePlugin", "getReadiness", "createTree", "deletePlugin"]),
    "addDocuments": ("document", "id", ["getDocument", "updateDocument", "processDocument", "deleteDocument"]),
    "createTree": ("tree", "id", ["getTree", "updateTree", "walkTree", "createTreeCase", "deleteTree"]),
    "createTreeCase": ("case", "id", ["getTreeCase", "replaceTreeCase", "deleteTreeCase"]),
    "createGoldenQuestion": ("golden", "id", ["getGoldenQuestion", "updateGoldenQuestion", "deleteGoldenQuestion"]),
    "createWebhook": ("webhook", "id", ["getWebhook", "updateWebhook", "renewWebhookSecret", "deleteWebhook"]),
}
_PATH_PARAMETER = re.compile(r"\{(\w+)\}")


def add_links(paths: dict[str, Any]) -> None:
    """Adds the links to the responses of the operations that create something."""
    known = {
        operation["operationId"]: (path, operation) for path, methods in paths.items() for operation in methods.values()
    }
    for maker, (name, place, targets) in _LINKS.items():
        _, operation = known[maker]
        response = operation["responses"].get("201") or operation["responses"]["200"]
        response["links"] = {target: _make_link(target, known[target][0], name=name, place=place) for target in targets}


def _make_link(target: str, path: str, *, name: str, place: str) -> dict[str, Any]:
    parameters = {
        one: f"$response.body#/{place}" if one == name else f"$request.path.{one}"
        for one in _PATH_PARAMETER.findall(path)
    }
    return {"operationId": target, "parameters": parameters}
