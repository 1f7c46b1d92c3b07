"""What the next release would change for those who ask."""

from __future__ import annotations

from plugins.models import AnswerPolicy, Plugin, Release
from querying import releases

# Short enough to be read where it is said that they changed.
QUOTED_FIELDS = {"audience", "tone"}
PLURAL_FIELDS = {"limits", "synonyms", "top_k"}


def draft_changes(plugin: Plugin, *, since: Release) -> list[str]:
    """What differs between the plugin as it stands and the release, each a sentence. Empty: nothing does."""
    return release_changes(releases.snapshot(plugin), since=since)


def release_changes(now: Release, *, since: Release) -> list[str]:
    """The same of two releases of one plugin, the draft being one too."""
    return [*_policy_changes(now, since), *_tree_changes(now, since), *_knowledge_changes(now, since)]


def _policy_changes(draft: Release, since: Release) -> list[str]:
    sentences = []
    for field in AnswerPolicy._meta.fields:
        name, label, now = field.name, field.verbose_name, getattr(draft, field.name)
        if now == getattr(since, name):
            continue
        if name not in QUOTED_FIELDS:
            sentences.append(f"The {label} {'are' if name in PLURAL_FIELDS else 'is'} different.")
        else:
            sentences.append(f"The {label} is now “{now}”." if now else f"The {label} is no longer said.")
    return sentences


def _tree_changes(draft: Release, since: Release) -> list[str]:
    now, then = ({tree["id"]: tree for tree in release.trees} for release in (draft, since))
    added = [f"The tree “{now[pk]['name']}” is new." for pk in now.keys() - then.keys()]
    gone = [f"The tree “{then[pk]['name']}” is no longer used." for pk in then.keys() - now.keys()]
    other = [f"The tree “{now[pk]['name']}” is different." for pk in now.keys() & then.keys() if now[pk] != then[pk]]
    reordered = list(now) != list(then) and not added and not gone
    return sorted([*added, *gone, *other]) + ["The trees are in another order."] * reordered


def _knowledge_changes(draft: Release, since: Release) -> list[str]:
    now, then = ({one["knowledge_base"]: one["revision"] for one in release.knowledge} for release in (draft, since))
    said = [f"{len(now.keys() - then.keys())} more knowledge bases are read."] * bool(now.keys() - then.keys())
    said += [f"{len(then.keys() - now.keys())} knowledge bases are no longer read."] * bool(then.keys() - now.keys())
    if any(now[pk] != then[pk] for pk in now.keys() & then.keys()):
        said.append("Its documents are different.")
    return said
