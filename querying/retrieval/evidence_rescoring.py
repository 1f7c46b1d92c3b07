"""How strong the evidence is once its best sentence was read together with the question.

The late interaction finds the sentence that says the question's words. Whether it says them of what was asked ("the
cover of a slab" beside "the cover of a beam") is for the cross-encoder.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from language.closed_questions import is_closed_question
from querying.retrieval.answer_cross_encoder import Excerpt, answer_cross_encoder
from querying.retrieval.passage_tables import is_of_table
from querying.types.evidence import Evidence

# What the reading adds to the strength: _WEIGHT * (probability - _NEUTRAL). Reading the next best sentences as well
# makes it no better (docs/evaluation.md, "A cross-encoder").
_WEIGHT = 0.2
_NEUTRAL = 0.4
# In a base of few chunks most words of a question are in none of them, so each weighs the most, however ordinary it is.
# There the reading adds _FEW_CHUNKS_WEIGHT * (probability - _FEW_CHUNKS_NEUTRAL) as well, half of it where there are
# _FEW_CHUNKS, nearly nothing where there are thousands. No answer is called high by it, no evidence gets weaker, and
# rows of tables stay as they are: whether a table has the column that is asked for is judged by other signs
# (docs/evaluation.md, "Everyday questions").
_FEW_CHUNKS = 25
_FEW_CHUNKS_WEIGHT = 0.6
_FEW_CHUNKS_NEUTRAL = 0.35
_FEW_CHUNKS_LIMIT = 0.64  # high confidence begins at 0.65
# An excerpt has about a hundred tokens: what is farther from its sentence is not read. With fewer it would cost less,
# and fewer answers would be called high (docs/evaluation.md, "A cross-encoder").
_CONTEXT_CHARACTERS = 400
_MAX_CACHED_PAIRS = 256


def adjust_strength(evidence: Evidence, *wordings: str, chunk_count: int | None = None) -> Evidence:
    """The same evidence, stronger or weaker by how likely its best sentence answers, between 0 and 1.

    `wordings` are the question as it was completed from the conversation and as it was asked. A statement
    leaves the strength as it is; what follows on a conversation asks, also without saying so. Where a number of it lies
    in a range of the sentence, the question is also read with the range in its place. The likeliest one counts.
    `chunk_count` is how many chunks were searched, None for many. Raises `EmbedderRejected` where MiniLM's files are
    not installed.
    """
    if not evidence.sentences:
        return evidence
    excerpt = _best_excerpt(evidence)
    read = (*wordings, *filter(None, [evidence.sentences[0].ranges.wording]))
    likely = max(_answer_probability(wording, excerpt) for wording in dict.fromkeys(read))
    if len(set(wordings)) == 1 and _is_statement(wordings[0]):
        return replace(evidence, answer_probability=likely)
    strength = evidence.strength + _WEIGHT * (likely - _NEUTRAL)
    if chunk_count is not None and likely > _FEW_CHUNKS_NEUTRAL and not is_of_table(evidence.sentences[0]):
        share = _FEW_CHUNKS / (_FEW_CHUNKS + chunk_count)
        raised = strength + share * _FEW_CHUNKS_WEIGHT * (likely - _FEW_CHUNKS_NEUTRAL)
        strength = max(strength, min(raised, _FEW_CHUNKS_LIMIT))
    return replace(evidence, strength=min(1.0, max(0.0, strength)), answer_probability=likely)


def _is_statement(text: str) -> bool:
    """Whether it is checked ("Receiving Party shall not …") and not asked. The network was trained on questions, and of
    statements it knows less than the words do (docs/evaluation.md, "A cross-encoder")."""
    return text.rstrip().endswith(".") and not is_closed_question(text)


# A question is weighed more than once: for the dates in force, and after a tree has decided.
@lru_cache(maxsize=_MAX_CACHED_PAIRS)
def _answer_probability(question: str, excerpt: Excerpt) -> float:
    return answer_cross_encoder().probability(question, excerpt)


def _best_excerpt(evidence: Evidence) -> Excerpt:
    """The best sentence with what stands around it; of a row of a table, the cell that is asked for."""
    best = evidence.sentences[0]
    passage = evidence.passages[best.source]
    if best.cell:
        text = best.cell.wording
        return Excerpt(title="", text=text, center=(len(text) - 1, len(text)))
    begin = max(0, best.start - _CONTEXT_CHARACTERS)
    return Excerpt(
        title=passage.titles,
        text=passage.content[begin : best.end + _CONTEXT_CHARACTERS],
        center=(best.start - begin, best.end - begin),
    )
