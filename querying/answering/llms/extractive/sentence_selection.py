"""Which sentences answer: mostly one, and a further one only where it adds to it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from knowledge.chunking.chunker import title_path
from language.content_words import content_stems
from querying.answering.llms.extractive import table_headers
from querying.answering.llms.extractive.context_sentences import antecedent, begins_with_pronoun
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.statements import is_cut_off, is_statement, leads_in
from querying.types import Evidence, Sentence

MAX_SENTENCES = 3
# What the words themselves add to a sentence's score: its share of the question's, the rarer ones counting more …
_SHARED_WORDS_BONUS = 0.05
# … and a figure where one is asked for.
_FIGURE_BONUS = 0.02
# … and the share of the headers of a table's row, which was scored without them …
_HEADERS_BONUS = 0.3
# … less this where a page cuts it in two, where it leads in to what stands on the next, or where it begins with a word
# for something that the passage does not show.
_FRAGMENT_PENALTY = 0.03
# A further sentence must come this close to the best one and say this share of the question's words that the ones
# before do not; or be as good as the best, as far as scores can tell, and half of its words be new.
_MIN_SCORE_RATIO, _MIN_NEW_WORDS, _MIN_NEW_SHARE = 0.88, 0.2, 0.5
_EQUAL_SCORE_RATIO = 0.96

_ASKS_FOR_FIGURE = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|often|large|big|high|tall|fast|thick|deep)\b|\bwhen\b|\bm(?:in|ax)imum\b"
    r"|\bwhat\s+(?:percentage|percent|number|year|age)\b",
    re.IGNORECASE,
)
# What may follow a heading in its line: nothing, or a note in brackets.
_HEADING_NOTE = re.compile(r"[ .:]{0,3}(?: [\[(][^\[\]()]{0,80}[\])][.:]?)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FIGURE = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A sentence that can stand as an answer, and how well it does."""

    sentence: Sentence
    score: float


def rank_candidates(question: str, evidence: Evidence) -> list[Candidate]:
    """The sentences that can stand as an answer, best first."""
    weights = _word_weights(question, evidence)
    asks_for_figure = _ASKS_FOR_FIGURE.search(question) is not None
    neighbours = Neighbours(evidence)
    found = []
    for sentence in evidence.sentences:
        is_head = table_headers.is_header_row(sentence, neighbours) or _is_heading(sentence, evidence)
        if is_statement(sentence.text) and not is_head:
            bonus = _shared_words_score(weights, sentence, neighbours)
            bonus += _FIGURE_BONUS * (asks_for_figure and _FIGURE.search(sentence.text) is not None)
            announces_next_page = leads_in(sentence.text) and neighbours.after(sentence) is None
            is_orphan = begins_with_pronoun(sentence) and antecedent(sentence, neighbours, question=question) is None
            bonus -= _FRAGMENT_PENALTY * (is_cut_off(sentence.text) or announces_next_page or is_orphan)
            found.append(Candidate(sentence, sentence.score + bonus))
    return sorted(found, key=lambda one: (-one.score, one.sentence.source, one.sentence.start))


def _is_heading(sentence: Sentence, evidence: Evidence) -> bool:
    """The heading that the passage stands under, alone or with a note in brackets, as a caption has its unit."""
    text = " ".join(sentence.text.split())
    headings = [heading for heading in evidence.passages[sentence.source].section_path if text.startswith(heading)]
    return any(_HEADING_NOTE.fullmatch(text, len(heading)) for heading in headings)


def _word_weights(question: str, evidence: Evidence) -> dict[str, float]:
    """The question's words, each by how few of the sentences have it."""
    stems = [content_stems(sentence.text) for sentence in evidence.sentences]
    counts = Counter(chain.from_iterable(stems))
    return {word: math.log(1 + len(stems) / (1 + counts[word])) for word in content_stems(question)}


def _shared_words_score(weights: Mapping[str, float], sentence: Sentence, neighbours: Neighbours) -> float:
    """For the words that it shares with the question. A row's headers are words of it, which its score lacks."""
    alone = _weight_share(weights, sentence.text)
    header = table_headers.find_header(sentence, neighbours)
    named = _weight_share(weights, f"{header.text} {sentence.text}") - alone if header else 0.0
    return _SHARED_WORDS_BONUS * alone + _HEADERS_BONUS * named


def _weight_share(weights: Mapping[str, float], text: str) -> float:
    known, total = content_stems(text), sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in known) / total if total else 0.0


def select_sentences(question: str, evidence: Evidence, *, first: Sentence | None = None) -> list[Sentence]:
    """The best sentence (or the one that must come first), then those that add to it; empty where none can stand."""
    candidates = rank_candidates(question, evidence)
    if not (candidates or first):
        return []
    best = candidates[0].score if candidates else 0.0
    chosen = [first or candidates[0].sentence]
    for candidate in candidates:
        if len(chosen) == MAX_SENTENCES or candidate.score < _MIN_SCORE_RATIO * best:
            break
        sentence = candidate.sentence
        if any(says_the_same(sentence.text, other.text) for other in chosen):
            continue
        is_equal = candidate.score >= _EQUAL_SCORE_RATIO * best and _is_mostly_new(sentence, chosen)
        if is_equal or _adds_information(sentence, chosen, question, evidence):
            chosen.append(sentence)
    return chosen


def _is_mostly_new(sentence: Sentence, chosen: Sequence[Sentence]) -> bool:
    words = _stems_and_numbers(sentence)
    known = frozenset().union(*map(_stems_and_numbers, chosen))
    return len(words - known) >= _MIN_NEW_SHARE * len(words)


def _stems_and_numbers(sentence: Sentence) -> frozenset[str]:
    return frozenset(content_stems(sentence.text)) | frozenset(_NUMBER.findall(sentence.text))


def _adds_information(sentence: Sentence, chosen: Sequence[Sentence], question: str, evidence: Evidence) -> bool:
    """Whether it mentions much that the question names and the others leave out. Words of the title add nothing."""
    asked, first = content_stems(question), evidence.passages[0]
    title = title_path(first.document_title, first.section_path)
    known = frozenset().union(*(content_stems(text) for text in (title, *(other.text for other in chosen))))
    return len((asked - known) & content_stems(sentence.text)) >= max(1.0, _MIN_NEW_WORDS * len(asked))


def asks_for_whole_list(items: Sequence[Sentence]) -> bool:
    """Whether no item of a list stands out: then the question is about all of them."""
    best = sorted((item.score for item in items), reverse=True)
    return len(best) < 2 or best[1] >= _EQUAL_SCORE_RATIO * best[0]


def says_the_same(one: str, other: str) -> bool:
    """Chunks overlap and documents repeat themselves: the same words need no second quotation."""
    mine, theirs = set(one.lower().split()), set(other.lower().split())
    return len(mine & theirs) >= 0.8 * min(len(mine), len(theirs))
