"""Which of a plugin's trees a question is about, if any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from language.stemming import stem
from trees.definition.fields import collect_fields
from trees.definition.nodes import Tree
from trees.facts.extraction import extract_facts
from trees.words import content_stems, word_set

# Words of any professional question, which say nothing about its subject.
_GENERAL_STEMS = frozenset(
    map(
        stem,
        word_set(
            """
            minimum maximum value required requirement requirements need needs rule rules limit limits
            allowed case cases apply applies applicable correct right best good give given get find know
            explain describe define mean means kind type types amount number many much condition
            conditions check decide decision question answer choose choice first general use used want
            make take per according must may might yes
            """
        ),
    )
)
MIN_EVIDENCE = 2
_MEANING_QUESTION = re.compile(
    r"(?:define|explain|why)\b"
    r"|what\s+(?:is|are)\s+(?:meant\s+by\b|(?!the\b|my\b|our\b|your\b|needed\b|required\b|allowed\b))"
    r"(?:\w+[ -]){0,3}\w+\s*\??$"
    r"|what\s+does\b.{1,80}\bmean\b",
    re.IGNORECASE,
)

# Never a decision, whatever facts it names: “What does severe mean?” states none.
_WORD_MEANING_QUESTION = re.compile(
    r"define\s+(?:\w+[ -]){0,3}\w+\W*$"
    r"|what\s+(?:is|are)\s+meant\s+by\b"
    r"|what\s+counts\s+as\s+(?:\w+[ -]){0,3}\w+\W*$"
    r"|what\s+does\b.{1,80}\bmean(?:\s+here)?\W*$",
    re.IGNORECASE,
)


def select_tree(
    trees: Sequence[tuple[str, Tree]],
    *,
    question: str,
    facts: Iterable[str] = (),
    context: Sequence[str] = (),
) -> int | None:
    """The index of the tree that the question is about, or None when it is about none of them.

    `trees` pairs each tree with its name (and description, if it has one). `facts` are the names of the
    fields given with the request, `context` what the same person said before, oldest first.

    The rule. The question must share a word of substance with what the tree is about: its name, description
    or recommendations. And there must be two pieces of evidence: different words shared with the tree (labels
    and the texts of its questions count here too), facts said in other words, facts given with the request,
    or that the question speaks of nothing else (“What cover is required?”).
    Earlier turns may supply either, so that “and for a slab?” goes on, but the question itself
    must supply at least one: a question about something else never reaches a tree.
    The tree with most evidence wins, and of equals the first.
    """
    given = set(facts)
    scores = [_evidence_score(name, tree, question=question, facts=given, context=context) for name, tree in trees]
    best = max(scores, default=0)
    return scores.index(best) if best >= MIN_EVIDENCE else None


def unrelated_stems(name: str, tree: Tree, *, question: str) -> set[str]:
    """Stems of the question's words of substance that the tree has nothing to do with: what else it is about."""
    vocabulary = _subject_stems(name, tree) | _context_stems(tree)
    return content_stems(question) - _GENERAL_STEMS - _shared_stems(tree, question, vocabulary)


def asks_for_meaning(question: str) -> bool:
    """Whether a question wants a word or a reason explained, which no decision does: “What is nominal cover?”."""
    return _MEANING_QUESTION.match(question.strip()) is not None


def asks_for_word_meaning(question: str) -> bool:
    """Whether it wants nothing but a word explained: what it names is not what it says of a case."""
    return _WORD_MEANING_QUESTION.match(question.strip()) is not None


def _evidence_score(name: str, tree: Tree, *, question: str, facts: set[str], context: Sequence[str]) -> int:
    about = _subject_stems(name, tree)
    vocabulary = about | _context_stems(tree)
    own = _shared_stems(tree, question, vocabulary)
    if not own:
        return 0
    shared = own.union(*(_shared_stems(tree, message, vocabulary) for message in context))
    if not shared & about:
        return 0
    nothing_else = own == content_stems(question) - _GENERAL_STEMS
    return len(shared) + len(facts & set(collect_fields(tree))) + nothing_else


def _shared_stems(tree: Tree, text: str, vocabulary: set[str]) -> set[str]:
    """The stems of the text that belong to the tree: its vocabulary, and the words that state its facts."""
    facts = extract_facts(tree, question=text).values()
    stated = {word for fact in facts for word in content_stems(fact.span) or {fact.span}}
    return ((content_stems(text) & vocabulary) | stated) - _GENERAL_STEMS


def _subject_stems(name: str, tree: Tree) -> set[str]:
    recommendations = (f"{node.action.recommendation} {node.action.source_hint}" for node in tree.actions)
    return _text_stems([name, tree.name, tree.description, *recommendations])


def _context_stems(tree: Tree) -> set[str]:
    labels = (node.label for node in tree.nodes.values())
    return _text_stems([*labels, *(node.question.text for node in tree.questions)])


def _text_stems(texts: Iterable[str]) -> set[str]:
    return content_stems(" . ".join(texts)) - _GENERAL_STEMS
