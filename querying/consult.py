"""Ask the plugin's decision trees: which one is this question about, what does it know, where does it lead."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import sync_to_async

from knowledge.search import Passage
from plugins.models import Release
from querying.llms.base import LLM, ProviderFailed
from querying.plain import plain
from querying.types import Clarification, Question, Usage
from trees import facts as tree_facts
from trees.nodes import Tree
from trees.schema import InvalidTree, parse
from trees.select import asks_for_a_words_meaning, asks_for_meaning, select, strangers
from trees.walk import MissingFact, Walk, to_path, walk
from trees.words import content_stems

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """What the trees said. Without a tree for this question everything is empty."""

    tree_name: str = ""
    walk: Walk | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @property
    def path(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(to_path(self.walk)) if self.walk else ()

    @property
    def recommendation(self) -> str:
        return self.walk.action.recommendation if self.walk and self.walk.action else ""

    @property
    def source_hint(self) -> str:
        return (self.walk.action.source_hint or "") if self.walk and self.walk.action else ""

    @property
    def clarification(self) -> Clarification | None:
        return asking(self.walk.missing) if self.walk and self.walk.missing else None

    @property
    def has_decided(self) -> bool:
        return bool(self.recommendation)

    @property
    def decided(self) -> str:
        """What the tree adds to the question, in words: the facts it used and what it recommends."""
        if not self.has_decided:
            return ""
        values = [str(step.get("value", "")) for step in self.path]
        return " ".join(part for part in [*values, self.recommendation] if part)


def asking(missing: MissingFact) -> Clarification:
    """A fact that a tree misses, as the question to ask back."""
    return Clarification(question=plain(missing.question), options=tuple(missing.options), field=missing.field)


async def consult(question: Question, *, passages: Sequence[Passage], llm: LLM) -> Consultation:
    """Walk the tree that this question is about. Facts come from the request, then its words, then the model.

    A tree that would have to ask back is left alone when the question is about something else as well that the
    passages speak of: then they answer, and not the tree.
    """
    found = await sync_to_async(chosen)(question)
    if found is None:
        return Consultation()
    name, tree, facts = found
    walked, usage = walk(tree, facts), Usage()
    if walked.missing and llm.can_extract_facts:
        understood, usage = await _understood(question, tree=tree, llm=llm)
        facts = {**understood, **facts}
        walked = walk(tree, facts)
    if walked.missing and _is_about_more(question, name=name, tree=tree, facts=facts, passages=passages):
        return Consultation(usage=usage)
    return Consultation(
        tree_name=name,
        walk=walked,
        facts={field: fact.value for field, fact in facts.items()},
        usage=usage,
    )


def chosen(question: Question) -> tuple[str, Tree, dict[str, Any]] | None:
    """The tree that the question is about, with the facts that are given or said. Reading a large tree takes time."""
    if asks_for_a_words_meaning(question.text):
        return None
    trees = trees_of(question.release)
    earlier = question.earlier_user_turns
    index = select(trees, question=question.text, context=earlier, facts=question.facts)
    if index is None:
        return None
    name, tree = trees[index]
    given, _ = tree_facts.facts_from_request(tree, question.facts)
    said = tree_facts.extract_facts(tree, question=question.text, context=earlier)
    return name, tree, {**said, **given}


def _is_about_more(
    question: Question, *, name: str, tree: Tree, facts: Mapping[str, Any], passages: Sequence[Passage]
) -> bool:
    others = strangers(name, tree, question=question.text)
    if not facts:
        return bool(others) or asks_for_meaning(question.text)
    return bool(others & content_stems(" ".join(passage.content for passage in passages)))


async def _understood(question: Question, *, tree: Tree, llm: LLM) -> tuple[dict[str, Any], Usage]:
    """Facts that the model reads out of the question; none when it fails, for then we can still ask the person."""
    try:
        arguments, usage = await llm.extract_facts(
            schema=tree_facts.field_schema(tree), question=question.text, context=question.context
        )
    except ProviderFailed as error:
        logger.warning("fact extraction failed: %s", error.code)
        return {}, Usage()
    return tree_facts.facts_from_tool_call(tree, arguments), usage


def trees_of(release: Release) -> list[tuple[str, Tree]]:
    """The release's trees, each with what it is about. One that cannot be read (it was checked when saved) is left
    out and logged."""
    trees = []
    for stored in release.trees:
        try:
            trees.append((f"{stored['name']} {stored['description']}", parse(stored["tree_data"])))
        except InvalidTree:
            logger.exception("tree %s of %s cannot be read", stored["id"], release)
    return trees
