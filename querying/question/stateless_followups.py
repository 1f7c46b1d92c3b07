"""A question and the answer to what we asked back about it, made one question again for a caller who keeps nothing.

All that such a caller sends is the original question and the answer. What was asked in between follows from the
question itself: the tree that it is about, as far as its words lead. When more has to be asked, what is known already
goes along in the original question, each on a line of its own: our question and what was answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from plugins.models import Release
from querying.question.followups import TreeQuestion, askable_questions, parse_reply
from querying.question.tree_consultation import find_relevant_tree, parsed_trees
from querying.types import Question, Turn
from trees.walk import list_missing_facts, resolves_missing_fact, walk


def resume_stateless(question: Question, *, original: str) -> Question:
    """The question that the text of `question` goes on with, having been asked `original`.

    Where a tree asked, the answer becomes a fact; else, a missing time for one, its words join those of the question.
    """
    text, facts = _unpack_original(original, question.release)
    first = replace(question, text=text, facts={**facts, **question.facts})
    found = _answered_fact(first, question.text)
    if found is None:
        return replace(first, text=f"{text} {question.text}")
    field, value, says_more = found
    more = (Turn(role="user", content=question.text),) if says_more else ()
    return replace(first, facts={**first.facts, field: value}, context=(*first.context, *more))


def pack_original(question: Question) -> str:
    """What goes along with a question back, so that `compose` loses nothing."""
    asked = _questions_by_field(question.release)
    lines = [f"{asked[field]} {value}" for field, value in question.facts.items() if field in asked]
    return "\n".join([question.text, *lines])


def _answered_fact(first: Question, answer: str) -> tuple[str, Any, bool] | None:
    """The fact that the answer gives, and whether it says more than that."""
    found = find_relevant_tree(first)
    missing = walk(found[1], found[2]).missing if found else None
    if found is None or missing is None:
        return None
    # A model may have read more out of the question than its words say: then another fact was asked for.
    others = [one for one in list_missing_facts(found[1]) if one.options and one.field != missing.field]
    for one in [missing, *others]:
        reply = parse_reply(answer, TreeQuestion(tree=found[1], missing=one))
        if reply and resolves_missing_fact(found[1], one, reply.value):
            return reply.field, reply.value, reply.says_more
    return None


def _unpack_original(original: str, release: Release) -> tuple[str, Mapping[str, Any]]:
    """The question without the lines that `as_original` wrote, and the facts that they hold."""
    lines, facts = original.strip().splitlines(), dict[str, Any]()
    known = askable_questions(release) if len(lines) > 1 else {}
    while len(lines) > 1 and (found := dict(_facts_in_line(lines[-1], known))):
        facts = {**found, **facts}
        lines.pop()
    return "\n".join(lines).strip(), facts


def _facts_in_line(line: str, known: Mapping[str, list[TreeQuestion]]) -> Iterator[tuple[str, Any]]:
    for words, asked in known.items():
        if line.startswith(f"{words} "):
            replies = [parse_reply(line[len(words) :].strip(), one) for one in asked]
            yield from ((reply.field, reply.value) for reply in replies if reply)


def _questions_by_field(release: Release) -> dict[str, str]:
    """The first question that asks for each fact, in one line."""
    asked: dict[str, str] = {}
    for _, tree in parsed_trees(release):
        for missing in list_missing_facts(tree):
            asked.setdefault(missing.field, " ".join(missing.question.split()))
    return asked
