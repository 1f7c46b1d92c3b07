"""A plugin goes, with everything that is only its own."""

from __future__ import annotations

from knowledge import task_queue
from knowledge.models import KnowledgeBase
from plugins.models import Plugin


def delete_plugin(plugin: Plugin) -> None:
    """Delete it. Once that is certain, a worker drops the vector index of its knowledge base."""
    bases = list(KnowledgeBase.objects.filter(plugin=plugin).values_list("pk", flat=True))
    plugin.delete()
    for base in bases:
        task_queue.enqueue_index_check(base)
