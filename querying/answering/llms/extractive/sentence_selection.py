"""Which sentences answer: mostly one, and a further one only where it adds to it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice, product, starmap, takewhile
from uuid import UUID

from language.content_words import content_stems
from language.number_words import NUMBER_WORD_PATTERN
from language.word_patterns import word_pattern
from querying.answering.llms.extractive import table_headers
from querying.answering.llms.extractive.asked_rows import (
    MAX_ROWS_WITH_VALUE,
    rows_asked_together,
    rows_of_same_name,
    rows_with_value,
)
from querying.answering.llms.extractive.context_sentences import (
    antecedent,
    begins_with_pronoun,
    is_separate,
    list_items,
    list_lead_in,
)
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.statements import begins_in_the_middle, is_statement, leads_in, replies
from querying.retrieval.passage_tables import is_row
from querying.types.evidence import Evidence, Sentence, SubQuestion

MAX_SENTENCES = 3
# What the words themselves add to a sentence's score: its share of the question's, the rarer ones counting more …
_SHARED_WORDS_BONUS = 0.05
# … and a figure where one is asked for.
_FIGURE_BONUS = 0.02
# … and, where more than one fact is asked for, what it says beyond the question and its headings: so many words more
# are enough. The opening of a page repeats the heading and says little else ("At Acme we know how important care is").
_NEW_WORDS_BONUS, _ENOUGH_NEW_WORDS = 0.04, 5
# … less this where a page cuts it in two, where it leads in to what stands on the next, or where it begins with a word
# for something that the passage does not show.
_FRAGMENT_PENALTY = 0.03
# A further sentence must come this close to the best one and say this share of the question's words that the ones
# before do not; or be as good as the best, as far as scores can tell, and half of its words be new.
_MIN_SCORE_RATIO, _MIN_NEW_WORDS, _MIN_NEW_SHARE = 0.88, 0.2, 0.5
_EQUAL_SCORE_RATIO = 0.96
# So many sentences are weighed for each of several questions.
_MAX_OPTIONS = 4
# A sentence of another section that answers so much better by its own words is meant, not what only a heading raises.
_CLEAR_OWN_LEAD = 0.08
# Within this nobody can tell which of two is better. Of the pairs of a blind rating that differ in their order alone,
# readers preferred the page's order where the scores were this close, and the better one first elsewhere.
SAME_SCORE_RATIO = 0.985

# What goes on from a chosen sentence, or stands in the same passage as the first, reads better than the same from
# elsewhere. Settled by the words that the answers share with answers that people wrote (docs/evaluation.md).
_CONTINUATION_BONUS, _SAME_PASSAGE_BONUS = 0.03, 0.03

_ASKS_HOW_MUCH = r"how\s+(?:many|much|long|old|far|often|large|big|high|tall|fast|thick|deep)"
_ASKS_FOR_FACT = word_pattern(f"who|whom|whose|when|where|which|{_ASKS_HOW_MUCH}")
_ASKS_FOR_FIGURE = word_pattern(f"{_ASKS_HOW_MUCH}|when|minimum|maximum|what (?:percentage|percent|number|year|age)")
# What may follow a heading in its line: nothing, or a note in brackets.
_HEADING_NOTE = re.compile(r"[ .:]{0,3}(?: [\[(][^\[\]()]{0,80}[\])][.:]?)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FIGURE = re.compile(rf"\d|\b{NUMBER_WORD_PATTERN}\b", re.IGNORECASE)


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
    short_lead_in = _short_lead_in(evidence, neighbours)
    for sentence in evidence.sentences:
        if short_lead_in and _is_of_other_list(sentence, short_lead_in, neighbours):
            continue
        is_head = table_headers.is_header_row(sentence, neighbours) or _is_heading(sentence, evidence)
        # "| 6-9 | 5 % |" says something below "| Persons | Discount |".
        stated = f"{sentence.header} {sentence.text}" if sentence.header else sentence.text
        above = evidence.passages[sentence.source].content[: sentence.start]
        says_something = is_statement(stated) or replies(
            sentence.text, above=above, heading=neighbours.heading(sentence)
        )
        is_of_other_case = bool(sentence.ranges.excluded) or sentence.ranges.is_beside_asked
        if says_something and not is_head and not is_of_other_case:
            bonus = _SHARED_WORDS_BONUS * _weight_share(weights, stated)
            bonus += _FIGURE_BONUS * (asks_for_figure and _FIGURE.search(sentence.text) is not None)
            announces_next_page = leads_in(sentence.text) and neighbours.after(sentence) is None
            is_orphan = begins_with_pronoun(sentence) and antecedent(sentence, neighbours, question=question) is None
            bonus -= _FRAGMENT_PENALTY * (begins_in_the_middle(sentence.text) or announces_next_page or is_orphan)
            found.append(Candidate(sentence, sentence.score + bonus))
    if _ASKS_FOR_FACT.search(question):
        found = _without_lift_of_heading(found, evidence)
    elif found:
        found = _raise_by_new_words(found, question, evidence, neighbours)
    return sorted(found, key=lambda one: (-one.score, one.sentence.source, one.sentence.start))


def _short_lead_in(evidence: Evidence, neighbours: Neighbours) -> Sentence | None:
    """The best sentence, where it leads in to a list and is too short to be quoted: "Allowed:"."""
    best = max(evidence.sentences, key=lambda one: one.score, default=None)
    is_short = best is not None and leads_in(best.text) and not is_statement(best.text)
    return best if best and is_short and list_items(best, neighbours) else None


def _is_of_other_list(sentence: Sentence, lead_in: Sentence, neighbours: Neighbours) -> bool:
    """Whether it stands in the same passage in a list with another lead-in: what is "Forbidden:" does not say what is
    "Allowed:"."""
    if sentence.source != lead_in.source:
        return False
    other = sentence if leads_in(sentence.text) else list_lead_in(sentence, neighbours)
    return other is not None and other != lead_in


def _without_lift_of_heading(found: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The candidates, those of the best one's section lower where a sentence of another section of its document clearly
    answers better by its own words than all of them: words of a heading count for every sentence below it, also where
    it names something else. Of several questions each has its own scores, but not its own strengths."""
    if not found or evidence.sub_questions:
        return list(found)
    best = max(found, key=lambda one: one.score)
    near = (one for one in found if one.score >= _MIN_SCORE_RATIO * best.score)
    own = max(near, key=lambda one: one.sentence.strength)
    raised = [one for one in found if _section(one, evidence) == _section(best, evidence)]
    lead = own.sentence.strength - max(one.sentence.strength for one in raised)
    same_document = _section(own, evidence)[0] == _section(best, evidence)[0]
    if not same_document or lead < _CLEAR_OWN_LEAD or any(one.sentence.header for one in (own, best)):
        return list(found)
    share = own.score / own.sentence.strength
    lowered = [min(one.score, share * one.sentence.strength) for one in found]
    each = zip(found, lowered, strict=True)
    return [Candidate(one.sentence, score) if one in raised else one for one, score in each]


def _section(candidate: Candidate, evidence: Evidence) -> tuple[UUID, int, tuple[str, ...]]:
    passage = evidence.passages[candidate.sentence.source]
    return passage.document_id, passage.page_id, passage.section_path


def _raise_by_new_words(
    found: Sequence[Candidate], question: str, evidence: Evidence, neighbours: Neighbours
) -> list[Candidate]:
    """The candidates with the bonus for what they say. The page of the best one stays the best: nothing elsewhere gets
    above it."""
    pages = [evidence.passages[one.sentence.source].page_id for one in found]
    best_page = max(zip(found, pages, strict=True), key=lambda pair: pair[0].score)[1]
    new_words = _count_new_words(question, evidence, neighbours)
    bonuses = (_NEW_WORDS_BONUS * min(1.0, new_words(one.sentence) / _ENOUGH_NEW_WORDS) for one in found)
    raised = [Candidate(one.sentence, one.score + bonus) for one, bonus in zip(found, bonuses, strict=True)]
    best = max(one.score for one, page in zip(raised, pages, strict=True) if page == best_page)
    return [
        one if page == best_page else Candidate(one.sentence, min(one.score, math.nextafter(best, 0.0)))
        for one, page in zip(raised, pages, strict=True)
    ]


def _count_new_words(question: str, evidence: Evidence, neighbours: Neighbours) -> Callable[[Sentence], int]:
    """For a sentence, how many words and numbers it has that are neither the question's nor of the headings that it
    stands under. A line that leads in to a list says what its items say."""
    asked = _stems_and_numbers(question)
    known = [asked | _stems_and_numbers(one.titles) for one in evidence.passages]

    def count(sentence: Sentence) -> int:
        items = list_items(sentence, neighbours) if leads_in(sentence.text) else ()
        said = frozenset().union(*(_stems_and_numbers(one.text) for one in (sentence, *items)))
        return len(said - known[sentence.source])

    return count


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


def _weight_share(weights: Mapping[str, float], text: str) -> float:
    known, total = content_stems(text), sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in known) / total if total else 0.0


def select_sentences(question: str, evidence: Evidence, *, first: Sentence | None = None) -> list[Candidate]:
    """The best sentence (or the one that must come first), then those that add to it; empty where none can stand. Where
    several things are asked, the best one for each comes first, in the order of the questions."""
    candidates = rank_candidates(question, evidence)
    if not (candidates or first):
        return []
    chosen = [first] if first else _best_of_each(evidence) or [candidates[0].sentence]
    best = candidates[0].score if candidates else 0.0
    if not first:
        rows = rows_with_value(chosen[0], evidence)[:MAX_ROWS_WITH_VALUE] or rows_of_same_name(chosen[0], evidence)
        if rows := rows or rows_asked_together(question, chosen[0], Neighbours(evidence)):
            return [Candidate(row, best) for row in rows]
    choice = _Choice(question=question, evidence=evidence, best=best, chosen=chosen)
    while len(chosen) < MAX_SENTENCES and (further := choice.next_of(candidates)):
        chosen.append(further)
    scores = {(one.sentence.source, one.sentence.start): one.score for one in candidates}
    return [Candidate(one, scores.get((one.source, one.start), best)) for one in chosen]


def _best_of_each(evidence: Evidence) -> list[Sentence]:
    """A sentence for each sub-question, no two that say the same, so that together they answer best: one that is the
    best for two of them goes to the one that has no other as good. Empty for a single question."""
    options = [_options(part, evidence) for part in evidence.sub_questions[:MAX_SENTENCES]]
    ways = ([one for one in way if one] for way in product(*options))
    distinct = (way for way in ways if not any(starmap(_say_the_same, combinations(way, 2))))
    best = max(distinct, key=lambda way: sum(one.score for one in way), default=[])
    return [one.sentence for one in best]


def _options(part: SubQuestion, evidence: Evidence) -> list[Candidate | None]:
    """The candidates for a sub-question that come close to its best one, and none of them."""
    ranked = rank_candidates(part.text, replace(evidence, sentences=part.sentences))
    near = takewhile(lambda one: one.score >= _MIN_SCORE_RATIO * ranked[0].score, ranked)
    return [*islice(near, _MAX_OPTIONS), None]


def _say_the_same(one: Candidate, other: Candidate) -> bool:
    return says_the_same(one.sentence.text, other.sentence.text)


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """Sentences chosen so far, and which one comes next."""

    question: str
    evidence: Evidence
    best: float
    chosen: list[Sentence]

    @cached_property
    def neighbours(self) -> Neighbours:
        return Neighbours(self.evidence)

    @cached_property
    def asks_for_fact(self) -> bool:
        """One sentence or row has the answer, so that what goes on from it is not asked for."""
        patterns = (_ASKS_FOR_FACT, _ASKS_FOR_FIGURE, _NUMBER)
        return is_row(self.chosen[0].text) or any(pattern.search(self.question) for pattern in patterns)

    def next_of(self, candidates: Sequence[Candidate]) -> Sentence | None:
        """The best candidate that adds to the chosen ones, one nearby before another; None where there is none."""
        following = {(after.source, after.start) for one in self.chosen if (after := self._continuation(one))}
        found: list[tuple[float, Sentence]] = []
        for candidate in takewhile(lambda one: one.score >= _MIN_SCORE_RATIO * self.best, candidates):
            sentence = candidate.sentence
            if any(says_the_same(sentence.text, other.text) for other in self.chosen):
                continue
            if sentence.ranges.other_days and self.chosen[0].ranges.days:
                continue  # it speaks of other days than those asked about
            if not (is_statement(sentence.text) or sentence.header):
                continue  # "Yes." answers only what it stands under
            goes_on = (sentence.source, sentence.start) in following
            if self._is_equal(candidate, goes_on=goes_on) or self._adds_information(sentence):
                bonus = _CONTINUATION_BONUS * goes_on
                bonus += _SAME_PASSAGE_BONUS * (sentence.source == self.chosen[0].source)
                found.append((candidate.score + bonus * (not self.asks_for_fact), sentence))
        return max(found, key=lambda pair: pair[0], default=(0.0, None))[1]

    def _continuation(self, sentence: Sentence) -> Sentence | None:
        after = self.neighbours.after(sentence)
        return after if after and not is_separate(sentence, after, self.neighbours) else None

    def _is_equal(self, candidate: Candidate, *, goes_on: bool) -> bool:
        """As good as the best, as far as scores can tell, and half of its words are new. A title with the question's
        words makes all sentences below it look good: it must have one of its own, or go on from a chosen one."""
        if candidate.score < _EQUAL_SCORE_RATIO * self.best or not _is_mostly_new(candidate.sentence, self.chosen):
            return False
        return (
            goes_on or self.asks_for_fact or bool(content_stems(candidate.sentence.text) & content_stems(self.question))
        )

    def _adds_information(self, sentence: Sentence) -> bool:
        """Whether it has much that the question names and the chosen ones leave out. Words of the title add nothing."""
        asked, first = content_stems(self.question), self.evidence.passages[0]
        title = first.titles
        known = frozenset().union(*map(content_stems, (title, *(other.text for other in self.chosen))))
        known = known.union(*(other.ranges.days for other in self.chosen))  # "every day" says Sunday
        return len((asked - known) & content_stems(sentence.text)) >= max(1.0, _MIN_NEW_WORDS * len(asked))


def _is_mostly_new(sentence: Sentence, chosen: Sequence[Sentence]) -> bool:
    words = _stems_and_numbers(sentence.text)
    known = frozenset().union(*(_stems_and_numbers(one.text) for one in chosen))
    return len(words - known) >= _MIN_NEW_SHARE * len(words)


def _stems_and_numbers(text: str) -> frozenset[str]:
    return content_stems(text) | frozenset(_NUMBER.findall(text))


def asks_for_whole_list(items: Sequence[Sentence]) -> bool:
    """Whether no item of a list stands out: then the question is about all of them."""
    best = sorted((item.score for item in items), reverse=True)
    return len(best) < 2 or best[1] >= _EQUAL_SCORE_RATIO * best[0]


def says_the_same(one: str, other: str) -> bool:
    """Chunks overlap and documents repeat themselves: the same words need no second quotation."""
    mine, theirs = set(one.lower().split()), set(other.lower().split())
    return len(mine & theirs) >= 0.8 * min(len(mine), len(theirs))
