"""A hash of a draft: equal hashes mean equal content, apart from the plugin's slug."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from knowledge.models import Document, KnowledgeBase
from marketplace.bundle.columns import PLUGIN_COLUMNS, UNSHARED_COLUMNS, column_values
from plugins.models import Plugin

# Left out: the last results of golden questions, which a run changes, and the slug, which is made on import.
_IGNORED_COLUMNS = {"last_passed", "last_failures", "slug"}


def draft_content_hash(plugin: Plugin) -> str:
    """A hash of everything that somebody may have worked on: words, policy, trees, golden questions, documents."""
    said = json.dumps(_hashed_content(plugin), cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def _hashed_content(plugin: Plugin) -> dict[str, Any]:
    bases = list(KnowledgeBase.objects.of_plugin(plugin).values_list("pk", flat=True))
    documents = Document.objects.of_plugin(plugin).order_by("pk")
    return {
        # With the limits that no file has: the hashes of copies that were made earlier have them too.
        "plugin": _hashed_columns(plugin, [*PLUGIN_COLUMNS, *UNSHARED_COLUMNS]),
        "trees": [
            [_hashed_columns(tree), *map(_hashed_columns, tree.cases.all())]
            for tree in plugin.trees.prefetch_related("cases")
        ],
        "golden": [_hashed_columns(one) for one in plugin.golden_questions.order_by("pk")],
        "bases": bases,
        "documents": [[str(one.pk), one.sha256, _hashed_columns(one)] for one in documents],
    }


def _hashed_columns(row: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    return {name: value for name, value in column_values(row, names).items() if name not in _IGNORED_COLUMNS}
