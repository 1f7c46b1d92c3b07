"""Which sentences say something: not headings, questions, lines of a table of contents, and pointers elsewhere."""

from __future__ import annotations

import re

from knowledge.readers.tables import is_separator_row
from language.clauses import has_predicate
from language.scripts import SPACELESS_SCRIPTS
from language.sentences import WIDE_STOPS
from querying.retrieval.passage_tables import is_row

MIN_STATEMENT_CHARACTERS = 20  # shorter ones are headings and scraps, if they are no whole sentences
MAX_STATEMENT_CHARACTERS = 900

_MAX_LABEL_CHARACTERS = 70

_STOPS = tuple('.!;:)"”’…' + WIDE_STOPS + "；：」』）")
_SENTENCE_STOPS = tuple(".!" + WIDE_STOPS)
_QUESTION_MARKS = "?？؟"
_EMPHASIS = "*_"
# A sign of these is worth some letters of an alphabet.
_DENSE = re.compile(f"[{SPACELESS_SCRIPTS}]")
_LETTERS_PER_DENSE_SIGN = 2.5
_TITLE_WORDS_PERCENT = 70

BULLET = re.compile(r"\s{0,8}(?:[-*+•●▪◦‣⁃–—·\uf0b7]|\(?(?:[a-z]|[ivx]{1,5})\)|\(?\d{1,2}[.)]|[a-z]\.)\s{1,8}")
_DOT_LEADERS = ("....", ". . . . ", "……")
_BLANK = "____"  # to be filled in; drawn between a heading and its page it is a leader as well
_PAGE_AT_END = re.compile(r"[^\d.,:;$€£%]\s{1,20}\d{1,3}$")
_POINTER = re.compile(
    r"\W{0,4}(?:please\s+)?(?:see(?!\s+that)|refer\s+to|cf\.?|for\s+(?:more|further)\s+(?:information|details)|as\s+shown\s+in)\b",
    re.IGNORECASE,
)
_MAX_POINTER_CHARACTERS = 90
_MARKUP = re.compile(r"#{1,6}\s|```|~~~|[-=*_ ]{3,200}$")
_REPLY_LABEL = re.compile(r"[*_]{0,3}([^\W\d_]{1,10})[ ]?\d{0,3}[.:)][*_]{0,3}\s{1,4}(?=\S)")
_NAMED_VALUE = re.compile(r"\w[^:\n]{0,80}:\s+\S")


def is_statement(text: str) -> bool:
    """Whether it can stand as an answer."""
    bare = text.strip()
    letters = _letters(bare)
    if letters > MAX_STATEMENT_CHARACTERS or (letters < MIN_STATEMENT_CHARACTERS and not _is_sentence(bare)):
        return False
    if bare.rstrip(_EMPHASIS)[-1:] in _QUESTION_MARKS:
        return False
    if _MARKUP.match(bare) or is_separator_row(bare):
        return False
    return not (
        _is_label(bare) or _is_contents_line(bare) or (len(bare) < _MAX_POINTER_CHARACTERS and _POINTER.match(bare))
    )


def replies(text: str, *, above: str, heading: str) -> bool:
    """Whether it is a short answer in the line right under a question that is the heading of its passage: "Seven days."
    says enough under "How long?"."""
    asked = above.rstrip()
    is_next_line = "\n" in above[len(asked) :]
    is_heading = heading.endswith(tuple(_QUESTION_MARKS)) and asked.rstrip(_EMPHASIS).endswith(heading)
    return is_next_line and is_heading and text.rstrip().endswith(_STOPS)


def without_reply_label(text: str, *, above: str) -> str:
    """The text without the label of an answer, where a question with another one stands right above: "A: Yes."."""
    label = _REPLY_LABEL.match(text)
    asked = above.rstrip().rpartition("\n")[2].lstrip(_EMPHASIS)
    question = _REPLY_LABEL.match(asked) if label and asked.rstrip(_EMPHASIS).endswith(tuple(_QUESTION_MARKS)) else None
    return text[label.end() :] if label and question and label[1] != question[1] else text


def _is_sentence(text: str) -> bool:
    """A short text that is a sentence all the same: "There is no lift."."""
    return text.endswith(_SENTENCE_STOPS) and _has_predicate(text)


def _letters(text: str) -> float:
    """The length of a text, in letters of an alphabet."""
    return len(text) + (_LETTERS_PER_DENSE_SIGN - 1) * (0 if text.isascii() else len(_DENSE.findall(text)))


def is_list_item(text: str) -> bool:
    return BULLET.match(text) is not None


def leads_in(text: str) -> bool:
    """It announces what follows and says nothing without it."""
    return text.rstrip().endswith(":")


def begins_in_the_middle(text: str) -> bool:
    """A page was turned within the sentence."""
    return text.lstrip()[:1].islower() and not is_list_item(text)


def _is_label(text: str) -> bool:
    """A heading or a caption: it says where the answer is, not what it is. Rows, list items and "Name: value"
    are no labels."""
    if text[-1] in _STOPS or is_row(text) or is_list_item(text) or _NAMED_VALUE.match(text):
        return False
    return _is_written_like_titles(text) if len(text) >= _MAX_LABEL_CHARACTERS else not _has_predicate(text)


def _is_written_like_titles(text: str) -> bool:
    """Most of its long words have a capital: the links of a page, one after another."""
    long_words = [word for word in text.split() if len(word) > 3]
    capitals = sum(word[0].isupper() for word in long_words)
    return bool(long_words) and 100 * capitals >= _TITLE_WORDS_PERCENT * len(long_words)


def _has_predicate(text: str) -> bool:
    return has_predicate(text) and not text.istitle()


def _is_contents_line(text: str) -> bool:
    if is_row(text):
        return False
    if any(leader in text for leader in _DOT_LEADERS) or (_BLANK in text and not _has_predicate(text)):
        return True
    ends_with_number = len(text) < 120 and text[-1:].isdecimal() and _PAGE_AT_END.search(text)
    return bool(ends_with_number) and not _has_predicate(text)
