"""What is asked, turn by turn: the last turn counts in full, what was said before it for less.

No question is rewritten: a follow-up ("and for footings?") finds its subject in the turns before. The weights were
measured on conversations, see docs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.asked import Synonyms, Word, heaviest
from querying.types import Question

_USER_TURN_BEFORE, _EARLIER_TURN, _REPLY = 0.3, 0.2, 0.1
# The same for meaning: half is the question, and half all that the user said, of which a long reply takes its share.
_VECTOR, _VECTOR_WITH_REPLY = (0.5, 0.5, 0.0), (0.5, 0.3, 0.2)
# Of turns before the last; a conversation may be long.
_CHARACTERS_OF_A_TURN = 1000
_TURNS = 12
# Of the turn before, that the question is read after.
_CHARACTERS_BEFORE = 400
# What is embedded of the last reply, and of all that the user said.
_CHARACTERS_OF_A_REPLY, _CHARACTERS_OF_ALL = 400, 4000


@dataclass(frozen=True, kw_only=True)
class Said:
    """A turn of the conversation, and how much its words count beside the question's."""

    text: str
    weight: float
    before: str = ""  # what its words are read after, so that they mean what they mean there


def turns(question: Question, *, text: str | None = None) -> list[Said]:
    """The question (or the text in its place), then what was said before it, latest first; the reply comes last."""
    before = question.earlier_user_turns[-1][-_CHARACTERS_BEFORE:] if question.earlier_user_turns else ""
    users = [Said(text=text or question.text, weight=1.0, before=before)]
    weight = _USER_TURN_BEFORE
    for earlier in question.earlier_user_turns[::-1][:_TURNS]:
        users.append(Said(text=earlier[:_CHARACTERS_OF_A_TURN], weight=weight))
        weight = _EARLIER_TURN
    reply = last_reply(question)
    return [*users, Said(text=reply, weight=_REPLY)] if reply else users


def last_reply(question: Question) -> str:
    """What was answered last, as far as it counts; empty when nothing was."""
    replies = [turn.content for turn in question.context if turn.role == "assistant"]
    return replies[-1][:_CHARACTERS_OF_A_TURN] if replies else ""


def words(question: Question, *, text: str | None = None) -> list[Word]:
    """The words to search for, each once, at the highest weight of the turns that say it."""
    synonyms = Synonyms(question.release.synonyms)
    said = turns(question, text=text)
    return heaviest(word for turn in said for word in synonyms.words(turn.text, weight=turn.weight))


def texts(question: Question) -> list[tuple[str, float]]:
    """The texts to embed, and what share of the question's vector each has."""
    text = _spelled_out(question)
    if not question.earlier_user_turns:
        return [(text, 1.0)]
    everything = " ".join([*question.earlier_user_turns, text])[-_CHARACTERS_OF_ALL:]
    reply = last_reply(question)[:_CHARACTERS_OF_A_REPLY]
    said = len(reply) / _CHARACTERS_OF_A_REPLY
    shares = [(1 - said) * one + said * other for one, other in zip(_VECTOR, _VECTOR_WITH_REPLY, strict=True)]
    return [(text, share) for text, share in zip((text, everything, reply), shares, strict=True) if share]


def _spelled_out(question: Question) -> str:
    """The question, and behind it the longest way to put each phrase that has synonyms: an abbreviation by itself
    means nothing to an embedder."""
    synonyms = Synonyms(question.release.synonyms)
    others = [synonyms.spellings(word.asked) for word in synonyms.words(question.text)]
    longest = [max(spellings, key=len) for spellings in others if spellings]
    return f"{question.text} ({', '.join(longest)})" if longest else question.text
