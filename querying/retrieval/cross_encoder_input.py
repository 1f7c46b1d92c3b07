"""A question and an excerpt as the cross-encoder reads them, in the product and in training: token numbers and marks.

The mark of a token says whose it is, and whether the other text has the same token: [CLS] question [SEP] excerpt [SEP].
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from knowledge.embedders.wordpiece import CLS_ID, SEP_ID

MAX_QUESTION_TOKENS = 48
MAX_EXCERPT_TOKENS = 104  # with the title
MAX_TITLE_TOKENS = 24
TITLE_CHARACTERS = 160

QUESTION, EXCERPT, SHARED_QUESTION, SHARED_EXCERPT, SPECIAL = range(5)
MARK_COUNT = 5


def pair_tokens(
    question: Sequence[int], excerpt: Sequence[int], *, function_words: Collection[int]
) -> tuple[list[int], list[int]]:
    """Token numbers and marks of the pair. Tokens of `function_words` never count as shared."""
    shared = (set(question) & set(excerpt)).difference(function_words)
    marks = [
        SPECIAL,
        *(SHARED_QUESTION if token in shared else QUESTION for token in question),
        SPECIAL,
        *(SHARED_EXCERPT if token in shared else EXCERPT for token in excerpt),
        SPECIAL,
    ]
    return [CLS_ID, *question, SEP_ID, *excerpt, SEP_ID], marks


def title_text(title: str) -> str:
    """What stands before an excerpt for its title."""
    return f"{title[:TITLE_CHARACTERS]}. " if title else ""
