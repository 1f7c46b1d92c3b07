"""Which recommendations of a plugin's trees no page supports, so that its author is told before anybody asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from django.core.cache import caches

from knowledge.embedders.base import EmbedderError
from language.answer_words import without_leading_yes
from plugins.models import Plugin, Release
from querying import releases
from querying.answering.citations import CitationVerifier
from querying.answering.drop_reasons import explain_drops
from querying.answering.tree_answers import end_claim, end_passages
from querying.question.tree_consultation import tree_profiles
from querying.types.answer import Citation, DroppedSentence
from querying.types.question import Caller, Question

# Each end takes a search, and somebody waits.
_MAX_ENDS, _CACHE_SECONDS = 40, 600


@dataclass(frozen=True, kw_only=True)
class EndSupport:
    """The spans of pages that say what an end recommends; where there is none, `why` in a sentence for its author."""

    citations: tuple[Citation, ...]
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class UnsupportedEnd:
    """`tree` is the id of its tree, "" where a release of another version of Lexic has none."""

    tree: str
    label: str
    recommendation: str
    why: str


def ends_to_warn_of(plugin: Plugin) -> list[UnsupportedEnd]:
    """The unsupported ends; none where the provider of the embedder does not answer: they are a warning, and what is
    shown with them is needed."""
    try:
        return unsupported_ends(plugin)
    except EmbedderError:
        return []


def unsupported_ends(plugin: Plugin) -> list[UnsupportedEnd]:
    """The ends of the draft's active trees whose recommendation no page says; the first forty ends are checked, and the
    result is kept for ten minutes. Raises `EmbedderError`."""
    release = releases.snapshot(plugin)
    content = repr([plugin.pk, release.policy(), release.trees, release.knowledge])
    key = f"unsupported-ends:{sha256(content.encode()).hexdigest()}"
    return caches["process"].get_or_set(key, lambda: list(_find_unsupported(release)), _CACHE_SECONDS) or []


def _find_unsupported(release: Release) -> Iterator[UnsupportedEnd]:
    ends = ((profile.id, node) for profile in tree_profiles(release) for node in profile.tree.actions)
    for tree, node in islice(ends, _MAX_ENDS):
        said, hint = node.action.recommendation, node.action.source_hint or ""
        found = find_end_support(release, label=node.label, recommendation=said, source_hint=hint)
        if not found.citations:
            yield UnsupportedEnd(tree=tree, label=node.label, recommendation=said, why=found.why)


def find_end_support(release: Release, *, label: str, recommendation: str, source_hint: str) -> EndSupport:
    """Whether a page says what an end recommends. One search. Raises `EmbedderError`."""
    author = Question(text="", release=release, caller=Caller(name="author"))
    passages = end_passages(author, label=label, recommendation=recommendation, source_hint=source_hint)
    claim = end_claim(recommendation)
    if found := CitationVerifier(passages, finds_conflicts=False).cite(claim).citations:
        return EndSupport(citations=found)
    (dropped,) = explain_drops([DroppedSentence(claim=without_leading_yes(claim), passages=tuple(passages))])
    return EndSupport(citations=(), why=dropped.explanation)
