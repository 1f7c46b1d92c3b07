"""Checks whether the source hint of an action finds a passage in the plugin's current knowledge."""

from __future__ import annotations

from typing import Any

from knowledge.citation_url import source_path
from knowledge.embedders import get_embedder
from knowledge.embedders.base import EmbedderError
from knowledge.models import KnowledgeBase
from knowledge.page_names import page_name
from knowledge.search.hybrid import BaseRevision, search
from knowledge.search.passages import Passage
from plugins.models import Plugin


def find_hint_passage(plugin: Plugin, *, hint: str) -> dict[str, Any]:
    """The best passage for the hint: `found` is None when there is none, `error` says why it could not be looked up."""
    if not hint.strip():
        return {"hint": "", "found": None, "error": ""}
    try:
        passage = _best_passage(plugin, hint)
    except EmbedderError as error:
        return {"hint": hint, "found": None, "error": error.message}
    return {"hint": hint, "found": passage and _passage_json(passage), "error": ""}


def _passage_json(passage: Passage) -> dict[str, str]:
    page = page_name(passage.page_number, passage.page_label, is_short=True)
    url = source_path(passage.page_id, start=passage.start, end=passage.end)
    return {"title": ", ".join(filter(None, [passage.document_title, page])), "url": url}


def _best_passage(plugin: Plugin, hint: str) -> Passage | None:
    bases = [
        BaseRevision(
            knowledge_base_id=base.pk,
            revision=base.revision,
            embedder=base.embedder,
            languages=tuple(base.document_languages),
        )
        for base in KnowledgeBase.objects.of_plugin(plugin)
    ]
    vectors = {name: get_embedder(name).embed_one(hint) for name in {base.embedder for base in bases}}
    passages = search(knowledge_bases=bases, text=hint, embedding=vectors, limit=1, threshold=plugin.threshold)
    return passages[0] if passages else None
