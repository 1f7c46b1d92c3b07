"""Lexic, as its worker reads and its pipeline searches: all documents wait, each is a file of its own that is read in a
confined process, cut, embedded and counted, and the small ones are published together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import django
from measure import run

from local.module_loading import loading_modules


class Lexic:
    tokens_read = None  # all of them, in windows

    def __init__(self, task: dict[str, Any]) -> None:
        with loading_modules():  # as every process of Lexic is started
            django.setup()
        if task["phase"] == "ingest":
            self._load()

    def _load(self) -> None:
        """What the others have loaded by now: their modules, and what they learnt from data. A worker that has started
        has its tasks loaded, and is connected to its broker."""
        import marketplace.publishing.publish  # noqa: F401
        from knowledge.embedders import get_embedder
        from language.language_identification import language_of
        from lexic.celery import app

        app.loader.import_default_modules()
        with app.connection_for_read() as broker:
            broker.connect()
        get_embedder("local").embed(["A sentence."])
        language_of("A sentence of some words, to tell a language by.")

    @cached_property
    def _key(self) -> Any:
        from accounts.models import ApiKey

        return ApiKey.objects.select_related("owner").get()

    def ingest(self, paths: Sequence[Path]) -> Sequence[str]:
        from accounts.models import ApiKey, User
        from knowledge.documents.lifecycle import add_text
        from knowledge.models import Chunk
        from knowledge.plugin_knowledge_base import own_knowledge_base
        from knowledge.tasks import ingest_document
        from marketplace.publishing.publish import publish
        from plugins.models import Plugin

        owner = User.objects.create_user("peer@example.org")
        plugin = Plugin.objects.create(owner=owner, name="Peer", slug="peer", domain="peer", system_prompt="Answer.")
        base = own_knowledge_base(plugin)
        documents = [
            add_text(
                knowledge_base=base, title=path.stem, text=path.read_text(), file_name=path.name, enqueue=False
            ).document
            for path in paths
        ]
        for document in documents:
            ingest_document.apply(kwargs={"document_id": str(document.pk)}, throw=True)
        publish(plugin, by=owner)
        ApiKey.objects.issue(owner=owner, name="peer")
        return list(Chunk.objects.values_list("content", flat=True))

    def search(self, text: str) -> list[str]:
        from django.db import connection

        from querying import releases
        from querying.retrieval import retriever
        from querying.types.question import Caller, Question

        release = releases.resolve("peer", principal=self._key)  # what it is now, as each request asks
        found = retriever.retrieve(Question(text=text, release=release, caller=Caller(name="peer")))
        connection.close()  # to the pool
        return [passage.content for passage in found[:8]]


if __name__ == "__main__":
    run(Lexic)
