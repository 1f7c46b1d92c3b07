"""Haystack: its document splitter, its embedders by sentence-transformers, its pgvector store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from haystack import Document
from haystack.components.preprocessors import RecursiveDocumentSplitter
from haystack.utils import Secret
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from haystack_integrations.components.retrievers.pgvector import PgvectorEmbeddingRetriever
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore
from measure import run


class Haystack:
    def __init__(self, task: dict[str, Any]) -> None:
        self._store = PgvectorDocumentStore(
            connection_string=Secret.from_token(task["database"]), table_name="peer", embedding_dimension=384
        )
        self._model = task["model"]
        self._embedder = SentenceTransformersTextEmbedder(model=self._model, progress_bar=False)
        self._embedder.warm_up()
        self._retriever = PgvectorEmbeddingRetriever(document_store=self._store, top_k=8)

    def ingest(self, paths: Sequence[Path]) -> Sequence[str]:
        # Its default also cuts at sentences, with data that NLTK fetches from the network.
        separators = ["\n\n", "\n", ". ", " "]
        splitter = RecursiveDocumentSplitter(
            split_length=1500, split_overlap=200, split_unit="char", separators=separators
        )
        splitter.warm_up()
        embedder = SentenceTransformersDocumentEmbedder(model=self._model, progress_bar=False)
        embedder.warm_up()
        documents = [Document(content=path.read_text(), meta={"source": path.name}) for path in paths]
        embedded = embedder.run(splitter.run(documents)["documents"])["documents"]
        self._store.write_documents(embedded)
        return [document.content or "" for document in embedded]

    def search(self, text: str) -> list[str]:
        vector = self._embedder.run(text)["embedding"]
        return [found.content or "" for found in self._retriever.run(query_embedding=vector)["documents"]]


if __name__ == "__main__":
    run(Haystack)
