"""A LangChain tool and a retriever. Needs `pip install "lexic-sdk[langchain]"`."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import ArgsSchema, BaseTool, ToolException
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr
from typing_extensions import Self

from lexic_sdk import question, wording
from lexic_sdk.async_client import AsyncLexic
from lexic_sdk.client import Lexic
from lexic_sdk.errors import LexicError
from lexic_sdk.expert import DESCRIPTION, FACTS_DESCRIPTION, QUERY_DESCRIPTION, Expert
from lexic_sdk.results import Answer, Citation


class Question(BaseModel):
    """What an agent has to fill in."""

    query: str = Field(description=QUERY_DESCRIPTION, min_length=1, max_length=4000)
    facts: dict[str, str | int | float | bool] | None = Field(default=None, description=FACTS_DESCRIPTION)


def _invalid_arguments_message(error: Any) -> str:
    """Which argument a model got wrong, without what it wrote."""
    first = error.errors()[0]
    return f"The argument {'.'.join(map(str, first['loc']))} is not valid: {first['msg']}."


class _LexicAdapter(BaseModel):
    """What the tool and the retriever have in common: where and how to ask."""

    # A message that quotes what was passed would quote the key.
    model_config = ConfigDict(hide_input_in_errors=True, arbitrary_types_allowed=True)

    plugin: str
    api_key: SecretStr | None = Field(default=None, exclude=True)
    base_url: str | None = None
    query_options: dict[str, Any] | None = None
    timeout: float = 120.0
    allow_http: bool = False
    client: Lexic | None = Field(default=None, exclude=True)
    async_client: AsyncLexic | None = Field(default=None, exclude=True)
    _expert: Expert = PrivateAttr()

    def set_plugin(self, plugin: str) -> Self:
        """Ask another plugin from now on, with the same key."""
        self.plugin = plugin
        return self

    def _make_expert(self, *, options: dict[str, Any] | None) -> Expert:
        return Expert(
            api_key=self.api_key.get_secret_value() if self.api_key else None,
            base_url=self.base_url,
            query_options=options,
            timeout=self.timeout,
            allow_http=self.allow_http,
            client=self.client,
            async_client=self.async_client,
        )


class LexicTool(_LexicAdapter, BaseTool):
    """A Lexic plugin as a tool. Its content is JSON text with `answer`, `citations`, `confidence` and `decisionPath`
    (and `clarification` where it asks back); its artifact is the whole `Answer`.

    What goes wrong is told to the agent (`handle_tool_error`, and `handle_validation_error` for arguments that do not
    fit), unless that is set to False.
    """

    name: str = "lexic_expert"
    description: str = DESCRIPTION
    args_schema: ArgsSchema | None = Question
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    handle_validation_error: Any = _invalid_arguments_message

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._expert = self._make_expert(options=self.query_options)

    def _run(self, query: str, facts: question.Facts | None = None) -> tuple[str, Answer]:
        try:
            answer = self._expert.ask(query, plugin=self.plugin, facts=facts)
        except LexicError as error:
            raise ToolException(str(error)) from error
        return wording.as_json(answer), answer

    async def _arun(self, query: str, facts: question.Facts | None = None) -> tuple[str, Answer]:
        try:
            answer = await self._expert.ask_async(query, plugin=self.plugin, facts=facts)
        except LexicError as error:
            raise ToolException(str(error)) from error
        return wording.as_json(answer), answer


class LexicRetriever(_LexicAdapter, BaseRetriever):
    """The passages that support the answer to a question, and no others. None where the plugin refuses or asks back.

    Raises `LexicError`: a chain without sources should not go on as if there were none.
    """

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        options = question.facts_json(self.query_options) | {"includeCitations": True}
        self._expert = self._make_expert(options=options)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return as_documents(self._expert.ask(query, plugin=self.plugin))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return as_documents(await self._expert.ask_async(query, plugin=self.plugin))


def as_documents(answer: Answer) -> list[Document]:
    """One document for each citation, its excerpt as the text."""
    return [_document(citation, answer=answer) for citation in answer.citations]


def _document(citation: Citation, *, answer: Answer) -> Document:
    metadata = {
        "source": citation.document,
        "page": citation.page,
        "page_label": citation.page_label,
        "ocr": citation.ocr or None,
        "section": citation.section,
        "url": citation.url,
        "score": citation.score,
        "citation": citation.id,
        "document_id": citation.document_id,
        "path": citation.path,
        "start_line": citation.start_line,
        "end_line": citation.end_line,
        "file_hash": citation.file_hash,
        "commit": citation.commit,
        "confidence": answer.confidence,
        "release": answer.release,
        "query_id": answer.query_id,
    }
    known = {name: value for name, value in metadata.items() if value is not None}
    return Document(page_content=citation.excerpt, metadata=known)
