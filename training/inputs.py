"""Pairs as the network reads them: token numbers, marks, and which tokens answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from knowledge.embedders import cross_encoder_input
from knowledge.embedders.wordpiece import PAD_ID
from language.terms import terms
from querying.retrieval import answer_cross_encoder
from training import minilm


@dataclass(frozen=True, kw_only=True)
class Example:
    """A tokenized pair. `answering` are the places in `tokens`, the text's, of those that answer."""

    question: list[int]
    title: list[int]
    tokens: list[int]
    answering: list[int]
    is_answerable: bool
    kind: str
    group: str

    @property
    def length(self) -> int:
        return len(self.question) + min(len(self.title) + len(self.tokens), answer_cross_encoder.MAX_EXCERPT_TOKENS)


def prepare_pair(pair: dict[str, Any]) -> Example:
    tokenizer = minilm.tokenizer()
    read, gold = tokenizer.tokens(pair["text"]), pair["gold"]
    return Example(
        question=tokenizer.tokens(pair["q"]).ids[: answer_cross_encoder.MAX_QUESTION_TOKENS],
        title=tokenizer.tokens(answer_cross_encoder.title_text(pair["title"])).ids[
            : answer_cross_encoder.MAX_TITLE_TOKENS
        ],
        tokens=read.ids,
        answering=[at for at, (s, e) in enumerate(read.offsets) if any(s < end and e > start for start, end in gold)],
        is_answerable=bool(gold),
        kind=pair["kind"],
        group=f"{pair['kind'].rstrip('-~=')} {pair['g']}",
    )


def collate(examples: Sequence[Example], rng: random.Random) -> tuple[Tensor, Tensor, Tensor]:
    """Token numbers and marks, int64 [batch, tokens], and 1 where a token answers, float32 of the same shape."""
    rows = [_row(example, rng) for example in examples]
    shape = len(rows), max(len(ids) for ids, _, _ in rows)
    ids, marks = np.full(shape, PAD_ID), np.full(shape, cross_encoder_input.SPECIAL)
    places = np.zeros(shape, np.float32)
    for at, row in enumerate(rows):
        for into, values in zip((ids, marks, places), row, strict=True):
            into[at, : len(values)] = values
    return torch.from_numpy(ids), torch.from_numpy(marks), torch.from_numpy(places)


def _row(example: Example, rng: random.Random) -> tuple[list[int], list[int], list[float]]:
    begin, end = _cut(example, rng)
    excerpt = [*example.title, *example.tokens[begin:end]]
    ids, marks = cross_encoder_input.pair_tokens(example.question, excerpt, function_words=function_word_ids())
    places, before = [0.0] * len(ids), len(example.question) + len(example.title) + 2
    for at in example.answering:
        if begin <= at < end:
            places[before + at - begin] = 1.0
    return ids, marks, places


def _cut(example: Example, rng: random.Random) -> tuple[int, int]:
    """Which tokens are read where there are too many: somewhere around the answer, else where most of the question's
    words are."""
    room, count = answer_cross_encoder.MAX_EXCERPT_TOKENS - len(example.title), len(example.tokens)
    if count <= room:
        return 0, count
    if example.answering:
        first, last = example.answering[0], example.answering[-1]
        lowest, highest = max(0, min(last - room + 1, first)), min(first, count - room)
        begin = rng.randint(min(lowest, highest), max(lowest, highest))
        return begin, begin + room
    asked = set(example.question) - function_word_ids()
    found = np.cumsum([0, *(token in asked for token in example.tokens)])
    inside = found[room:] - found[:-room]
    begin = int(rng.choice(np.flatnonzero(inside == inside.max()).tolist()))
    return begin, begin + room


@cache
def function_word_ids() -> frozenset[int]:
    """Tokens that name nothing: signs, special tokens, and the stop words of lexical search."""
    named = minilm.vocabulary().items()
    return frozenset(number for token, number in named if token[0] == "[" or not terms(token.removeprefix("##")))
