"""Replies to what a tree asked back, recognised by words alone, without a token and without anything stored.

A caller who keeps only the text of a chat sends it all again: their question, our question, their answer. What we ask
is what a tree of the release can ask, word for word, so our question is recognised in it. Anybody could write such a
turn themselves: that gives them no more than sending the fact.

A caller who keeps nothing sends the original question and the answer. What was asked in between follows from the tree
that the original question is about. What is known already goes along in it, each fact on a line of its own: our
question and the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from language.courtesies import find_courtesy
from plugins.models import Release
from querying.question.clarifications import clarification_text
from querying.question.consultation import clarification_for
from querying.question.tree_consultation import find_relevant_tree, tree_profiles
from querying.question.unsure_replies import is_unsure
from querying.types.question import Question, Turn
from trees.definition.nodes import Tree
from trees.facts import extraction as tree_facts
from trees.facts.fact_limits import MAX_VALUE_LENGTH
from trees.facts.short_replies import says_place
from trees.quantities import parse_spoken_quantity
from trees.walk import MissingFact, list_missing_facts, resolves_missing_fact, walk

# A reply that gives no value is kept when it is as short as this, or admits to not knowing; any other is about
# something else.
_MAX_UNCLEAR_WORDS = 2
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


def askable_questions(release: Release) -> Mapping[str, list[TreeQuestion]]:
    """What the release's trees can ask, by the words of the question, with and without its options."""
    known: dict[str, list[TreeQuestion]] = {}
    for question in _tree_questions(release):
        clarification = clarification_for(question.missing)
        for words in {_one_line(clarification.question), _one_line(clarification_text(clarification))}:
            known.setdefault(words, []).append(question)
    return known


def matching_replies(text: str, turns: Sequence[Turn], known: Mapping[str, list[TreeQuestion]]) -> list[FactReply]:
    """What the text answers, if the turns before it end with a question of the user and one of ours."""
    if [turn.role for turn in turns[-2:]] != ["user", "assistant"]:
        return []
    replies = (parse_reply(text, question) for question in known.get(_one_line(turns[-1].content), []))
    return [reply for reply in replies if reply]


def is_understood(field: str, value: Any, known: Mapping[str, list[TreeQuestion]]) -> bool:
    """Whether this value answers one of the questions for the field: with another one a tree asks for it again."""
    asked = (one for questions in known.values() for one in questions if one.missing.field == field)
    return any(resolves_missing_fact(one.tree, one.missing, value) for one in asked)


def parse_reply(text: str, question: TreeQuestion) -> FactReply | None:
    """The fact that the text gives as an answer to the tree's question; None where it is no answer."""
    field, bare = question.missing.field, text.strip()
    if len(bare) > MAX_VALUE_LENGTH:
        return None
    is_value = resolves_missing_fact(question.tree, question.missing, bare)
    is_question = bare.endswith("?") or bool(_QUESTION_START.match(bare))
    # Without options any text is a value, so the user's own question would pass for one.
    if is_question and not (is_value and question.missing.options):
        return None
    if is_value:
        is_given = bool(question.missing.options) or not _says_nothing(bare)
        return FactReply(field=field, value=bare, says_more=False) if is_given else None
    if option := _option_before_courtesy(bare, question):
        return FactReply(field=field, value=option, says_more=False)
    facts, _ = tree_facts.facts_from_request(question.tree, {field: bare})
    value = facts[field].value
    if resolves_missing_fact(question.tree, question.missing, value):
        return FactReply(field=field, value=value, says_more=True)
    is_quantity = parse_spoken_quantity(bare) is not None  # in a unit that the field does not take
    is_unclear = len(bare.split()) <= _MAX_UNCLEAR_WORDS or is_quantity or is_unsure(bare)
    return FactReply(field=field, value=bare, says_more=False) if is_unclear and not _says_nothing(bare) else None


def _says_nothing(text: str) -> bool:
    """Whether it answers nothing, as "Thanks" does, though without options any text is a value. "OK" and "No thanks", a
    goodbye that is thanks but for its first word, may be meant for an answer."""
    courtesy = find_courtesy(text)
    if courtesy is None or courtesy.kind == "agreement":
        return False
    rest = find_courtesy(text.partition(" ")[2])
    return not (courtesy.kind == "farewell" and rest is not None and rest.kind == "thanks")


def _option_before_courtesy(text: str, question: TreeQuestion) -> str:
    """The option of "No thanks", whose first word is one and whose other words say nothing; empty for other texts."""
    first, _, rest = text.partition(" ")
    option = first.rstrip(",.!")
    is_option = bool(question.missing.options) and find_courtesy(rest) is not None
    return option if is_option and resolves_missing_fact(question.tree, question.missing, option) else ""


def reply_to_tree(first: Question, answer: str) -> FactReply | None:
    """The fact that the answer gives to what a tree asks about the first question; None where no tree asks."""
    found = find_relevant_tree(first)
    missing = walk(found.profile.tree, found.facts).missing if found else None
    if found is None or missing is None:
        return None
    tree = found.profile.tree
    # A model may have read more out of the question than its words say: then another fact was asked for.
    others = [one for one in list_missing_facts(tree) if one.options and one.field != missing.field]
    if says_place(answer):  # of what was shown
        others = []
    for one in [missing, *others]:
        reply = parse_reply(answer, TreeQuestion(tree=tree, missing=one))
        if reply and resolves_missing_fact(tree, one, reply.value):
            return reply
    return None


def pack_original(question: Question) -> str:
    """What goes along with a question back, so that a caller who keeps nothing loses no fact: the question, and the
    known facts as lines that `unpack_original` reads."""
    asked: dict[str, str] = {}
    for one in _tree_questions(question.release):
        asked.setdefault(one.missing.field, _one_line(one.missing.question))
    lines = [f"{asked[field]} {value}" for field, value in question.facts.items() if field in asked]
    return "\n".join([question.text, *lines])


def unpack_original(original: str, release: Release) -> tuple[str, Mapping[str, Any]]:
    """The question without the lines that `pack_original` added, and the facts that they hold."""
    lines, facts = original.strip().splitlines(), dict[str, Any]()
    known = askable_questions(release) if len(lines) > 1 else {}
    while len(lines) > 1 and (found := dict(_facts_in_line(lines[-1], known))):
        facts = {**found, **facts}
        lines.pop()
    return "\n".join(lines).strip(), facts


def _facts_in_line(line: str, known: Mapping[str, list[TreeQuestion]]) -> Iterator[tuple[str, Any]]:
    for words, questions in known.items():
        if line.startswith(f"{words} "):
            replies = [parse_reply(line.removeprefix(words).strip(), one) for one in questions]
            yield from ((reply.field, reply.value) for reply in replies if reply)


def _tree_questions(release: Release) -> Iterator[TreeQuestion]:
    for profile in tree_profiles(release):
        for missing in list_missing_facts(profile.tree):
            yield TreeQuestion(tree=profile.tree, missing=missing)


def _one_line(text: str) -> str:
    return " ".join(text.split())
