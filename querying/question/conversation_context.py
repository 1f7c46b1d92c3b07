"""What is asked, turn by turn: the last turn counts in full, what was said before it for less.

No question is rewritten: a follow-up ("and for footings?") finds its subject in the turns before. The weights were
measured on conversations, see docs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.search.query_words import QueryWord, Synonyms, dedupe_by_weight
from querying.types import Question

_PREVIOUS_TURN_WEIGHT, _EARLIER_TURN_WEIGHT, _REPLY_WEIGHT = 0.3, 0.2, 0.1
# The same for meaning: half is the question, and half all that the user said, of which a long reply takes its share.
_VECTOR_SHARES, _VECTOR_SHARES_WITH_REPLY = (0.5, 0.5, 0.0), (0.5, 0.3, 0.2)
# Of turns before the last; a conversation may be long.
_MAX_TURN_CHARACTERS = 1000
_MAX_TURNS = 12
# Of the turn before, that the question is read after.
_MAX_PRECEDING_CHARACTERS = 400
# What is embedded of the last reply, and of all that the user said.
_MAX_REPLY_CHARACTERS, _MAX_CONVERSATION_CHARACTERS = 400, 4000


@dataclass(frozen=True, kw_only=True)
class WeightedTurn:
    """A turn of the conversation, and how much its words count beside the question's."""

    text: str
    weight: float
    before: str = ""  # what its words are read after, so that they mean what they mean there


def weighted_turns(question: Question, *, text: str | None = None) -> list[WeightedTurn]:
    """The question (or the text in its place), then what was said before it, latest first; the reply comes last."""
    before = question.earlier_user_turns[-1][-_MAX_PRECEDING_CHARACTERS:] if question.earlier_user_turns else ""
    users = [WeightedTurn(text=text or question.text, weight=1.0, before=before)]
    weight = _PREVIOUS_TURN_WEIGHT
    for earlier in question.earlier_user_turns[::-1][:_MAX_TURNS]:
        users.append(WeightedTurn(text=earlier[:_MAX_TURN_CHARACTERS], weight=weight))
        weight = _EARLIER_TURN_WEIGHT
    reply = last_reply(question)
    return [*users, WeightedTurn(text=reply, weight=_REPLY_WEIGHT)] if reply else users


def last_reply(question: Question) -> str:
    """What was answered last, as far as it counts; empty when nothing was."""
    replies = [turn.content for turn in question.context if turn.role == "assistant"]
    return replies[-1][:_MAX_TURN_CHARACTERS] if replies else ""


def weighted_words(question: Question, *, text: str | None = None) -> list[QueryWord]:
    """The words to search for, each once, at the highest weight of the turns that say it."""
    synonyms = Synonyms(question.release.synonyms)
    said = weighted_turns(question, text=text)
    return dedupe_by_weight(word for turn in said for word in synonyms.words(turn.text, weight=turn.weight))


def texts_to_embed(question: Question) -> list[tuple[str, float]]:
    """The texts to embed, and what share of the question's vector each has."""
    text = _with_synonyms(question)
    if not question.earlier_user_turns:
        return [(text, 1.0)]
    everything = " ".join([*question.earlier_user_turns, text])[-_MAX_CONVERSATION_CHARACTERS:]
    reply = last_reply(question)[:_MAX_REPLY_CHARACTERS]
    said = len(reply) / _MAX_REPLY_CHARACTERS
    shares = [
        (1 - said) * one + said * other
        for one, other in zip(_VECTOR_SHARES, _VECTOR_SHARES_WITH_REPLY, strict=True)
    ]
    return [(text, share) for text, share in zip((text, everything, reply), shares, strict=True) if share]


def _with_synonyms(question: Question) -> str:
    """The question, and behind it the longest way to put each phrase that has synonyms: an abbreviation by itself
    means nothing to an embedder."""
    synonyms = Synonyms(question.release.synonyms)
    others = [synonyms.spellings(word.original) for word in synonyms.words(question.text)]
    longest = [max(spellings, key=len) for spellings in others if spellings]
    return f"{question.text} ({', '.join(longest)})" if longest else question.text
