"""Which recommendations of a plugin's trees no page supports, so that its author is told before anybody asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from plugins.models import Plugin, Release
from querying import releases
from querying.answering.citations import CitationVerifier
from querying.question.tree_consultation import tree_profiles
from querying.retrieval import retriever
from querying.types import Caller, Question
from trees.definition.nodes import ActionNode

# Each end takes a search, and somebody waits.
_MAX_ENDS = 40


@dataclass(frozen=True, kw_only=True)
class UnsupportedEnd:
    label: str
    recommendation: str


def unsupported_ends(plugin: Plugin) -> list[UnsupportedEnd]:
    """The ends of the draft's active trees, the first forty looked at, whose recommendation no page says. Raises
    `EmbedderError`."""
    release = releases.snapshot(plugin)
    ends = islice(_ends(release), _MAX_ENDS)
    return [_unsupported(node) for node in ends if not _is_supported(node, release)]


def _ends(release: Release) -> Iterator[ActionNode]:
    for profile in tree_profiles(release):
        yield from (node for node in profile.tree.nodes.values() if isinstance(node, ActionNode))


def _unsupported(node: ActionNode) -> UnsupportedEnd:
    return UnsupportedEnd(label=node.label, recommendation=node.action.recommendation)


def _is_supported(node: ActionNode, release: Release) -> bool:
    text = f"{node.label}. {node.action.recommendation} {node.action.source_hint}"
    passages = retriever.retrieve(Question(text=text, release=release, caller=Caller(name="author")))
    claim = f"{node.action.recommendation.rstrip(' .')}."
    return bool(CitationVerifier(passages, finds_conflicts=False).cite(claim).citations)
