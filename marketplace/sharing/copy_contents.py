"""The size of a copy, in figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from django.db.models import Count

from knowledge.models import Chunk, Document
from marketplace.bundle.release_export import shared_golden_questions
from plugins.models import Plugin, Release
from querying import releases


@dataclass(frozen=True, kw_only=True)
class CopyContents:
    """`waiting` documents are still to be embedded by a worker."""

    documents: int
    passages: int
    trees: int
    golden: int
    unfinished: int = 0


@singledispatch
def copy_contents(of: Any) -> CopyContents:
    """Of a release that is shared, or of a copy as it stands."""
    raise TypeError(of)


@copy_contents.register
def _(release: Release) -> CopyContents:
    counts = [
        Chunk.objects.alive_at(base.revision)
        .filter(knowledge_base=base.knowledge_base_id)
        .order_by()
        .aggregate(documents=Count("document", distinct=True), passages=Count("pk"))
        for base in releases.pinned_bases(release)
    ]
    return CopyContents(
        documents=sum(count["documents"] for count in counts),
        passages=sum(count["passages"] for count in counts),
        trees=len(release.trees),
        golden=shared_golden_questions(release).count(),
    )


@copy_contents.register
def _(copy: Plugin) -> CopyContents:
    documents = Document.objects.of_plugin(copy)
    return CopyContents(
        documents=documents.count(),
        passages=Chunk.objects.filter(document__in=documents.order_by().values("pk"), removed_in=None).count(),
        trees=copy.trees.count(),
        golden=copy.golden_questions.count(),
        unfinished=documents.unfinished().count(),
    )
