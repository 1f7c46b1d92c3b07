"""Does a question ask for what a decision tree decides? A cross-encoder reads both together.

The classifier of `tree_selection` sees which words they share, and the rest of the wording by itself: of a subject
that it was not taught it often takes "who pays when my dog is seen?" for "how soon must my dog be seen?" The network
was trained by `training/tree_selection.py`, and the model card is docs/cross-encoder.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from knowledge.embedders.bert import PerProcess, Precision
from knowledge.embedders.cross_encoder import CrossEncoder
from knowledge.embedders.wordpiece import WordPiece
from language.language_identification import ENGLISH, language_of
from trees.definition.fields import FactField, collect_fields
from trees.definition.nodes import ActionNode, Tree
from trees.words import normalise

WEIGHTS = Path(__file__).with_name("tree_cross_encoder.safetensors")
MAX_QUESTION_TOKENS = 64
MAX_TREE_TOKENS = 144
_ANSWERS_EACH, _SYNONYMS_EACH = 12, 2
_MAX_CHARACTERS = 2_000  # of either, which hold more tokens than are read
_ENGLISH_WORDS = re.compile(r"\b(?:the|which|what|how|does|should|when|where|why)\b", re.IGNORECASE)


class TreeCrossEncoder(CrossEncoder):
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self, *, precision: Precision | None = None, threads: int = 0, cache_folder: Path | None = None
    ) -> None:
        """`precision` None: the usual one of this processor. The compiled model is kept in `cache_folder`."""
        super().__init__(WEIGHTS, precision=precision, threads=threads, cache_folder=cache_folder)

    def probabilities(self, question: str, tree_texts: Sequence[str]) -> list[float]:
        """For each tree, as `tree_text` gives it, how likely the question asks for what it decides; not calibrated."""
        return self.pair_probabilities(self.pairs(question, tree_texts))

    def pairs(self, question: str, tree_texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        """The tokens that are read of the question and of each tree."""
        asked = question_tokens(self.tokenizer, question)
        return [(asked, tree_tokens(self.tokenizer, text)) for text in tree_texts]


def question_tokens(tokenizer: WordPiece, question: str) -> list[int]:
    """The numbers of the last tokens: where a long question asks."""
    return tokenizer.tokens(question.rstrip()[-_MAX_CHARACTERS:]).ids[-MAX_QUESTION_TOKENS:]


def tree_tokens(tokenizer: WordPiece, text: str) -> list[int]:
    """The numbers of the first tokens of what `tree_text` gives."""
    return tokenizer.tokens(text[:_MAX_CHARACTERS]).ids[:MAX_TREE_TOKENS]


def is_english(text: str) -> bool:
    """Whether it is, or is too short to tell: the network was taught no other language. A word that English alone has
    spares loading a model."""
    return _ENGLISH_WORDS.search(text) is not None or language_of(text) in {"", ENGLISH}


def tree_text(name: str, description: str, tree: Tree) -> str:
    """What is read of a tree: its name, what it says of itself, what it asks with the answers that it tells apart, and
    its recommendations. Questions and recommendations nearer to the root come first."""
    nodes, fields = tree.nodes_from_root, collect_fields(tree)
    asked = dict.fromkeys(node.field for node in nodes if not isinstance(node, ActionNode))
    title = name if name.endswith(("?", "!", ".")) else f"{name}."
    advice = [node.action.recommendation for node in nodes if isinstance(node, ActionNode)]
    return " ".join(filter(None, [title, description, *(_question_text(fields[one]) for one in asked), *advice]))


def _question_text(field: FactField) -> str:
    """The question for a fact, and its first answers in words, each with its first synonyms."""
    if field.type in {"boolean", "number"}:
        return field.question_text
    synonyms = {normalise(option): others for option, others in field.synonyms.items()}
    options = (field.choices or field.options)[:_ANSWERS_EACH]
    answers = [_answer_text(option, synonyms.get(normalise(option), ())) for option in options]
    return f"{field.question_text} {', '.join(answers)}." if answers else field.question_text


def _answer_text(option: str, synonyms: Sequence[str]) -> str:
    return f"{option} ({', '.join(synonyms[:_SYNONYMS_EACH])})" if synonyms else option


_model = PerProcess(
    lambda: TreeCrossEncoder(threads=settings.LEXIC_EMBEDDER_THREADS, cache_folder=settings.LEXIC_MODEL_CACHE_DIR)
)


def tree_cross_encoder() -> TreeCrossEncoder:
    """The one of this process. It is loaded on first use. Raises `EmbedderRejected` without MiniLM's files."""
    return _model.get()
