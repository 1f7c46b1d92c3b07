"""Sufficiency: is what was found good enough to answer from, and if not, why not in plain words.

The cross-encoder has raised or lowered the strength of the evidence. Signs of contradiction between the question and
the best sentence lower it further. They are what a careful reader would notice first: the question says *not* and the
passage does not, it asks for a number or a name that the passage lacks. Weights: docs/evaluation.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from language.counted_nouns import counted_words
from language.figures.figure_extraction import numbers_with_units, stated_numbers
from language.negation import has_negation
from language.stemming import STEMMED_LANGUAGES, stem_in
from language.terms import terms
from language.topic_words import topic_stems, topic_words
from language.word_matching import terms_by_word
from lexic.phrases import phrase
from querying.answering.siblings.nearest_sibling import find_missing_member, find_nearest_sibling, is_named_elsewhere
from querying.answering.unmentioned_words import stems_of, text_with_titles, unmentioned_words
from querying.question.document_validity import without_requested_day
from querying.retrieval.markdown_tables import empty_heads
from querying.retrieval.passage_tables import is_of_table
from querying.types.answer import NearestSibling
from querying.types.confidence import ConfidenceSignals
from querying.types.evidence import SUFFICIENCY_THRESHOLD, Evidence, Sentence

_NEGATION_PENALTY = _NUMBER_PENALTY = _SIBLING_PENALTY = 0.2
_NAME_PENALTY = _COUNTED_PENALTY = 0.1
_EMPTY_CELL_PENALTY = _OTHER_DAYS_PENALTY = 0.3
# The one thing that the question names is missing, and the cross-encoder gives the sentence less than this. Longer
# questions ask for more than one sentence says, and of rows it knows too little (docs/evaluation.md, "Members of a
# class").
_MISSING_MEMBER_PENALTY = 0.2
_MISSING_MEMBER_PROBABILITY = 0.25
_MISSING_MEMBER_MAX_WORDS = 12
# Narrower than what counts as a denial in the passage: a question about refused claims denies nothing.
# "Isn't it …?" asks for what is, and denies nothing.
_QUESTION_NEGATION = re.compile(
    r"\b(?:(?<!\bor )not|never|without|cannot|neither|nor|unable|none)\b"
    r"|n['’]t\b(?! (?:it|they|this|that|there|you|we|he|she|I)\b)",
    re.IGNORECASE,
)
_CAPITALISED_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]{2,}(?:\s+[A-Z][\w’'-]{2,}){0,4}")
# "NASA's Deep Impact" is two names, and "I'm" none.
_POSSESSIVE = re.compile(r"['’]s\b\s*")
_MAX_NEAREST = 3
# Below this the cross-encoder's doubt is a reason that is told.
_DOUBTFUL_PROBABILITY = 0.2
_DOES_NOT_SEEM_TO_ANSWER = phrase("The nearest passage does not seem to answer the question.")


@dataclass(frozen=True)
class _Sign:
    """What weakens the evidence; `words` are those of the question that the nearest passage lacks, in small letters."""

    penalty: float
    reason: str
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Sufficiency:
    """`score` is the strength less the signs. `why` is for people, empty when the gate is passed. `nearest` are the
    passages that come nearest, each cut to its best sentence; `about` says where the first of them is about a sibling
    of what was asked."""

    grounds: ConfidenceSignals
    passes: bool
    why: tuple[str, ...]
    nearest: tuple[Passage, ...]
    about: NearestSibling | None = None

    @property
    def score(self) -> float:
        return self.grounds.score


def assess_sufficiency(
    question: str,
    evidence: Evidence,
    *,
    threshold: float | None = None,
    new_words: str = "",
    tree_decided: bool = False,
) -> Sufficiency:
    """Whether the evidence answers the question; `threshold` is the plugin's own, None the default one. `new_words` are
    those that a turn adds to a conversation: where no passage says any of them, what went before is no evidence.
    Where a tree decided, it read from the question what no passage needs to name ("on the pier": a severe exposure).

    Only the last turn is judged.
    """
    best = evidence.sentences[0] if evidence.sentences else None
    signs = _contradiction_signs(question, best, evidence, is_follow_up=bool(new_words)) if best else []
    nearest = _nearest_passages(evidence)
    about = _nearest_sibling(question, evidence, nearest)
    if about:
        reason = phrase("The nearest passage says this of something else than what was asked about.")
        signs.append(_Sign(_SIBLING_PENALTY, reason))
    elif not (new_words or tree_decided) and _lacks_asked_member(question, evidence):
        signs.append(_Sign(_MISSING_MEMBER_PENALTY, _DOES_NOT_SEEM_TO_ANSWER))
    score = evidence.strength - sum(sign.penalty for sign in signs)
    passes = score >= (SUFFICIENCY_THRESHOLD if threshold is None else threshold)
    passes = passes and not _are_all_new(new_words, evidence.passages, known=(best and best.asked_words) or frozenset())
    why = () if passes else tuple(dict.fromkeys(_refusal_reasons(question, evidence, signs)))
    if not passes and not why:
        why = (phrase("The nearest passage does not answer the question clearly enough."),)
    grounds = ConfidenceSignals(
        score=score,
        lead=_score_lead(best, evidence) if best else 0.0,
        agreement=_search_agreement(best, evidence) if best else 0,
        has_signs=bool(signs),
        weakest=_weakest_match(best, question, evidence) if best else 0.0,
        answer_probability=evidence.answer_probability,
        lag=_strength_lag(best, evidence) if best else 0.0,
    )
    return Sufficiency(grounds=grounds, passes=passes, why=why, nearest=nearest, about=about)


def _lacks_asked_member(question: str, evidence: Evidence) -> bool:
    """Whether the best sentence names all that is asked about but one thing, and the cross-encoder doubts that it
    answers: then it is probably about another member of the class. A list that is asked for as a whole says more than
    one sentence."""
    probability = evidence.answer_probability
    if probability is None or probability >= _MISSING_MEMBER_PROBABILITY or evidence.section_list:
        return False
    best = evidence.sentences[0]
    if is_of_table(best) or len(question.split()) > _MISSING_MEMBER_MAX_WORDS or evidence.passages[best.source].path:
        return False
    return find_missing_member(question, evidence) is not None


def _nearest_passages(evidence: Evidence) -> tuple[Passage, ...]:
    """One for each passage, in the order of their best sentences; those of code stay whole."""
    best: dict[int, Sentence] = {}
    for sentence in evidence.sentences:
        best.setdefault(sentence.source, sentence)
    others = (number for number in range(len(evidence.passages)) if number not in best)
    nearest = [*best, *others][:_MAX_NEAREST]
    return tuple(_cut_to_sentence(evidence.passages[number], best.get(number)) for number in nearest)


def _nearest_sibling(question: str, evidence: Evidence, nearest: Sequence[Passage]) -> NearestSibling | None:
    """Where the nearest passage is about a sibling of what was asked; its words are those of the sentence, or of what
    it stands under."""
    replaced = find_nearest_sibling(question, evidence)
    if replaced is None:
        return None
    passage = nearest[0]
    if any(replaced.found in heading for heading in passage.section_path):
        return NearestSibling(asked=replaced.asked, found=replaced.found, passage=passage)
    at = passage.content.find(replaced.found)
    if at < 0:
        return None
    start = passage.start + at
    span = (start, start + len(replaced.found))
    return NearestSibling(asked=replaced.asked, found=replaced.found, passage=passage, span=span)


def _cut_to_sentence(passage: Passage, sentence: Sentence | None) -> Passage:
    if sentence is None or passage.path:
        return passage
    start, end = passage.start + sentence.start, passage.start + sentence.end
    return replace(passage, content=sentence.text, start=start, end=end)


def _score_lead(best: Sentence, evidence: Evidence) -> float:
    """How far the best sentence is ahead of the best one of another passage. Passages overlap and documents repeat
    themselves: the same sentence elsewhere is no rival."""
    words = best.text.split()
    rivals = (one for one in evidence.sentences if one.source != best.source and one.text.split() != words)
    rival = next(rivals, None)
    return max(0.0, best.score - rival.score) if rival else best.score


def _weakest_match(best: Sentence, question: str, evidence: Evidence) -> float:
    """The match of the word that it matches least: none of one that stands in another sentence of its passage alone."""
    return 0.0 if is_named_elsewhere(question, evidence) else best.weakest


def _strength_lag(best: Sentence, evidence: Evidence) -> float:
    """How far the best sentence's own strength is behind the strongest's. A row of a table that was read by its cells
    has given the evidence its strength, of code a whole file does, and a list that is quoted as a whole has the
    question's words in its heading."""
    if best.cell or evidence.section_list or evidence.passages[best.source].path:
        return 0.0
    return max(one.strength for one in evidence.sentences) - best.strength


def _search_agreement(best: Sentence, evidence: Evidence) -> int:
    """How many of the two searches, by words and by meaning, like a passage with the best sentence best. Passages
    overlap and documents repeat themselves: it may stand in several."""
    passages = evidence.passages
    chosen = [passage for passage in passages if best.text in passage.content] or [passages[best.source]]
    by_words = max(one.lexical for one in chosen) >= max(one.lexical for one in passages)
    by_meaning = max(one.cosine or 0.0 for one in chosen) >= max(one.cosine or 0.0 for one in passages)
    return int(by_words) + int(by_meaning)


def _contradiction_signs(question: str, best: Sentence, evidence: Evidence, *, is_follow_up: bool) -> list[_Sign]:
    """A denial is no sign in a conversation, where people tell and suppose things ("if I do not pay?"), and none about
    code, which says so without words; measured. A name may stand in another file of the same repository."""
    passage = evidence.passages[best.source]
    around = text_with_titles(passage)
    signs: list[_Sign] = []
    denies = not is_follow_up and not passage.path and _QUESTION_NEGATION.search(question)
    if denies and not (has_negation(best.text) or best.value_rows):
        signs.append(_Sign(_NEGATION_PENALTY, phrase("The question denies something; the nearest passage does not.")))
    asked = without_requested_day(question)
    # The years of a table stand in each of its rows, or in its caption: those of another row say nothing.
    caption = best.cell.wording if best.cell else ""
    of_row = " ".join([passage.document_title, *passage.section_path, best.header, caption, best.text])
    numbered = of_row if CELL_SEPARATOR in best.text else around
    asked_numbers = set(numbers_with_units(asked))
    missing_numbers = asked_numbers - stated_numbers(numbered) if asked_numbers else set()
    if missing := sorted(missing_numbers - best.ranges.numbers):
        signs.append(_unmentioned(_NUMBER_PENALTY, missing))
    # Only English keeps capitals for names.
    names = [] if evidence.wording.language else _CAPITALISED_NAME.findall(asked)
    named = (part for name in names for part in _POSSESSIVE.split(name) if terms(part))
    known = (" ".join(map(text_with_titles, evidence.passages)) if passage.path else around).lower()
    # "15 May to 15 September" says June.
    named = (name for name in named if not best.ranges.days.issuperset(terms(name)))
    if missing := [name for name in named if name.lower() not in known]:
        signs.append(_unmentioned(_NAME_PENALTY, missing))
    if column := _empty_column(asked, best):
        reason = phrase("The nearest row of a table has nothing under “%(column)s”.", column=column)
        signs.append(_Sign(_EMPTY_CELL_PENALTY, reason))
    if missing := _unsaid_counted_words(asked, evidence):
        signs.append(_unmentioned(_COUNTED_PENALTY, missing))
    return [*signs, *_date_signs(asked, best, evidence)]


def _date_signs(question: str, best: Sentence, evidence: Evidence) -> Iterator[_Sign]:
    """Where the nearest sentence or row speaks of other days than those asked about, or speaks of these, and another
    one has the other words of the question. A row that is asked for by its cells was chosen by its day."""
    if best.ranges.other_days and not best.value_rows:
        yield _Sign(_OTHER_DAYS_PENALTY, phrase("The nearest passage speaks of other days than those asked about."))
    if best.ranges.is_date_unclear:
        yield _Sign(0.0, phrase("Nobody can tell the day from the month in a date of the nearest passage."))
    beside = (one for one in evidence.sentences if one.source == best.source and one.ranges.is_beside_asked)
    said = frozenset(terms(best.text))
    lacking = [word for one in beside for word in topic_words(question) if _says_alone(word, one.text, said)]
    if best.ranges.days and lacking:
        yield _unmentioned(_NAME_PENALTY, lacking)


def _says_alone(word: str, text: str, others: frozenset[str]) -> bool:
    return bool(stems := frozenset(terms(word)) & frozenset(terms(text))) and stems.isdisjoint(others)


def _empty_column(question: str, best: Sentence) -> str:
    """What the question asks for of a column that the row has nothing in. In the question's words: those of the head
    are the page's, which not everybody who is refused may read."""
    empty = empty_heads(best.text, best.header) if best.header else []
    asked = topic_stems(question) - frozenset(terms(best.text))
    if best.is_cell_empty:
        return " ".join(word for word in topic_words(question) if asked & frozenset(terms(word))) or question
    stems = next((found for head in empty if (found := asked & frozenset(terms(head)))), frozenset())
    return " ".join(word for word in topic_words(question) if stems & frozenset(terms(word)))


def _unsaid_counted_words(question: str, evidence: Evidence) -> list[str]:
    """What the question asks the number of, and no passage speaks of: neither by a form that the index knows, nor by a
    word with the same stem in the question's language, of which the index has the English one."""
    wording = evidence.wording
    counted = counted_words(question, wording.language) if wording.language in STEMMED_LANGUAGES else []
    if not counted:
        return []
    text = " ".join(map(text_with_titles, evidence.passages))
    said = set(terms(text))
    stems = {stem_in(word.lower(), wording.language) for word in terms_by_word(text)}
    return [
        word
        for word in counted
        if stem_in(word.lower(), wording.language) not in stems
        and not any(wording.is_said(term, said) for term in terms(word))
    ]


def _refusal_reasons(question: str, evidence: Evidence, signs: Sequence[_Sign]) -> Iterator[str]:
    missing = unmentioned_words(question, evidence)
    if not evidence.passages:
        yield phrase("There is nothing about it in the documents.")
    elif missing:
        yield phrase("No passage mentions %(words)s.", words=", ".join(f"“{word}”" for word in missing))
    # What no passage mentions is not said of the nearest one again.
    said = {part for word in missing for part in word.lower().split()}
    yield from (sign.reason for sign in signs if not sign.words or not said.issuperset(sign.words))
    if evidence.answer_probability is not None and evidence.answer_probability < _DOUBTFUL_PROBABILITY:
        yield _DOES_NOT_SEEM_TO_ANSWER


def _unmentioned(penalty: float, words: Sequence[str]) -> _Sign:
    """Each word once, however often the question says it."""
    once: dict[str, str] = {}
    for word in words:
        once.setdefault(word.lower(), word)
    reason = phrase("The nearest passage does not mention %(words)s.", words=", ".join(once.values()))
    return _Sign(penalty, reason, words=frozenset(" ".join(once).split()))


def _are_all_new(words: str, passages: Sequence[Passage], *, known: frozenset[str]) -> bool:
    """Whether no passage says any of the words, and none of them asks for a column of a table (`known`)."""
    asked = topic_stems(words)
    if asked & known:
        return False
    return bool(asked) and asked.isdisjoint(stems_of(passages))
