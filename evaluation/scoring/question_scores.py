"""Compares a result with what was expected: the scores of one question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import (
    EvalQuestion,
    GoldPlace,
    PageSpan,
    PipelineOutcome,
    QuestionScores,
    RetrievalOutcome,
)
from evaluation.scoring import metrics
from evaluation.scoring.gold_locator import GoldLocator, GoldTarget
from knowledge.models import Page
from language.whole_words import has_whole_words
from querying.types.answer import Outcome

# Where the recall curve of the report is measured.
RECALL_DEPTHS = (1, 2, 3, 5, 8, 10, 20, 50, 100)

# These say neither that a question was answered nor that it was refused: the model was away, say.
_UNFINISHED_OUTCOMES = (Outcome.FAILED, Outcome.ABANDONED)

# So much of an answer is kept, to be compared with that of another run.
MAX_ANSWER_LENGTH = 4_000


@dataclass(frozen=True, kw_only=True)
class AnswerKey:
    """What is right for one question, in terms of what was read."""

    places: tuple[tuple[GoldPlace, GoldTarget | None], ...]  # no target: the document is not there
    relevant: Mapping[UUID, int]
    forbidden: frozenset[UUID]
    ranks_documents: bool  # asked of more than one document

    @cached_property
    def targets(self) -> tuple[GoldTarget, ...]:
        return tuple(target for _, target in self.places if target)

    @property
    def exact_targets(self) -> tuple[GoldTarget, ...]:
        return tuple(target for target in self.targets if target.is_exact)

    @property
    def paged_targets(self) -> tuple[GoldTarget, ...]:
        return tuple(target for target in self.targets if target.pages)

    def matches_span(self, span: PageSpan) -> bool:
        return any(target.matches_span(span) for target in self.targets)


def build_answer_key(asked: EvalQuestion, *, library: EvalCorpus, places: GoldLocator) -> AnswerKey:
    documents = library.documents
    in_scope = documents if asked.scope is None else asked.scope
    return AnswerKey(
        places=tuple((gold, places.locate(gold)) for gold in asked.gold),
        relevant={documents[name]: grade for name, grade in asked.relevant.items() if name in documents},
        forbidden=frozenset(documents[name] for name in asked.forbidden if name in documents),
        ranks_documents=len(in_scope) > 1,
    )


def score_question(
    asked: EvalQuestion, *, key: AnswerKey, found: RetrievalOutcome | None, given: PipelineOutcome | None
) -> QuestionScores:
    """All metrics that apply to this question. At least one of `found` and `given` is there."""
    values: dict[str, float] = {}
    if given:
        values |= _answer_scores(asked, key, given)
    if found:
        # In both modes sentences are those that retrieval selects, and the outcome is the pipeline's.
        values |= _retrieval_scores(key, found)
        if not given:
            values |= _outcome_scores(asked, is_answered=found.passes)
    weighed = given if given else found
    assert weighed
    return QuestionScores(
        id=asked.id,
        answerable=asked.answerable,
        values=values,
        score=found.sufficiency_score if found else given.sufficiency_score if given else None,
        strength=found.strength if found else weighed.strength,
        milliseconds=weighed.milliseconds,
        item=asked.item,
        document=asked.scope[0] if asked.scope and len(asked.scope) == 1 else "",
        confidence=given.confidence if given and given.outcome == Outcome.ANSWERED else "",
        recall_curve=_recall_curve(key, found) if found else (),
        question=asked.text,
        failures=tuple(golden_failures(asked, key=key, given=given)) if given else (),
        outcome=given.outcome if given else "",
        answer=given.text[:MAX_ANSWER_LENGTH] if given and asked.expected else "",
        expected=asked.expected.outcome if asked.expected else "",
        probability=given.probability if given else None,
        grounds=given.grounds if given else None,
        is_discriminating=_is_discriminating(asked),
    )


def _is_discriminating(asked: EvalQuestion) -> bool:
    """Whether a golden question says more of an answer than that there is one."""
    expected = asked.expected
    return expected is None or bool(asked.gold or expected.must_contain or expected.must_reach)


# --- Retrieval ----------------------------------------------------------------------------------------------


def _retrieval_scores(key: AnswerKey, found: RetrievalOutcome) -> dict[str, float]:
    values: dict[str, float] = {}
    if key.relevant and key.ranks_documents:
        values |= _document_scores(key, found.passages)
    if key.paged_targets:
        values |= _page_scores(key, found.passages)
    if key.targets:
        met = [key.matches_span(span) for span in found.passages[:10]]
        values |= {f"chunk@{k}": metrics.hit_rate(met, k=k) for k in (1, 5, 10)}
    if key.exact_targets or key.paged_targets:
        met = [key.matches_span(span) for span in found.sentences]
        values |= {"sentence@1": metrics.hit_rate(met, k=1), "span@5": metrics.hit_rate(met, k=5)}
    if key.forbidden:
        values["forbidden_found"] = float(any(span.document in key.forbidden for span in found.passages))
    return values


def _document_scores(key: AnswerKey, passages: Sequence[PageSpan]) -> dict[str, float]:
    """A document counts once, at its best passage."""
    ranked = list(dict.fromkeys(span.document for span in passages))
    relevant = {document for document, grade in key.relevant.items() if grade > 0}
    if not relevant:
        return {}
    return {
        "ndcg@10": metrics.ndcg(ranked, key.relevant, k=10),
        "mrr@10": metrics.reciprocal_rank(ranked, relevant, k=10),
        "recall@8": metrics.recall(ranked, relevant, k=8),
        "recall@100": metrics.recall(ranked, relevant, k=100),
        "document@1": metrics.hit_rate([document in relevant for document in ranked], k=1),
        "document@5": metrics.hit_rate([document in relevant for document in ranked], k=5),
    }


def _page_scores(key: AnswerKey, passages: Sequence[PageSpan]) -> dict[str, float]:
    """A page counts once, at its best passage."""
    pages = {span.page_id: span for span in reversed(passages)}
    order = list(dict.fromkeys(span.page_id for span in passages))
    right = [any(target.covers_page_of(pages[page]) for target in key.paged_targets) for page in order[:10]]
    return {f"page@{k}": metrics.hit_rate(right, k=k) for k in (1, 5, 10)}


def _recall_curve(key: AnswerKey, found: RetrievalOutcome) -> tuple[float, ...]:
    """The share of what is relevant among the first k, for each k of `RECALL_DEPTHS`: documents, else gold places."""
    if key.ranks_documents and key.relevant:
        ranked = list(dict.fromkeys(span.document for span in found.passages))
        return tuple(metrics.recall(ranked, key.relevant.keys(), k=k) for k in RECALL_DEPTHS)
    first = [_first_match_rank(target, found.passages) for target in key.targets]
    return tuple(sum(rank <= k for rank in first) / len(first) for k in RECALL_DEPTHS) if first else ()


def _first_match_rank(target: GoldTarget, passages: Sequence[PageSpan]) -> float:
    met = (rank for rank, span in enumerate(passages, start=1) if target.matches_span(span))
    return next(met, float("inf"))


# --- Answers ------------------------------------------------------------------------------------------------


def _answer_scores(asked: EvalQuestion, key: AnswerKey, given: PipelineOutcome) -> dict[str, float]:
    is_answered = given.outcome == Outcome.ANSWERED
    values = {} if given.outcome in _UNFINISHED_OUTCOMES else _outcome_scores(asked, is_answered=is_answered)
    if given.citations:
        values["citation_validity"] = sum(_citation_validity(given.citations)) / len(given.citations)
    if key.forbidden:
        values["forbidden_cited"] = float(any(span.document in key.forbidden for span in given.citations))
    if is_answered and key.targets:
        values |= _citation_scores(key, given)
    if is_answered and asked.answerable is not None:
        values["answer_right"] = float(any(key.matches_span(span) for span in given.citations))
    if asked.expected:
        values["golden_passed"] = float(not golden_failures(asked, key=key, given=given))
        if key.places:
            values["golden_cited"] = float(not _uncited_places(key, given))
    return values


def _outcome_scores(asked: EvalQuestion, *, is_answered: bool) -> dict[str, float]:
    if asked.answerable is None:
        return {}
    if asked.answerable:
        return {"answered_when_answerable": float(is_answered)}
    return {"refused_when_unanswerable": float(not is_answered)}


def _citation_scores(key: AnswerKey, given: PipelineOutcome) -> dict[str, float]:
    """ALCE's two measures with overlap in place of entailment.

    A statement is supported when one of its citations is a gold place. Recall is the share of statements that are
    supported; precision that of a statement's citations that support it. (ALCE also spares a citation that supports
    only together with others; places either overlap or do not, so there is none here.)
    """
    supports = [key.matches_span(span) for span in given.citations]
    marks = [supports[at] for statement in given.statements for at in statement]
    values = {"sentence@1": metrics.hit_rate(supports, k=1), "span@5": metrics.hit_rate(supports, k=5)}
    values = values if key.exact_targets or key.paged_targets else {}
    if marks:
        values["citation_precision"] = sum(marks) / len(marks)
    if given.statements:
        supported = [any(supports[at] for at in statement) for statement in given.statements]
        values["citation_recall"] = sum(supported) / len(supported)
    return values


def _citation_validity(citations: Sequence[PageSpan]) -> Iterator[bool]:
    """Whether each excerpt stands on the page it names, in the document it names, read once more from the database."""
    pages = {page.pk: page for page in Page.objects.filter(pk__in={span.page_id for span in citations})}
    for span in citations:
        page = pages.get(span.page_id)
        yield page is not None and _is_on_page(page, span)


def _is_on_page(page: Page, span: PageSpan) -> bool:
    is_named = page.document_id == span.document and span.page_number in (None, page.number)
    return is_named and bool(span.text) and _collapse_whitespace(span.text) in _collapse_whitespace(page.text)


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


_EXPECTED_OUTCOMES: dict[str, str] = {
    Outcome.ANSWERED: "an answer",
    Outcome.CLARIFY: "a question back",
    Outcome.REFUSED: "a refusal",
}
_GIVEN_OUTCOMES: dict[str, str] = {
    Outcome.ANSWERED: "it answered",
    Outcome.CLARIFY: "it asked a question back",
    Outcome.REFUSED: "it refused",
    Outcome.ABANDONED: "it was left unfinished",
}


def golden_failures(asked: EvalQuestion, *, key: AnswerKey, given: PipelineOutcome) -> list[str]:
    """What of a golden question's expectations does not hold, each a sentence. Empty: it passes."""
    expected = asked.expected
    if expected is None:
        return []
    wrong = []
    if expected.outcome and given.outcome != expected.outcome:
        what_came = _GIVEN_OUTCOMES.get(given.outcome, f"it {given.outcome}")
        wrong.append(f"Expected {_EXPECTED_OUTCOMES[expected.outcome]}; {what_came}.")
    wrong += [f"{gold.document} {_page_numbers_text(gold.pages)} is not cited." for gold in _uncited_places(key, given)]
    missing = [words for words in expected.must_contain if not _says(given.text, words)]
    wrong += [f"The answer does not say “{words}”." for words in missing]
    if expected.must_reach and expected.must_reach not in given.nodes:
        wrong.append(f"The tree did not reach {expected.must_reach}.")
    return wrong


def _uncited_places(key: AnswerKey, given: PipelineOutcome) -> list[GoldPlace]:
    """The places that the expert asked for, and no citation meets."""
    return [
        gold
        for gold, target in key.places
        if target is None or not any(target.matches_span(span) for span in given.citations)
    ]


def _page_numbers_text(pages: frozenset[int]) -> str:
    return f"p. {', '.join(map(str, sorted(pages)))}" if pages else ""


def _says(text: str, words: str) -> bool:
    return has_whole_words(_fold_text(words), _fold_text(text))


def _fold_text(text: str) -> str:
    return _collapse_whitespace(text).casefold()
