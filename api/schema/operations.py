"""What each operation is called, and which part of the API it belongs to: `operations.yaml` as tables."""

from __future__ import annotations

from api.schema.yaml_files import read_yaml

_PARTS = read_yaml("operations")
TAGS = {part["tag"]: part["description"] for part in _PARTS}
# By path and method: the tag, and the name.
OPERATIONS = {
    (path, method): (part["tag"], name)
    for part in _PARTS
    for path, methods in part["operations"].items()
    for method, name in methods.items()
}

_PLUGIN = "/api/plugins/{plugin}"
_DOCUMENT = f"{_PLUGIN}/documents/{{document}}"
_TREE = f"{_PLUGIN}/trees/{{tree}}"

# GET answers with an ETag there, and other methods check If-Match before they change anything.
ETAG_PATHS = {
    _PLUGIN,
    _DOCUMENT,
    f"{_DOCUMENT}/file",
    _TREE,
    f"{_TREE}/cases/{{case}}",
    f"{_PLUGIN}/golden-questions/{{golden}}",
    f"{_PLUGIN}/releases/{{version}}",
}

# These wait for a language model, which can fail, be busy, or take too long.
ANSWERING_OPERATIONS = {"askQuestion", "tryQuestion", "createChatCompletion", "chatInPublic"}
