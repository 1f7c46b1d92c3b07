"""Which recommendations of a plugin's trees no page supports, so that its author is told before anybody asks."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from django.core.cache import caches

from plugins.models import Plugin, Release
from querying import releases
from querying.answering.citations import CitationVerifier
from querying.question.tree_consultation import tree_profiles
from querying.retrieval import retriever
from querying.types import Caller, Citation, Question
from trees.definition.nodes import ActionNode

# Each end takes a search, and somebody waits.
_MAX_ENDS, _CACHE_SECONDS = 40, 600


@dataclass(frozen=True, kw_only=True)
class UnsupportedEnd:
    label: str
    recommendation: str


def unsupported_ends(plugin: Plugin) -> list[UnsupportedEnd]:
    """The ends of the draft's active trees whose recommendation no page says; the first forty ends are checked, and the
    result is kept for ten minutes. Raises `EmbedderError`."""
    release = releases.snapshot(plugin)
    content = repr([plugin.pk, release.policy(), release.trees, release.knowledge])
    key = f"unsupported-ends:{sha256(content.encode()).hexdigest()}"
    return caches["process"].get_or_set(key, lambda: _find_unsupported(release), _CACHE_SECONDS) or []


def _find_unsupported(release: Release) -> list[UnsupportedEnd]:
    ends = islice((node for profile in tree_profiles(release) for node in profile.tree.actions), _MAX_ENDS)
    return [
        UnsupportedEnd(label=node.label, recommendation=node.action.recommendation)
        for node in ends
        if not _supporting(node, release)
    ]


def _supporting(node: ActionNode, release: Release) -> tuple[Citation, ...]:
    action = node.action
    return supporting_citations(
        release, label=node.label, recommendation=action.recommendation, source_hint=action.source_hint or ""
    )


def supporting_citations(
    release: Release, *, label: str, recommendation: str, source_hint: str
) -> tuple[Citation, ...]:
    """The spans of pages that say what an end recommends; empty where no page does. One search.

    Raises `EmbedderError`."""
    text = f"{label}. {recommendation} {source_hint}"
    passages = retriever.retrieve(Question(text=text, release=release, caller=Caller(name="author")))
    claim = f"{recommendation.rstrip(' .')}."
    return CitationVerifier(passages, finds_conflicts=False).cite(claim).citations
