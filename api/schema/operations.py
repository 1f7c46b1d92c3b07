"""What each operation is called, and which part of the API it belongs to. A route that is missing here fails the
schema's check, so that none comes out with a name that was made up from its address."""

from __future__ import annotations

TAGS = {
    "Asking": "Questions to a plugin, with a key: whole answers or streams, and what was thought of them.",
    "OpenAI-compatible": "The same questions in the words of OpenAI's protocol: a plugin is a model.",
    "Account": "What a key may do, and the keys themselves.",
    "Plugins": "What an author works on: a persona, its policy, and everything that belongs to it.",
    "Documents": "What a plugin reads: files, texts and web pages, and how far their reading has come.",
    "Decision trees": "How a plugin decides, what is wrong with a tree, and its test cases.",
    "Golden questions": "Questions whose right answer is fixed, and how the plugin does on them.",
    "Releases": "Publishing. A release never changes, so that an answer can be had again.",
    "Analytics": "What was asked, and how it went.",
    "Webhooks": "Who is told what happens to a plugin.",
    "Marketplace": "Published plugins as visitors see them. No key is needed.",
    "Description": "This description of the API.",
}

_PLUGIN = "/api/plugins/{plugin}"
_DOCUMENT = f"{_PLUGIN}/documents/{{document}}"
_TREE = f"{_PLUGIN}/trees/{{tree}}"
_GOLDEN = f"{_PLUGIN}/golden-questions"
_WEBHOOK = f"{_PLUGIN}/webhooks/{{webhook}}"

_OPERATIONS_BY_TAG: dict[str, dict[str, dict[str, str]]] = {
    "Asking": {
        "/api/v1/query": {"post": "askQuestion"},
        "/api/queries/{query}/feedback": {"post": "giveFeedback"},
        "/api/sandbox/{plugin}": {"post": "tryQuestion"},
        "/api/public/{plugin}/chat": {"post": "chatInPublic"},
    },
    "OpenAI-compatible": {
        "/v1/models": {"get": "listModels"},
        "/v1/models/{name}": {"get": "getModel"},
        "/v1/chat/completions": {"post": "createChatCompletion"},
    },
    "Account": {
        "/api/v1/me": {"get": "getMe"},
        "/api/api-keys": {"get": "listApiKeys", "post": "createApiKey"},
        "/api/api-keys/{id}": {"get": "getApiKey", "patch": "changeOrRevealApiKey", "delete": "revokeApiKey"},
        "/api/api-keys/{id}/rotate": {"post": "rotateApiKey"},
        "/api/api-keys/{id}/usage": {"get": "getApiKeyUsage"},
    },
    "Plugins": {
        "/api/plugins": {"get": "listPlugins", "post": "createPlugin"},
        _PLUGIN: {"get": "getPlugin", "put": "putPlugin", "patch": "updatePlugin", "delete": "deletePlugin"},
        f"{_PLUGIN}/export": {"get": "exportPlugin"},
        "/api/plugins/import": {"post": "importPlugin"},
    },
    "Documents": {
        f"{_PLUGIN}/documents": {"get": "listDocuments", "post": "addDocuments"},
        _DOCUMENT: {
            "get": "getDocument",
            "put": "putDocument",
            "patch": "updateDocument",
            "delete": "deleteDocument",
        },
        f"{_DOCUMENT}/file": {"put": "replaceDocumentFile"},
        f"{_DOCUMENT}/process": {"post": "processDocument"},
        f"{_DOCUMENT}/cancel": {"post": "cancelDocument"},
        f"{_DOCUMENT}/pages": {"get": "listDocumentPages"},
        f"{_DOCUMENT}/pages/{{number}}": {"get": "getDocumentPage"},
        f"{_DOCUMENT}/chunks": {"get": "listDocumentChunks"},
        f"{_PLUGIN}/search": {"get": "searchPlugin"},
    },
    "Decision trees": {
        f"{_PLUGIN}/trees": {"get": "listTrees", "post": "createTree"},
        f"{_PLUGIN}/trees/order": {"put": "orderTrees"},
        _TREE: {"get": "getTree", "put": "putTree", "patch": "updateTree", "delete": "deleteTree"},
        f"{_TREE}/problems": {"get": "listTreeProblems"},
        f"{_TREE}/walk": {"post": "walkTree"},
        f"{_TREE}/cases": {"get": "listTreeCases", "post": "createTreeCase"},
        f"{_TREE}/cases/run": {"post": "runTreeCases"},
        f"{_TREE}/cases/{{case}}": {"get": "getTreeCase", "put": "replaceTreeCase", "delete": "deleteTreeCase"},
        "/api/trees/problems": {"post": "judgeTree"},
    },
    "Golden questions": {
        _GOLDEN: {"get": "listGoldenQuestions", "post": "createGoldenQuestion"},
        f"{_GOLDEN}/{{golden}}": {
            "get": "getGoldenQuestion",
            "put": "putGoldenQuestion",
            "patch": "updateGoldenQuestion",
            "delete": "deleteGoldenQuestion",
        },
        f"{_GOLDEN}/export": {"get": "exportGoldenQuestions"},
        f"{_GOLDEN}/import": {"post": "importGoldenQuestions"},
        f"{_PLUGIN}/golden-runs": {"get": "listGoldenRuns", "post": "startGoldenRun"},
        f"{_PLUGIN}/golden-runs/progress": {"get": "getGoldenProgress"},
        f"{_PLUGIN}/golden-runs/{{run}}": {"get": "getGoldenRun"},
    },
    "Releases": {
        f"{_PLUGIN}/readiness": {"get": "getReadiness"},
        f"{_PLUGIN}/publish": {"post": "publishPlugin"},
        f"{_PLUGIN}/unpublish": {"post": "unpublishPlugin"},
        f"{_PLUGIN}/releases": {"get": "listReleases"},
        f"{_PLUGIN}/releases/{{version}}": {"get": "getRelease", "patch": "updateReleaseNotes"},
        f"{_PLUGIN}/releases/{{version}}/rollback": {"post": "rollBack"},
    },
    "Analytics": {
        f"{_PLUGIN}/analytics": {"get": "getAnalytics"},
        f"{_PLUGIN}/queries": {"get": "listQueries"},
    },
    "Webhooks": {
        f"{_PLUGIN}/webhooks": {"get": "listWebhooks", "post": "createWebhook"},
        _WEBHOOK: {"get": "getWebhook", "patch": "updateWebhook", "delete": "deleteWebhook"},
        f"{_WEBHOOK}/secret": {"post": "renewWebhookSecret"},
        f"{_WEBHOOK}/test": {"post": "testWebhook"},
        f"{_WEBHOOK}/deliveries": {"get": "listDeliveries"},
        f"{_WEBHOOK}/deliveries/{{delivery}}/redeliver": {"post": "redeliver"},
    },
    "Marketplace": {
        "/api/marketplace": {"get": "searchMarketplace"},
        "/api/marketplace/{plugin}": {"get": "getListing"},
        "/api/marketplace/{plugin}/stats": {"get": "getListingStats"},
        "/api/marketplace/{plugin}/reviews": {"get": "listReviews"},
        "/api/marketplace/{plugin}/download": {"get": "downloadSharedPlugin"},
        "/api/marketplace/{plugin}/install": {"post": "installSharedPlugin"},
    },
    "Description": {
        "/api/schema": {"get": "getSchema"},
    },
}

# By path and method: the part, and the name.
OPERATIONS = {
    (path, method): (part, name)
    for part, paths in _OPERATIONS_BY_TAG.items()
    for path, methods in paths.items()
    for method, name in methods.items()
}

# Those that answer with an ETag to GET, and look at If-Match before they change anything.
ETAG_PATHS = {
    _PLUGIN,
    _DOCUMENT,
    f"{_DOCUMENT}/file",
    _TREE,
    f"{_TREE}/cases/{{case}}",
    f"{_GOLDEN}/{{golden}}",
    f"{_PLUGIN}/releases/{{version}}",
}

# Those whose POST waits for a language model, which can fail, be busy, or take too long.
ANSWERING_OPERATIONS = {"askQuestion", "tryQuestion", "createChatCompletion", "chatInPublic"}
