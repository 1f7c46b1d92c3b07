"""The words that say what a question is about, and not how it is put.

`question_words.txt` holds stems that questions use and that the texts which answer them do not repeat ("done", "much"),
`seldom_repeated_words.txt` those that most of these texts do not repeat ("bring", "find").
`python -m training.question_words` finds both in answered questions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from language.content_words import generic_stems
from language.lazy_pattern import lazy_pattern
from language.scripts import combining_marks
from language.stemming import stem
from language.stop_words import REQUEST_STOP_WORDS
from language.terms import terms

_WORD = lazy_pattern(lambda: rf"\w[\w{combining_marks()}’'-]*")


def topic_stems(text: str) -> frozenset[str]:
    """The stems of the text's words of substance."""
    return frozenset(terms(text)) - question_word_stems()


def topic_words(text: str) -> list[str]:
    """The text's words of substance as they stand there, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if topic_stems(word)))


@cache
def question_word_stems() -> frozenset[str]:
    """The stems of words that only put a question into words."""
    return generic_stems() | {stem(word) for word in REQUEST_STOP_WORDS} | _read_stems("question_words.txt")


def is_seldom_repeated(word: str) -> bool:
    """Whether texts that answer a question with this word mostly say it in another way."""
    return _seldom_repeated_stems().issuperset(terms(word))


@cache
def _seldom_repeated_stems() -> frozenset[str]:
    return _read_stems("seldom_repeated_words.txt")


def _read_stems(name: str) -> frozenset[str]:
    return frozenset(Path(__file__).with_name(name).read_text(encoding="utf-8").split())
