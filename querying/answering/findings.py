"""What was found for a question and judged sufficient or not, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from knowledge.search.passages import Passage
from plugins.models import CitationMode
from querying.answering import document_list, tree_answers
from querying.answering.confidence import confidence_basis
from querying.answering.guard import refusal_answer
from querying.answering.recommendation_support import can_support, find_support, is_cited
from querying.answering.sufficiency import Sufficiency, assess_sufficiency
from querying.llm_interface import LLM
from querying.question.answer_language import reasons_in_language, said_in_language
from querying.question.consultation import Consultation
from querying.question.misspellings import describe_misspellings
from querying.question.question_language import other_language_notice
from querying.question.resolve import ResolvedQuestion
from querying.retrieval import retriever
from querying.retrieval.combined_evidence import combine_evidence
from querying.types.answer import Answer, Clarification, Outcome
from querying.types.confidence import Confidence, ConfidenceBasis
from querying.types.evidence import Evidence
from querying.types.question import Question
from querying.types.refusals import refusal_text
from querying.types.token_usage import Usage


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The passages with what the gate and the trees say of them.

    `answer` is what needs no writing: a question back, a refusal, a list of documents, or where an open question of a
    tree leads. Without it, an answer is written from the `evidence`. With both, a model may write a recap of the list.
    """

    question: ResolvedQuestion
    consultation: Consultation = field(default_factory=Consultation)
    evidence: Evidence | None = None
    sufficiency: Sufficiency | None = None
    basis: ConfidenceBasis | None = None
    answer: Answer | None = None

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What was read, best first: the gate's numbers, and those of `[Source N]`, follow this order. Behind it what
        the answer cites besides."""
        read = self.evidence.passages if self.evidence else ()
        cited = dict.fromkeys(citation.passage for citation in self.answer.citations) if self.answer else ()
        return (*read, *(passage for passage in cited if passage not in read))

    @property
    def is_sufficient(self) -> bool:
        """Whether an answer stands on it. In the modes that do not refuse, one may be written all the same."""
        if self.answer:
            return self.answer.outcome == Outcome.ANSWERED
        return self.sufficiency is None or self.sufficiency.passes

    @property
    def why(self) -> tuple[str, ...]:
        """Why it is not sufficient, in sentences."""
        if self.answer and self.answer.why:
            return self.answer.why
        return self.sufficiency.why if self.sufficiency else ()

    @property
    def clarification(self) -> Clarification | None:
        return self.answer.clarification if self.answer else None

    @property
    def is_recap(self) -> bool:
        """Whether a model writes, with the list as the answer where it fails."""
        return self.answer is not None and self.evidence is not None and self.question.planned.is_recap

    def in_language(self, language: str) -> Findings:
        """The findings, with the server's own texts in this language."""
        answer = self.answer and said_in_language(self.answer, language)
        judged = self.sufficiency
        if judged:
            judged = replace(judged, why=reasons_in_language(judged.why, language))
        return replace(self, answer=answer, sufficiency=judged)

    @property
    def usage(self) -> Usage:
        """The tokens of planning and of reading facts for a tree."""
        return self.consultation.usage + self.question.planned.usage


def apply_gate(
    question: ResolvedQuestion,
    *,
    evidence: Evidence,
    consultation: Consultation,
    passages: Sequence[Passage],
    llm: LLM,
) -> Findings:
    """The gate: whether the evidence answers the question, and what is said where nothing has to be written. `passages`
    are those of the search."""
    release = question.release
    judged = assess_sufficiency(
        question.search_text,
        evidence,
        threshold=release.evidence_threshold,
        new_words=question.new_words,
        tree_decided=consultation.has_decided,
    )
    basis = confidence_basis(judged.grounds, calibration=release.calibration)
    found = Findings(question=question, consultation=consultation, evidence=evidence, sufficiency=judged, basis=basis)
    refusal = None if judged.passes else _refusal(found, llm=llm)
    if refusal is None and not judged.passes and release.citation_mode == CitationMode.OPTIONAL:
        found = replace(found, basis=replace(basis, level=Confidence.LOW))
    if consultation.outcomes:
        return replace(found, answer=tree_answers.possible_outcomes(question.asked, consultation) or refusal)
    if consultation.has_decided and (refusal or (llm.is_offline and not _says_recommendation(found))):
        if end := tree_answers.supported_end(question.asked, consultation):
            return replace(found, answer=end)
        refusal = refusal or _answer_of_end(found, llm=llm)
    return replace(found, answer=refusal and document_list.list_in_place_of(refusal, question, passages))


def _says_recommendation(found: Findings) -> bool:
    """Whether what was read says what a tree recommends; where the question's own words led to that end, whether it
    may: the documents were asked the same then."""
    consultation, evidence = found.consultation, found.evidence
    assert evidence is not None
    if not consultation.has_replies:
        return can_support(consultation.recommendation, evidence)
    support = find_support(
        found.question.search_text,
        recommendation=consultation.recommendation,
        decision_text=consultation.decision_text,
        evidence=evidence,
    )
    return support is not None and is_cited(consultation.recommendation, support, evidence)


def _answer_of_end(found: Findings, *, llm: LLM) -> Answer | None:
    """The refusal, or the recommendation as such, where a reply led to an end that no page supports: the documents were
    asked without the reply, so they may answer for another case."""
    return _refusal(found, llm=llm) if llm.is_offline and found.consultation.has_replies else None


def combine_findings(question: Question, parts: Sequence[Findings], *, llm: LLM) -> Findings:
    """What several searches found, judged together for this question, such as the one that they were all made for. The
    passages keep the order in which they were found. A tree that decided in one of them has decided."""
    decided = next((one for one in parts if one.consultation.has_decided), None)
    consultation, resolved = Consultation(), ResolvedQuestion.of(question)
    if decided:
        consultation = decided.consultation
        resolved = resolved.with_fact_options(decided.question.fact_options)
    evidence = combine_evidence([one.evidence for one in parts if one.evidence])
    return apply_gate(resolved, evidence=evidence, consultation=consultation, passages=evidence.passages, llm=llm)


def _refusal(found: Findings, *, llm: LLM) -> Answer | None:
    """What is said where the evidence is too weak; None where one answers all the same."""
    question, consultation = found.question, found.consultation
    is_mandatory = question.release.citation_mode == CitationMode.MANDATORY
    ends_tree = consultation.has_decided and (llm.is_offline or is_mandatory)
    if not (is_mandatory or ends_tree):
        return None
    assert found.sufficiency is not None
    searched = describe_misspellings(question.misspellings)
    # Words of another language are of course in no passage: to name them would only confuse.
    why = _language_notice(found) or (*([searched] if searched else []), *found.sufficiency.why)
    refusal = refusal_answer("no_evidence", text=refusal_text(question.release))
    judged = found.sufficiency
    refusal = replace(refusal, why=why, nearest=judged.nearest, about=judged.about, basis=found.basis)
    return tree_answers.unsupported_end(question, consultation, refusal) if ends_tree else refusal


def _language_notice(found: Findings) -> tuple[str, ...]:
    """A notice, in the question's language, that the documents are in another one."""
    texts = [passage.content for passage in found.passages]
    notice = other_language_notice(found.question.asked.text, texts or retriever.sample_texts(found.question))
    return (notice,) if notice else ()
