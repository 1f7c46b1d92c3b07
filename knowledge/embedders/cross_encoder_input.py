"""A question and a text as a cross-encoder reads them, in the product and in training: token numbers and marks.

The mark of a token says whose it is, and whether the other text has the same token: [CLS] question [SEP] text [SEP].
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from knowledge.embedders.wordpiece import CLS_ID, SEP_ID

QUESTION, TEXT, SHARED_QUESTION, SHARED_TEXT, SPECIAL = range(5)
MARK_COUNT = 5


def pair_tokens(
    question: Sequence[int], text: Sequence[int], *, function_words: Collection[int]
) -> tuple[list[int], list[int]]:
    """Token numbers and marks of the pair. Tokens of `function_words` never count as shared."""
    shared = (set(question) & set(text)).difference(function_words)
    marks = [
        SPECIAL,
        *(SHARED_QUESTION if token in shared else QUESTION for token in question),
        SPECIAL,
        *(SHARED_TEXT if token in shared else TEXT for token in text),
        SPECIAL,
    ]
    return [CLS_ID, *question, SEP_ID, *text, SEP_ID], marks
