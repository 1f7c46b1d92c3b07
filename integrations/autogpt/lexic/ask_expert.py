from typing import Any

from backend.sdk import (
    APIKeyCredentials,
    Block,
    BlockCategory,
    BlockOutput,
    BlockSchemaInput,
    BlockSchemaOutput,
    CredentialsMetaInput,
    Requests,
    SchemaField,
    SecretStr,
)

from . import _api
from ._config import lexic

TEST_CREDENTIALS = APIKeyCredentials(
    id="2c0f3a0e-6e0c-4f0b-9c1b-1f3f5f6f7a80",
    provider="lexic",
    api_key=SecretStr("lx_only-for-the-test-of-this-block"),
    title="Made up, for the test of this block",
    expires_at=None,
)
TEST_CREDENTIALS_INPUT = {
    "provider": TEST_CREDENTIALS.provider,
    "id": TEST_CREDENTIALS.id,
    "type": TEST_CREDENTIALS.type,
    "title": TEST_CREDENTIALS.title,
}
TEST_CITATION = {"id": "src_1", "document": "IS 456:2000", "page": 47, "excerpt": "Severe: 45 mm"}
TEST_STEP = {"step": 1, "node": "exposure_check", "label": "Exposure?", "value": "severe"}


class LexicAskExpertBlock(Block):
    """Asks a plugin and gives the answer with its sources, or the question that it asks back."""

    class Input(BlockSchemaInput):
        credentials: CredentialsMetaInput = lexic.credentials_field(description="An API key of the Lexic server.")
        server: str = SchemaField(
            description="The address of the Lexic server.", placeholder="https://lexic.example.org"
        )
        plugin: str = SchemaField(description="The plugin to ask, as its page names it, such as `concrete-cover`.")
        question: str = SchemaField(description="The whole question, with everything that is known about the case.")
        facts: dict[str, Any] = SchemaField(
            description="Facts by their names, such as those that an earlier answer asked for.",
            default_factory=dict,
        )
        max_sources: int | None = SchemaField(
            description="At most so many sources. Empty: as many as the plugin's author set.",
            default=None,
            advanced=True,
        )

    class Output(BlockSchemaOutput):
        answer: str = SchemaField(description="The answer, with marks such as [Source 1].")
        citations: list[dict[str, Any]] = SchemaField(description="What each mark stands for: document, page, excerpt.")
        decision_path: list[dict[str, Any]] = SchemaField(description="The decisions that led to the answer.")
        confidence: str = SchemaField(description="high, medium or low.")
        is_refused: bool = SchemaField(description="True when the documents do not answer the question.")
        clarification: dict[str, Any] = SchemaField(
            description="The question asked back, its options, and the name of the fact to send. No answer then."
        )
        error: str = SchemaField(description="What went wrong.", default="")

    def __init__(self) -> None:
        super().__init__(
            id="6b1d2c62-3a0f-4d0e-9c55-0f6f0a4a7d11",
            description="Asks an expert plugin of a Lexic server; every claim of the answer cites its source.",
            categories={BlockCategory.AI, BlockCategory.SEARCH},
            input_schema=self.Input,
            output_schema=self.Output,
            test_input={
                "credentials": TEST_CREDENTIALS_INPUT,
                "server": "https://lexic.example.org",
                "plugin": "concrete-cover",
                "question": "What is the minimum cover for a beam exposed to weather?",
            },
            test_credentials=TEST_CREDENTIALS,
            test_output=[
                ("answer", "The nominal cover is 45mm [Source 1]."),
                ("citations", [TEST_CITATION]),
                ("decision_path", [TEST_STEP]),
                ("confidence", "high"),
                ("is_refused", False),
            ],
            test_mock={
                "ask": lambda *args, **kwargs: {
                    "answer": "The nominal cover is 45mm [Source 1].",
                    "citations": [TEST_CITATION],
                    "decision_path": [TEST_STEP],
                    "confidence": "high",
                    "outcome": "answered",
                    "clarification": None,
                }
            },
        )

    async def ask(self, *, server: str, body: dict[str, Any], credentials: APIKeyCredentials) -> dict[str, Any]:
        """Raises `LexicFailed`. Redirects are not followed: the key belongs to one address."""
        # Without a bound, the platform's client repeats a 429 for as long as the server gives one.
        requests = Requests(raise_for_status=False, retry_max_attempts=3)
        response = await requests.post(
            _api.url_of(server),
            headers={"Authorization": credentials.auth_header(), "Accept": "application/json"},
            json=body,
            allow_redirects=False,
        )
        try:
            reply = response.json()
        except ValueError:
            reply = None
        return _api.read(response.status, reply)

    async def run(self, input_data: Input, *, credentials: APIKeyCredentials, **kwargs: Any) -> BlockOutput:
        body = _api.body_of(
            plugin=input_data.plugin,
            question=input_data.question,
            facts=input_data.facts,
            max_sources=input_data.max_sources,
        )
        try:
            reply = await self.ask(server=input_data.server, body=body, credentials=credentials)
        except _api.LexicFailed as failed:
            yield "error", str(failed)
            return
        if reply["clarification"]:
            yield "clarification", reply["clarification"]
            return
        for name in ("answer", "citations", "decision_path", "confidence"):
            yield name, reply[name]
        yield "is_refused", reply["outcome"] == "refused"
