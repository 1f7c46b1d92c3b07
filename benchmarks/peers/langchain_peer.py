"""LangChain: its recursive splitter, its embeddings by sentence-transformers, its PGVector store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_huggingface import HuggingFaceEmbeddings
from langchain_postgres import PGVector
from langchain_text_splitters import RecursiveCharacterTextSplitter
from measure import run


class LangChain:
    def __init__(self, task: dict[str, Any]) -> None:
        embeddings = HuggingFaceEmbeddings(model_name=task["model"], encode_kwargs={"normalize_embeddings": True})
        address = task["database"].replace("postgresql://", "postgresql+psycopg://")
        self._store = PGVector(embeddings=embeddings, connection=address, collection_name="peer")
        self._splitter = RecursiveCharacterTextSplitter(chunk_size=1500, chunk_overlap=200)

    def ingest(self, paths: Sequence[Path]) -> Sequence[str]:
        documents = [Document(page_content=path.read_text(), metadata={"source": path.name}) for path in paths]
        chunks = self._splitter.split_documents(documents)
        self._store.add_documents(chunks)
        return [chunk.page_content for chunk in chunks]

    def search(self, text: str) -> list[str]:
        return [found.page_content for found in self._store.similarity_search(text, k=8)]


if __name__ == "__main__":
    run(LangChain)
