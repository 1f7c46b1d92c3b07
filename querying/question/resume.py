"""A reply to a clarification becomes the first question again, with the facts that were given since.

Before a question is stored, the interface calls the function for what its callers send.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from language.courtesies import find_courtesy
from querying.question import clarifications
from querying.question.clarifications import SUBJECT_FIELD, TIME_FIELD
from querying.question.planning.times import find_time
from querying.types.question import Question, Turn

# A longer text is a new question, and not a reply with the time or the subject.
_MAX_REPLY_WORDS = {TIME_FIELD: 6, SUBJECT_FIELD: 12}


def resume_from_token(question: Question, *, token: str, answer: Any) -> Question:
    """The question with the missing fact filled in. An empty `question.text` is taken from the token.

    The facts of `question` count more than those that the token remembers, but for what has answered a clarification: a
    caller who repeats the facts of the first question takes no answer back. Raises `InvalidResumeToken`.
    """
    resumed = clarifications.read_resume_token(token, question=question)
    stated = {name: value for name, value in question.facts.items() if name not in resumed.answered_fields}
    facts = {**resumed.facts, **stated, resumed.field: answer}
    answered_fields = resumed.answered_fields | {resumed.field}
    return replace(question, text=question.text or resumed.text, facts=facts, answered_fields=answered_fields)


def resume_from_text(question: Question, *, first: str, field: str) -> Question | None:
    """The question `first` with the typed text as the time or the subject (`field`) that the clarification asked for.

    None if the text is a new question, or asks and answers nothing, as "Thanks" does.
    """
    text = question.text.strip()
    if text.endswith("?") or len(text.split()) > _MAX_REPLY_WORDS[field] or find_courtesy(text):
        return None
    if field == TIME_FIELD and find_time(text, today=timezone.localdate()) is None:
        return None
    return replace(question, text=first, facts={field: question.text})


def resume_from_context(question: Question) -> Question:
    """The first question with the facts that were given since, if the text answers what a tree asked in the turn
    before. Any other question is returned unchanged.

    Facts of the request itself override these, but for those that no tree understands: a caller who repeats what the
    tree has asked about takes no reply back.
    """
    return resume_from_turns(question, question.context, limit=tuple)


def resume_from_turns(
    question: Question, turns: Sequence[Turn], *, limit: Callable[[Sequence[Turn]], tuple[Turn, ...]]
) -> Question:
    """As `resume_from_context`, after these turns, which are whole. `limit` makes the context of those that were said
    before the question, so that a long question loses no word, and many replies lose no fact."""
    if not (len(turns) >= 2 and question.release.trees):
        return replace(question, context=limit(turns))
    from querying.question import clarification_replies  # slow import

    known = clarification_replies.askable_questions(question.release)
    facts: dict[str, Any] = {}
    text, further = question.text, list[Turn]()
    while replies := clarification_replies.matching_replies(text, turns, known):
        facts = {reply.field: reply.value for reply in replies} | facts
        if any(reply.says_more for reply in replies):
            further = [turns[-1], Turn(role="user", content=text), *further]
        text, turns = turns[-2].content, turns[:-2]
    stated = {
        name: value
        for name, value in question.facts.items()
        if name not in facts or clarification_replies.is_understood(name, value, known)
    }
    return replace(question, text=text, context=(*limit(turns), *further), facts={**facts, **stated})


def resume_from_original(question: Question, *, original: str) -> Question:
    """The question that a stateless caller sends back as `original`, with the text of `question` as the answer.

    If a tree asked, the answer becomes a fact. If the time was missing, its words are added to the question.
    """
    from querying.question import clarification_replies  # slow import

    text, facts = clarification_replies.unpack_original(original, question.release)
    first = replace(question, text=text, facts={**facts, **question.facts})
    reply = clarification_replies.reply_to_tree(first, question.text)
    if reply is None:
        return replace(first, text=f"{text} {question.text}")
    further = (Turn(role="user", content=question.text),) if reply.says_more else ()
    facts = {**first.facts, reply.field: reply.value}
    return replace(first, facts=facts, context=(*first.context, *further))
