"""Chroma: its store in files, with embeddings by sentence-transformers; the splitter is LangChain's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction
from langchain_text_splitters import RecursiveCharacterTextSplitter
from measure import run

_BATCH = 166  # of chunks, as its documentation advises


class Chroma:
    def __init__(self, task: dict[str, Any]) -> None:
        client = chromadb.PersistentClient(path=task["files"])
        function = SentenceTransformerEmbeddingFunction(model_name=task["model"], normalize_embeddings=True)
        self._collection = client.get_or_create_collection("peer", embedding_function=function)
        self._splitter = RecursiveCharacterTextSplitter(chunk_size=1500, chunk_overlap=200)

    def ingest(self, paths: Sequence[Path]) -> Sequence[str]:
        texts = [text for path in paths for text in self._splitter.split_text(path.read_text())]
        for begin in range(0, len(texts), _BATCH):
            batch = texts[begin : begin + _BATCH]
            self._collection.add(ids=[str(begin + place) for place in range(len(batch))], documents=batch)
        return texts

    def search(self, text: str) -> list[str]:
        return self._collection.query(query_texts=[text], n_results=8)["documents"][0]


if __name__ == "__main__":
    run(Chroma)
