"""LlamaIndex: its sentence splitter, its embeddings by sentence-transformers, its PGVectorStore."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from llama_index.core import Document, Settings, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.postgres import PGVectorStore
from measure import run


class LlamaIndex:
    def __init__(self, task: dict[str, Any]) -> None:
        Settings.embed_model = HuggingFaceEmbedding(model_name=task["model"])
        Settings.llm = None
        parts = urlsplit(task["database"])
        host = parse_qs(parts.query)["host"][0]
        sync = f"postgresql+psycopg2://{parts.username}@/{parts.path[1:]}?host={host}"
        self._store = PGVectorStore(
            connection_string=sync,
            async_connection_string=sync.replace("psycopg2", "asyncpg"),
            table_name="peer",
            embed_dim=384,
            schema_name="public",
        )
        index = VectorStoreIndex.from_vector_store(self._store)
        self._retriever = index.as_retriever(similarity_top_k=8)

    def ingest(self, paths: Sequence[Path]) -> Sequence[str]:
        nodes = SentenceSplitter(chunk_size=375, chunk_overlap=50).get_nodes_from_documents(
            [Document(text=path.read_text(), metadata={"source": path.name}) for path in paths]
        )
        VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=self._store))
        return [node.get_content() for node in nodes]

    def search(self, text: str) -> list[str]:
        return [found.node.get_content() for found in self._retriever.retrieve(text)]


if __name__ == "__main__":
    run(LlamaIndex)
