"""What a question asks about, so that a short one after it can name it: "Who teaches it?" and "Where?" after "When is
the pottery course?" are "Who teaches the pottery course?" and "Where is the pottery course?".

The subject is the phrase in whose place "it" leaves a question that is near to a known one about "it".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from knowledge.embedders import local_embedder
from language.topic_words import topic_stems
from querying.question.column_questions import ARTICLES, QUESTIONS, ColumnKind
from querying.question.standalone_question import WORD, named_thing, prototype_vectors

# "IT" is a department.
_IT = re.compile(r"\b[Ii]t\b(?!['’])")
# What is asked of "it" is said in one word of substance; "Where?" and "How much?" have none.
_MAX_TOPIC_WORDS, _MAX_BARE_WORDS, _MAX_CHARACTERS = 1, 2, 120
# The question before is read as far as this, and its phrases are no longer.
_MAX_QUESTION_WORDS, _MAX_PHRASE_WORDS = 14, 4
_KNOWN = tuple(text for asked in QUESTIONS.values() for text in asked)
# Further questions about a thing, and texts whose "it" stands for none.
_ABOUT_A_THING = (
    "What if I lose it?", "Can I cancel it?", "Does it apply to me?", "Do I have to book it?", "Who needs it?",
    "How long can I borrow it?", "Can I bring somebody to it?",
)  # fmt: skip
_ABOUT_NOTHING = (
    "What if it rains?", "Is it raining?", "Is it cold there?", "Got it.", "I don't get it.", "Forget it.",
    "That is it.", "Does it matter?", "Is it true?", "Can you repeat it?", "I did it.", "How is it going?",
    "Is it safe to do that?",
)  # fmt: skip
_MIN_SUBJECT_NEARNESS, _SUBJECT_TOLERANCE = 0.5, 0.05


def with_subject(question: str, before: str) -> str:
    """The question with the subject of the one before it; empty where the question itself is whole, or where the one
    before has no clear subject."""
    about_it = question_about_it(question)
    subject = _find_subject(before) if about_it else ""
    return _put(subject, about_it) if subject else ""


def exchange_subject(asked: str, standalone: str, thing: str) -> str:
    """A question with the thing in place of its subject, or of its "it" where it was `asked` so; empty where the
    subject is not clear."""
    if about_it := question_about_it(asked):
        return _put(thing, about_it)
    subject = _find_subject(standalone)
    return standalone.replace(subject, thing, 1) if subject else ""


def _put(subject: str, about_it: str) -> str:
    return _IT.sub(lambda _: subject, about_it, count=1)


def question_about_it(text: str) -> str:
    """The question about "it" that the text is, or that it stands for; empty where it is a whole one."""
    return text if _asks_about_it(text) else _bare_question(text)


def _asks_about_it(text: str) -> bool:
    """Whether the text asks something of an "it" that stands for a thing."""
    found = list(_IT.finditer(text))
    words = WORD.findall(text)
    if len(found) != 1 or len(text) > _MAX_CHARACTERS or words[0].lower() == "it" or _is_expletive(found[0]):
        return False
    if sum(bool(topic_stems(word)) for word in words) > _MAX_TOPIC_WORDS:
        return False
    embedded = local_embedder().embed_one(text)
    nearest = max((prototype_vectors(_KNOWN) @ embedded).max(), (prototype_vectors(_ABOUT_A_THING) @ embedded).max())
    return bool(nearest > (prototype_vectors(_ABOUT_NOTHING) @ embedded).max())


def _is_expletive(it: re.Match[str]) -> bool:
    """Whether this "it" stands for what comes behind it: "How long does it take to get a refund?"."""
    _, _, behind = it.string[it.end() :].partition(" to ")
    return bool(topic_stems(behind))


def _bare_question(text: str) -> str:
    """The known question about "it" that begins with these words, "Where?" or "And how much?"; empty where none does,
    and where the nearest of them asks for what tables seldom have."""
    words = text.lower().strip(" .?!").removeprefix("and ").split()
    if not words or len(words) > _MAX_BARE_WORDS:
        return ""
    known = [one for one in _KNOWN if one.lower().split()[: len(words)] == words and _IT.search(one)]
    if not known:
        return ""
    near = np.asarray(local_embedder().embed_batch(known)) @ local_embedder().embed_one(text)
    nearest = known[int(near.argmax())]
    return "" if nearest in QUESTIONS[ColumnKind.OTHER] else nearest


def _find_subject(question: str) -> str:
    """The phrase that the question is about; empty where none is clear, as in two questions or in one about "it". Of a
    question with a fragment behind it, "When is the sauna open? And badminton?", it is what the fragment names. Of
    phrases that fit about as well it is the first, and the shortest that begins there."""
    *others, last = question.rstrip(" ?!.").split("? ")
    if others:
        return named_thing(f"{last}?")
    spans = list(_phrase_spans(question))
    if not spans or question_about_it(question):
        return ""
    frames = [f"{question[:start]}it{question[end:]}" for start, end in spans]
    near = (np.asarray(local_embedder().embed_batch(frames)) @ prototype_vectors(_KNOWN).T).max(axis=1)
    if near.max() < _MIN_SUBJECT_NEARNESS:
        return ""
    first = next(start for (start, _), one in zip(spans, near, strict=True) if one >= near.max() - _SUBJECT_TOLERANCE)
    fitting = {span: round(float(one), 2) for span, one in zip(spans, near, strict=True) if span[0] == first}
    return question[slice(*max(fitting, key=lambda span: fitting[span]))]


def _phrase_spans(text: str) -> Iterator[tuple[int, int]]:
    """Words of substance that stand side by side, with the article before them."""
    words = [match.span() for match in WORD.finditer(text)][:_MAX_QUESTION_WORDS]
    is_topic = [bool(topic_stems(text[slice(*word)])) for word in words]
    for first in range(len(words)):
        for last in range(first, min(first + _MAX_PHRASE_WORDS, len(words))):
            if not is_topic[last]:
                break
            has_article = first > 0 and text[slice(*words[first - 1])].lower() in ARTICLES
            yield words[first - has_article][0], words[last][1]
