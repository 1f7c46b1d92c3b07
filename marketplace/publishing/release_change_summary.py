"""Describes what the next release would change for callers."""

from __future__ import annotations

from marketplace.comparison.document_changes import DocumentsComparison, compare_documents
from marketplace.comparison.settings_changes import is_same_text
from marketplace.comparison.tree_changes import compare_trees
from plugins.models import AnswerPolicy, Plugin, Release
from querying import releases

# Short enough to be read where it is said that they changed.
QUOTED_FIELDS = {"audience", "tone"}
# So many documents are named in a sentence.
MAX_NAMED = 5
PLURAL_FIELDS = {"limits", "synonyms", "top_k"}


def draft_changes(plugin: Plugin, *, since: Release) -> list[str]:
    """What differs between the plugin as it stands and the release, each a sentence. Empty: nothing does."""
    return release_changes(releases.snapshot(plugin), since=since)


def release_changes(now: Release, *, since: Release, documents: DocumentsComparison | None = None) -> list[str]:
    """The same of two releases of one plugin, the draft being one too. `documents` spares comparing them again."""
    return [*_policy_changes(now, since), *_tree_changes(now, since), *_knowledge_changes(now, since, documents)]


def _policy_changes(draft: Release, since: Release) -> list[str]:
    sentences = []
    for field in AnswerPolicy._meta.fields:
        name, label, now = field.name, field.verbose_name, getattr(draft, field.name)
        if is_same_text(now, getattr(since, name)):
            continue
        if name not in QUOTED_FIELDS:
            sentences.append(f"The {label} {'are' if name in PLURAL_FIELDS else 'is'} different.")
        else:
            sentences.append(f"The {label} is now “{now}”." if now else f"The {label} is no longer said.")
    return sentences


def _tree_changes(draft: Release, since: Release) -> list[str]:
    found = compare_trees(draft, since)
    added = [f"The tree “{name}” is new." for name in found.added]
    gone = [f"The tree “{name}” is no longer used." for name in found.removed]
    other = [f"The tree “{tree.name}” is different." for tree in found.changed]
    return sorted([*added, *gone, *other]) + ["The trees are in another order."] * bool(found.order)


def _knowledge_changes(draft: Release, since: Release, documents: DocumentsComparison | None) -> list[str]:
    now, then = ({one["knowledge_base"]: one["revision"] for one in release.knowledge} for release in (draft, since))
    if now == then:
        return []
    found = compare_documents(draft, since) if documents is None else documents
    said = [
        _titles_sentence("added", found.added),
        _titles_sentence("removed", found.removed),
        _titles_sentence("replaced", [one.title for one in found.replaced]),
        _titles_sentence("renamed", [f"{then} → {now}" for then, now in found.renamed]),
    ]
    return [sentence for sentence in said if sentence] or ["Its documents were read again; their text is the same."]


def _titles_sentence(what: str, titles: list[str]) -> str:
    if not titles:
        return ""
    named = ", ".join(f"“{title}”" for title in titles[:MAX_NAMED])
    rest = f" and {len(titles) - MAX_NAMED} more" if len(titles) > MAX_NAMED else ""
    return f"{len(titles)} document{'' if len(titles) == 1 else 's'} {what}: {named}{rest}."
