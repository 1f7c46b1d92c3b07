"""Two releases, or a release and the draft, compared in all that decides an answer, and in the answers."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import User
from marketplace.comparison.document_changes import DocumentsComparison, compare_documents
from marketplace.comparison.golden_changes import GoldenComparison, compare_golden
from marketplace.comparison.settings_changes import SettingChange, TextChange, setting_changes, text_changes
from marketplace.comparison.tree_changes import TreesComparison, compare_trees
from marketplace.publishing.release_change_summary import release_changes
from plugins.models import Release


@dataclass(frozen=True, kw_only=True)
class ReleaseComparison:
    """`summary` says in a sentence each what is different. `golden` is None where the two belong to different plugins,
    such as a copy and its original."""

    summary: list[str]
    texts: list[TextChange]
    settings: list[SettingChange]
    trees: TreesComparison
    documents: DocumentsComparison
    golden: GoldenComparison | None


def compare_releases(now: Release, *, then: Release, viewer: User) -> ReleaseComparison:
    """What `now` has that `then` had not, and the other way round. Text of pages that the viewer may not read is left
    out."""
    documents = compare_documents(now, then, viewer=viewer)
    return ReleaseComparison(
        summary=release_changes(now, since=then, documents=documents),
        texts=text_changes(now, then),
        settings=setting_changes(now, then),
        trees=compare_trees(now, then),
        documents=documents,
        golden=compare_golden(now, then) if now.plugin_id == then.plugin_id else None,
    )
