"""The names of the operations of the API and their groups: `operations.yaml` as tables."""

from __future__ import annotations

import re

from api.schema.yaml_files import read_yaml

_WORD_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")
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
_PRIVATE_DOCUMENTS = ("/api/knowledge/documents/{document}", "/api/projects/{project}/documents/{document}")

# GET answers with an ETag there, and other methods check If-Match before they change anything.
ETAG_PATHS = {
    _PLUGIN,
    _DOCUMENT,
    f"{_DOCUMENT}/file",
    *_PRIVATE_DOCUMENTS,
    "/api/projects/{project}",
    "/api/projects/{project}/members",
    _TREE,
    f"{_TREE}/cases/{{case}}",
    f"{_PLUGIN}/golden-questions/{{golden}}",
    f"{_PLUGIN}/releases/{{version}}",
}

# These wait for a language model, which can fail, be busy, or take too long.
ANSWERING_OPERATIONS = {
    "askQuestion",
    "collaborate",
    "reviewText",
    "tryQuestion",
    "createChatCompletion",
    "createResponse",
    "chatInPublic",
}

# These fill a schema of the caller's, which may need more than the documents say.
FILLING_OPERATIONS = {"createChatCompletion", "createResponse"}

# These wait for Google, and depend on what a person has allowed there.
CONNECTED_OPERATIONS = {"authorizeGoogleDrive", "listGoogleDriveFiles", "importGoogleDriveFiles"}


def summary(operation: str) -> str:
    """The operation's name as words."""
    words = _WORD_BOUNDARY.sub(" ", operation)
    return words[0].upper() + words[1:].lower().replace("api key", "API key")
