"""Ask the plugin's decision trees: which one is this question about, what does it know, where does it lead."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from knowledge.search.passages import Passage
from language.number_words import SMALL_NUMBERS
from lexic.concurrency import in_turn
from plugins.models import Release
from querying.llm_interface import LLM, ProviderFailed
from querying.question.consultation import Consultation
from querying.question.tree_selection import TreeProfile, profile_tree, select_tree, unrelated_stems
from querying.question.unsure_replies import is_unsure
from querying.types.question import Question
from querying.types.token_usage import Usage
from trees.definition.fields import units_among
from trees.definition.nodes import Tree, TreeAction
from trees.definition.parser import InvalidTree, parse_tree
from trees.facts import extraction as tree_facts
from trees.quantities import find_measures
from trees.walk import MissingFact, walk
from trees.words import content_stems, split_words

logger = logging.getLogger(__name__)

# Of how many releases a process keeps the trees as they were read.
_MAX_RELEASES = 64
# More answers than this are asked for, not told one by one.
_MAX_OUTCOMES = 6
# What a hyphen joins to a number: the rest of “9-year-old”.
_JOINED = re.compile(r"(?:-\w+)*")


@dataclass(frozen=True, kw_only=True)
class RelevantTree:
    """The tree that a question is about, with the facts that are given or said. `is_sure` says that the other words of
    the question ask for nothing else."""

    profile: TreeProfile
    facts: dict[str, Any]
    is_sure: bool


async def consult_trees(question: Question, *, passages: Sequence[Passage], llm: LLM) -> Consultation:
    """Walk the tree that this question is about. Facts come from the request, then its words, then the model.

    A tree that would have to ask back, or that goes by the question's words alone, is left alone when the question is
    about something else as well that the passages speak of: then they answer, and not the tree.
    """
    found = await in_turn(find_relevant_tree, question)
    if found is None:
        return Consultation()
    profile, facts = found.profile, found.facts
    tree = profile.tree
    walked, usage = walk(tree, facts), Usage()
    if walked.missing and llm.can_extract_facts:
        understood, usage = await _facts_from_model(question, tree=tree, llm=llm)
        facts = {**understood, **facts}
        walked = walk(tree, facts)
    outcomes: tuple[tuple[str, TreeAction], ...] = ()
    if walked.missing and is_unsure(question.facts.get(walked.missing.field)):
        outcomes = _outcomes(tree, facts, walked.missing)
        if not outcomes:  # the documents may know
            return Consultation(usage=usage)
    others = unrelated_stems(profile, question=question.text) - _words_of_measures(tree, question.text)
    consultation = Consultation(
        tree_name=profile.name,
        walk=walked,
        facts=tree_facts.facts_as_json(facts),
        usage=usage,
        outcomes=outcomes,
        options_by_words=(
            tree_facts.options_by_words(tree, walked.facts_used, text=question.text) if walked.action else {}
        ),
        knows_words=not others - _stems_of_figures(question.text),
    )
    found = replace(found, facts=facts)
    if outcomes or not _is_for_documents(others, found=found, consultation=consultation, passages=passages):
        return consultation
    may_ask = consultation.clarification and (found.is_sure or facts)
    return Consultation(usage=usage, left_to_documents=consultation if may_ask else None)


def _outcomes(tree: Tree, facts: Mapping[str, Any], missing: MissingFact) -> tuple[tuple[str, TreeAction], ...]:
    """Each answer that could be given, with the end to which it leads; nothing where one of them leads to a further
    question, or where there are too many."""
    if not 1 < len(missing.options) <= _MAX_OUTCOMES:
        return ()
    given = {option: tree_facts.facts_from_request(tree, {missing.field: option})[0] for option in missing.options}
    actions = {option: walk(tree, {**facts, **fact}).action for option, fact in given.items()}
    if not all(actions.values()):
        return ()
    return tuple((option, action) for option, action in actions.items() if action)


def find_relevant_tree(question: Question) -> RelevantTree | None:
    """The tree that the question is about, if it is about one. Reading a large tree takes time."""
    profiles = tree_profiles(question.release)
    earlier = question.earlier_user_turns
    selected = select_tree(profiles, question=question.standalone_text, context=earlier, facts=question.facts)
    if selected is None:
        return None
    profile = profiles[selected.index]
    tree = profile.tree
    given, _ = tree_facts.facts_from_request(tree, question.facts)
    said = tree_facts.extract_facts(tree, question=question.text, context=earlier)
    return RelevantTree(profile=profile, facts={**said, **given}, is_sure=selected.is_sure)


def _is_for_documents(
    others: Set[str], *, found: RelevantTree, consultation: Consultation, passages: Sequence[Passage]
) -> bool:
    """Whether the documents answer, and not the tree, by `others`, the words of the question that the tree lacks: where
    a passage says all of them, unless the tree is at an end by facts that it was given; of a tree that would have to
    ask back and is not sure, where a passage says one of them, or, if no fact is known, whatever they say."""
    if not others:
        return False
    is_open = not consultation.has_decided
    if is_open and not found.is_sure:
        return not found.facts or any(others & content_stems(passage.content) for passage in passages)
    if is_open or not consultation.has_replies:
        return any(others <= content_stems(passage.titled_content) for passage in passages)
    return False


def _words_of_measures(tree: Tree, text: str) -> set[str]:
    """Stems of the units of what the tree asks a number of, and of the numbers beside them: "three weeks"."""
    words = split_words(text)
    units = units_among({word.text for word in words}, tree)
    numbers = {word.stem for word, behind in pairwise(words) if word.text in SMALL_NUMBERS and behind.text in units}
    return numbers | {word.stem for word in words if word.text in units}


def _stems_of_figures(text: str) -> set[str]:
    """Stems of the words that say what a number counts: “9 years”, “9-year-old”. The number is judged as one."""
    ends = ((one.start, _JOINED.match(text, one.end)) for one in find_measures(text))
    spans = [(start, joined.end()) for start, joined in ends if joined]
    return {word.stem for word in split_words(text) if any(start <= word.start < end for start, end in spans)}


async def _facts_from_model(question: Question, *, tree: Tree, llm: LLM) -> tuple[dict[str, Any], Usage]:
    """Facts that the model reads out of the question; none when it fails, for then we can still ask the person."""
    try:
        arguments, usage = await llm.extract_facts(
            schema=tree_facts.fields_json_schema(tree), question=question.text, context=question.context
        )
    except ProviderFailed as error:
        logger.warning("fact extraction failed: %s", error.code)
        return {}, Usage()
    return tree_facts.facts_from_tool_call(tree, arguments), usage


def tree_profiles(release: Release) -> tuple[TreeProfile, ...]:
    """The release's trees, each with what it is about, read and embedded once in a process. One that cannot be read (it
    was checked when saved) is left out and logged."""
    return _read_profiles(json.dumps(release.trees, sort_keys=True)) if release.trees else ()


@lru_cache(maxsize=_MAX_RELEASES)
def _read_profiles(stored_trees: str) -> tuple[TreeProfile, ...]:
    profiles = []
    for stored in json.loads(stored_trees):
        try:
            tree = parse_tree(stored["tree_data"])
            profile = profile_tree(stored["name"], tree, description=stored["description"])
            profiles.append(replace(profile, id=stored.get("id", "")))
        except (InvalidTree, KeyError):  # a release that another version of Lexic made may lack a part
            logger.exception("tree %s cannot be read", stored.get("id"))
    return tuple(profiles)
