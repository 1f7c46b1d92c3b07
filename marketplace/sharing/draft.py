"""What a draft holds, in one word: two that are equal hold the same, apart from what agents call it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from knowledge.models import Document, KnowledgeBase
from marketplace.bundle.columns import values
from plugins.models import Plugin

# How its golden questions did changes by running them, and its slug is nobody's work.
_NOT_WORK = {"last_passed", "last_failures", "slug"}


def content_of(plugin: Plugin) -> str:
    """A hash of everything that somebody may have worked on: words, policy, trees, golden questions, documents."""
    said = json.dumps(_content(plugin), cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def _content(plugin: Plugin) -> dict[str, Any]:
    bases = list(KnowledgeBase.objects.of_plugin(plugin).values_list("pk", flat=True))
    documents = Document.objects.of_plugin(plugin).order_by("pk")
    return {
        "plugin": _values(plugin),
        "trees": [
            [_values(tree), *map(_values, tree.cases.all())] for tree in plugin.trees.prefetch_related("cases")
        ],
        "golden": [_values(one) for one in plugin.golden_questions.order_by("pk")],
        "bases": bases,
        "documents": [[str(one.pk), one.sha256, _values(one)] for one in documents],
    }


def _values(row: Any) -> dict[str, Any]:
    return {name: value for name, value in values(row).items() if name not in _NOT_WORK}
