"""Which sentence of the pages supports what a tree recommends, and whether it speaks of what was asked.

Words and figures find a few sentences. A cross-encoder then reads each of them alone, under its headings, together with
the question: “the cover of a beam” shares all but one of its words with a question about slabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from knowledge.embedders.cross_encoder import log_odds
from language.content_words import content_stems
from language.sentences import sentence_spans
from querying.answering.citations import CitationVerifier
from querying.retrieval.answer_cross_encoder import Excerpt, answer_cross_encoder
from querying.types.evidence import Evidence, Sentence

# How many sentences the cross-encoder reads, in one run.
_MAX_READ = 3
# What the cross-encoder's log odds add to the share of the words that a sentence says, and the sum under which it may
# speak of something else: chosen on tests/data/members (docs/evaluation.md, "The page behind a recommendation").
_PROBABILITY_WEIGHT = 0.07
_DOUBTFUL = 0.0
_MAX_LOG_ODDS = 9.0
_MIN_CHARACTERS = 20  # shorter ones are headings and scraps
_QUANTITY = re.compile(r"(?<!\w)\d+(?:\.\d+)?")  # none is in “A1”


@dataclass(frozen=True, kw_only=True)
class Support:
    """The sentence, and whether it may speak of something else than was asked."""

    sentence: Sentence
    is_doubtful: bool


def find_support(question: str, *, recommendation: str, decision_text: str, evidence: Evidence) -> Support | None:
    """The sentence that supports the recommendation: it has every figure of it, or every one of one of its sentences,
    says most of the question's words and of the facts (`decision_text`), and is likely to answer. None where none has
    the figures."""
    words = content_stems(f"{question} {decision_text}")
    candidates = (_sentences_with(figures, words, evidence) for figures in _figures_to_find(recommendation))
    best = next((found[:_MAX_READ] for found in candidates if found), [])
    if not best:
        return None
    added = _cross_encoder_scores(question, [one for _, one in best], evidence)
    _, reading, sentence = max(
        ((share + reading, reading, one) for (share, one), reading in zip(best, added, strict=True)),
        key=lambda each: each[0],
    )
    asked = _word_share(content_stems(question), sentence, evidence)
    return Support(sentence=sentence, is_doubtful=asked + reading < _DOUBTFUL)


def can_support(recommendation: str, evidence: Evidence) -> bool:
    """Whether `find_support` finds a sentence."""
    return any(any(_with_figures(figures, evidence)) for figures in _figures_to_find(recommendation))


def is_cited(recommendation: str, support: Support, evidence: Evidence) -> bool:
    """Whether the recommendation passes verification with the passage of the sentence that supports it."""
    claim = f"{recommendation.rstrip(' .')} [Source {support.sentence.source + 1}]."
    return bool(CitationVerifier(evidence.passages, finds_conflicts=False).cite(claim).citations)


def _figures_to_find(recommendation: str) -> list[set[str]]:
    """The figures of the whole, then those of each sentence that has some: a page may say in two what it needs."""
    each = (recommendation[start:end] for start, end in sentence_spans(recommendation))
    found = [set(_QUANTITY.findall(text)) for text in (recommendation, *each)]
    return [found[0], *filter(None, found[1:])]


def _sentences_with(figures: Set[str], words: Set[str], evidence: Evidence) -> list[tuple[float, Sentence]]:
    """The sentences that have the figures, each with what it says of the words, less the other figures that it brings
    in; the best first."""
    found = [
        (_word_share(words, one, evidence) - len(others) / max(1, len(words)), one)
        for one, others in _with_figures(figures, evidence)
    ]
    return sorted(found, key=lambda pair: (-pair[0], -pair[1].score))


def _with_figures(figures: Set[str], evidence: Evidence) -> Iterator[tuple[Sentence, Set[str]]]:
    """The sentences that have the figures, each with the others that it has."""
    for one in evidence.sentences:
        said = set(_QUANTITY.findall(one.text))
        if len(one.text) >= _MIN_CHARACTERS and figures <= said:
            yield one, said - figures


def _cross_encoder_scores(question: str, sentences: Sequence[Sentence], evidence: Evidence) -> list[float]:
    """What the cross-encoder adds to the share of each."""
    excerpts = [
        Excerpt(title=evidence.passages[one.source].titles, text=one.text, center=(0, len(one.text)))
        for one in sentences
    ]
    likely = answer_cross_encoder().probabilities(question, excerpts)
    return [_PROBABILITY_WEIGHT * log_odds(one, most=_MAX_LOG_ODDS) for one in likely]


def _word_share(words: Set[str], sentence: Sentence, evidence: Evidence) -> float:
    """Of the words, how many the sentence and its headings say."""
    said = content_stems(f"{evidence.passages[sentence.source].titles} {sentence.text}")
    return len(words & said) / max(1, len(words))
