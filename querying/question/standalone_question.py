"""The question that a follow-up stands for: "and for slabs?" after "what cover does a beam need?" asks for a slab's.

Whether a text is such a fragment is told by its wording, with its words of substance masked: by its nearness to
fragments and to whole questions. What it puts in place of what is told by meaning: the nearest words of the question
before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder
from language.auxiliary_verbs import AUXILIARY_VERBS
from language.topic_words import topic_stems
from querying.question.column_questions import ARTICLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FRAGMENTS = (
    "And it?", "And for it?", "And in it?", "And with it?", "And of it?", "What about it?", "How about it?",
    "Or it?", "And what about it?", "And if it?", "But for it?", "it?", "And on it then?", "Also for it?",
    "Same for it?",
)  # fmt: skip
_WHOLE = (
    "What is it?", "What are it?", "How does it work?", "Why is it?", "Why it?", "Can I do it?", "Is it it?",
    "Where is it?", "Tell me about it.", "How much is it?", "Do they have it?", "When is it?", "Who is it?",
    "Are they it?", "Thank you.", "It is it.", "I meant it.", "Can I it the it?", "How do I it?", "Who was it?",
    "And who was it?", "Did the it?", "Is the it?", "Is this it?", "Which it?", "Do you think it?", "Does it it?",
    "But when you it?", "Will it it?",
)  # fmt: skip
# What stands before the thing that a fragment names, but for an article.
_BEFORE_A_THING = frozenset(["and", "or", "what", "how", "about"])
_MAX_WORDS, _MAX_CHARACTERS = 8, 120
# What is compared of the question before, at most: its last phrases, and of these the nearest put to the test.
_MAX_PHRASE_WORDS, _MAX_PHRASES, _MAX_FILLED = 3, 30, 4
# A word that lies further from every word of the question before is added to it, and replaces none.
_MIN_KINSHIP = 0.5
# Words behind another word than the one before the fragment's must be as near as this: "pool" is no "open".
_MIN_WORD_KINSHIP = 0.45
# What the same word before both is worth: "for a slab" goes with "for a beam".
_SAME_LEAD = 0.15
# "5.1", "2,5" and "10:30" are one word each.
WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+|(?<=\d)[.,:/]\d+)*")
_Span = tuple[int, int]


def is_fragment(text: str) -> bool:
    """Whether the text is a part of a question, such as "and in April?"."""
    if not text.strip() or len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS:
        return False
    spans = _topic_spans(text)
    if not spans or not WORD.search(text[: spans[0][0]]):  # a bare name is a topic of its own
        return False
    if WORD.findall(text)[0].lower() in AUXILIARY_VERBS:  # "May I …" is a whole question
        return False
    near = prototype_vectors(_FRAGMENTS + _WHOLE) @ _embed(f"{text[: spans[0][0]]}it{text[spans[-1][1] :]}")
    return bool(near[: len(_FRAGMENTS)].max() > near[len(_FRAGMENTS) :].max())


def named_thing(fragment: str) -> str:
    """What a fragment such as "and the sauna?" puts in place of what was asked about; empty for "and for adults?"."""
    spans = _topic_spans(fragment)
    before = WORD.findall(fragment[: spans[0][0]].lower()) if spans else []
    if not before or not ARTICLES.union(_BEFORE_A_THING).issuperset(before):
        return ""
    thing = fragment[spans[0][0] :].partition(",")[0].rstrip(" ?!.")
    return f"{before[-1]} {thing}" if before[-1] in ARTICLES else thing


def rewrite_follow_up(fragment: str, before: str) -> str:
    """The question before with the fragment's words in place of the nearest one of its own, or added to it."""
    new = _topic_spans(fragment)
    said = fragment[new[0][0] : new[-1][1]] if new else ""
    words = _topic_spans(before)
    if said[:1].isupper():  # a name stands for a whole name
        words = _with_whole_names(before, words)
    old = _phrase_spans(before, words, longest=min(len(new), _MAX_PHRASE_WORDS))[-_MAX_PHRASES:]
    if not said or not old:
        return f"{before} {fragment}"
    lead = _word_before(fragment, new[0][0])
    same_lead = np.array([_SAME_LEAD * (bool(lead) and _word_before(before, start) == lead) for start, _ in old])
    by_word = _embed_all([before[slice(*span)] for span in old]) @ _embed(said)
    # The question with the new words in place of the nearest ones: how near is it to the one before?
    nearest = np.argsort(-(by_word / 2 + same_lead), kind="stable")[:_MAX_FILLED]
    filled = [before[: old[at][0]] + said + before[old[at][1] :] for at in nearest]
    kinship = (by_word[nearest] + _embed_all(filled) @ _embed(before)) / 2 + same_lead[nearest]
    is_akin = by_word[nearest] >= _MIN_WORD_KINSHIP
    are_names = np.array([said[:1].isupper() and before[old[at][0]].isupper() for at in nearest])
    kinship[~(is_akin | are_names | (same_lead[nearest] > 0))] = 0
    best = int(kinship.argmax())
    return filled[best] if kinship[best] >= _MIN_KINSHIP else f"{before} {fragment}"


def _word_before(text: str, at: int) -> str:
    words = WORD.findall(text[:at].lower())
    return words[-1] if words else ""


def _with_whole_names(text: str, words: Sequence[_Span]) -> list[_Span]:
    """The words, of which those of one name are one: "Harbour Street", "Studio 2"."""
    joined: list[_Span] = []
    for start, end in words:
        is_behind = bool(joined) and text[joined[-1][1] : start] == " " and text[joined[-1][0]].isupper()
        is_of_name = text[start].isupper() or text[start].isdecimal()
        joined.append((joined.pop()[0], end) if is_behind and is_of_name else (start, end))
    return joined


def _phrase_spans(text: str, words: Sequence[_Span], *, longest: int) -> list[_Span]:
    """Each of these words of the text, and so many of them that stand side by side."""
    runs = (words[at : at + length] for length in range(1, longest + 1) for at in range(len(words) - length + 1))
    return [
        (run[0][0], run[-1][1]) for run in runs if all(text[one[1] : other[0]] == " " for one, other in pairwise(run))
    ]


def _topic_spans(text: str) -> Sequence[_Span]:
    return [match.span() for match in WORD.finditer(text) if topic_stems(match.group())]


@cache
def prototype_vectors(texts: tuple[str, ...]) -> NDArray[np.float32]:
    """The vectors of fixed texts that questions are compared with, one a row; embedded once in a process."""
    return _embed_all(texts)


def _embed(text: str) -> NDArray[np.float32]:
    return local_embedder().embed_one(text)


def _embed_all(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.asarray(local_embedder().embed_batch(texts))
