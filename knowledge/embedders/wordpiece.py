"""MiniLM's tokenizer: texts in, token numbers and their places in the text out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from knowledge.embedders.base import replace_surrogates
from knowledge.embedders.text_windows import CutPoints

PAD_ID, CLS_ID, SEP_ID = 0, 101, 102  # [PAD], [CLS], [SEP]


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Numbers of the tokens of a text, without the special ones, and the (start, end) of each in the text."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class WordPiece:
    """Loaded on first use. Starts no threads, so it survives a fork."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ids(self, texts: Sequence[str], *, limit: int) -> list[list[int]]:
        """What the model reads of each text: at most `limit` tokens, of them the first and last special."""
        encodings = self._tokenizer.encode_batch_fast([replace_surrogates(t) for t in texts], add_special_tokens=False)
        return [self.with_special_tokens(encoding.ids, limit=limit) for encoding in encodings]

    def tokens(self, text: str) -> Tokens:
        encoding = self._encode(text)
        return Tokens(ids=encoding.ids, offsets=encoding.offsets)

    def count(self, text: str) -> int:
        return len(self._encode(text).ids)

    def cuts(self, text: str) -> CutPoints:
        """Where the text may be cut without changing how its words are tokenized."""
        return self.tokens_and_cuts(text)[1]

    def tokens_and_cuts(self, text: str) -> tuple[Tokens, CutPoints]:
        """`tokens` and `cuts` of one text, which is tokenized once."""
        encoding = self._encode(text)
        word_ids, offsets = encoding.word_ids, encoding.offsets  # each is a new list every time it is read
        firsts = [i for i, word in enumerate(word_ids) if i and word != word_ids[i - 1]]
        starts = [offsets[i][0] for i in firsts]
        cuts = CutPoints.of(text, starts=starts, tokens=firsts, token_total=len(word_ids))
        return Tokens(ids=encoding.ids, offsets=offsets), cuts

    @staticmethod
    def with_special_tokens(ids: list[int], *, limit: int) -> list[int]:
        return [CLS_ID, *ids[: limit - 2], SEP_ID]

    def _encode(self, text: str) -> Any:
        return self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)

    @cached_property
    def _tokenizer(self) -> Any:
        # Its own thread pool would not survive a fork, and the model needs the cores.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer  # slow import

        tokenizer = Tokenizer.from_buffer(self._path.read_bytes())  # `from_file` takes a third longer
        # The file asks for 128 tokens, always padded; the model was trained to read 256.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # A document that spells out "[SEP]" means these five characters.
        tokenizer.encode_special_tokens = True
        return tokenizer
