"""Does an excerpt answer a question? A cross-encoder reads both together, where the late interaction compares words.

It was trained by `training/`, and the model card is docs/cross-encoder.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from knowledge.embedders.bert import PerProcess, Precision
from knowledge.embedders.cross_encoder import CrossEncoder

WEIGHTS = Path(__file__).with_name("answer_cross_encoder.safetensors")
INT8_INPUTS = Path(__file__).with_name("answer_cross_encoder_int8.safetensors")
MAX_QUESTION_TOKENS = 48
MAX_EXCERPT_TOKENS = 104  # with the title
MAX_TITLE_TOKENS = 24
_TITLE_CHARACTERS = 160


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """What is read of a passage: its title, and the tokens around `center`, a span (start, end) of `text`."""

    title: str
    text: str
    center: tuple[int, int]


class AnswerCrossEncoder(CrossEncoder):
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self, *, precision: Precision | None = None, threads: int = 0, cache_folder: Path | None = None
    ) -> None:
        """`precision` None: the usual one of this processor. The compiled model is kept in `cache_folder`."""
        super().__init__(
            WEIGHTS, int8_inputs=INT8_INPUTS, precision=precision, threads=threads, cache_folder=cache_folder
        )

    def probability(self, question: str, excerpt: Excerpt) -> float:
        """How likely the excerpt answers the question, 0 to 1, as the training pairs have it; not calibrated."""
        return self.probabilities(question, [excerpt])[0]

    def probabilities(self, question: str, excerpts: Sequence[Excerpt]) -> list[float]:
        """`probability` of several excerpts, computed in one run."""
        return self.pair_probabilities(self.pairs(question, excerpts))

    def pairs(self, question: str, excerpts: Sequence[Excerpt]) -> list[tuple[list[int], list[int]]]:
        """The tokens that are read of the question and of each excerpt."""
        asked = self.tokenizer.tokens(question).ids[:MAX_QUESTION_TOKENS]
        return [(asked, self._excerpt_tokens(excerpt)) for excerpt in excerpts]

    def _excerpt_tokens(self, excerpt: Excerpt) -> list[int]:
        """The title's tokens, and as many of the text's as fit, those around the center in the middle."""
        title = self.tokenizer.tokens(title_text(excerpt.title)).ids[:MAX_TITLE_TOKENS]
        tokens, room = self.tokenizer.tokens(excerpt.text), MAX_EXCERPT_TOKENS - len(title)
        start, end = excerpt.center
        inside = [at for at, (first, last) in enumerate(tokens.offsets) if first < end and last > start] or [0]
        begin = max(0, min((inside[0] + inside[-1]) // 2 - room // 2, len(tokens.ids) - room))
        return [*title, *tokens.ids[begin : begin + room]]


def title_text(title: str) -> str:
    """What stands before an excerpt for its title."""
    return f"{title[:_TITLE_CHARACTERS]}. " if title else ""


_model = PerProcess(
    lambda: AnswerCrossEncoder(threads=settings.LEXIC_EMBEDDER_THREADS, cache_folder=settings.LEXIC_MODEL_CACHE_DIR)
)


def answer_cross_encoder() -> AnswerCrossEncoder:
    """The one of this process. It is loaded on first use. Raises `EmbedderRejected` without MiniLM's files."""
    return _model.get()
