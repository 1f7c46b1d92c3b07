"""A conversation in which we have asked back: the answer is put to the question that it was about.

A caller who only keeps the text of a chat sends it all again: their question, our question, their answer. Nothing
else marks that answer as one. What we ask is what a tree of the release can ask, word for word, so it is recognised
by its words, and neither a token nor anything that is stored is needed. Anybody could write such a turn themselves:
that gives them no more than sending the fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plugins.models import Release
from querying.question import clarifications
from querying.question.tree_consultation import clarification_for, parsed_trees
from querying.types import Question, Turn
from trees.definition.nodes import Tree
from trees.facts import extraction as tree_facts
from trees.selection import asks_for_meaning
from trees.walk import MissingFact, list_missing_facts, resolves_missing_fact

# An answer that nobody understands is asked for again when it is as short as this, or owns up to knowing nothing; any
# other is about something else.
_MAX_UNCLEAR_WORDS = 2
_UNSURE = re.compile(r"\b(?:(?:do not|don['’]?t) know|not sure|unsure|no idea)\b", re.IGNORECASE)
_QUESTION_START = re.compile(
    r"(?:what|how|which|when|where|why|who|tell|explain|define|describe|show|list)\b", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class TreeQuestion:
    """What a tree can ask back."""

    tree: Tree
    missing: MissingFact


@dataclass(frozen=True, kw_only=True)
class FactReply:
    """The fact that a reply gives. `says_more`: it is not the bare value, and may hold other facts."""

    field: str
    value: Any
    says_more: bool


def resolve_followup(question: Question) -> Question:
    """The question that was asked first, with the facts that were answered since, where the text answers what we
    asked back; otherwise the question as it is.

    Facts that the request itself gives win.
    """
    if not (len(question.context) >= 2 and question.release.trees):
        return question
    known = askable_questions(question.release)
    facts: dict[str, Any] = {}
    text, turns, said = question.text, list(question.context), list[Turn]()
    while replies := _matching_replies(text, turns, known):
        facts = {reply.field: reply.value for reply in replies} | facts
        if any(reply.says_more for reply in replies):
            said = [turns[-1], Turn(role="user", content=text), *said]
        text, turns = turns[-2].content, turns[:-2]
    if not facts:
        return question
    return replace(question, text=text, context=(*turns, *said), facts={**facts, **question.facts})


def askable_questions(release: Release) -> Mapping[str, list[TreeQuestion]]:
    """What the release's trees can ask, by its words, with and without its options."""
    known: dict[str, list[TreeQuestion]] = {}
    for _, tree in parsed_trees(release):
        for missing in list_missing_facts(tree):
            clarification = clarification_for(missing)
            for words in {
                _normalized_words(clarification.question),
                _normalized_words(clarifications.clarification_text(clarification)),
            }:
                known.setdefault(words, []).append(TreeQuestion(tree=tree, missing=missing))
    return known


def _matching_replies(text: str, turns: Sequence[Turn], known: Mapping[str, list[TreeQuestion]]) -> list[FactReply]:
    """What the text answers, if the turns before it end with a question of the user and one of ours."""
    if [turn.role for turn in turns[-2:]] != ["user", "assistant"]:
        return []
    return [
        reply
        for asked in known.get(_normalized_words(turns[-1].content), [])
        if (reply := parse_reply(text, asked))
    ]


def parse_reply(text: str, asked: TreeQuestion) -> FactReply | None:
    """What the text says to what was asked; None where it says nothing to it."""
    field, bare = asked.missing.field, text.strip()
    if len(bare) > tree_facts.MAX_VALUE_LENGTH:
        return None
    is_value = resolves_missing_fact(asked.tree, asked.missing, bare)
    # Where any text will do, a question of their own would pass for one.
    if _is_question(bare) and not (is_value and asked.missing.options):
        return None
    if is_value:
        return FactReply(field=field, value=bare, says_more=False)
    facts, _ = tree_facts.facts_from_request(asked.tree, {field: bare})
    value = facts[field].value
    if resolves_missing_fact(asked.tree, asked.missing, value):
        return FactReply(field=field, value=value, says_more=True)
    is_no_answer = len(bare.split()) <= _MAX_UNCLEAR_WORDS or _UNSURE.search(bare)
    return FactReply(field=field, value=bare, says_more=False) if is_no_answer else None


def _is_question(text: str) -> bool:
    return text.endswith("?") or bool(_QUESTION_START.match(text)) or asks_for_meaning(text)


def _normalized_words(text: str) -> str:
    return " ".join(text.split())
