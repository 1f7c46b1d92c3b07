"""The evidence of several searches as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.search.passages import Passage
from knowledge.search.wording import ENGLISH_WORDING
from querying.types.evidence import Evidence, Sentence, best_first


def combine_evidence(parts: Sequence[Evidence]) -> Evidence:
    """Each passage once, in the order in which it was found first, and its sentences at their best score. As strong as
    the strongest part, whose `answer_probability` and `wording` it has."""
    numbers: dict[tuple[int, int, int], int] = {}
    passages: list[Passage] = []
    sentences: dict[tuple[int, int, int], Sentence] = {}
    for part in parts:
        for passage in part.passages:
            if numbers.setdefault(passage_place(passage), len(passages)) == len(passages):
                passages.append(passage)
        for sentence in part.sentences:
            moved = replace(sentence, source=numbers[passage_place(part.passages[sentence.source])])
            key = (moved.source, moved.start, moved.end)
            if key not in sentences or sentences[key].score < moved.score:
                sentences[key] = moved
    strongest = max(parts, key=lambda part: part.strength, default=None)
    return Evidence(
        passages=tuple(passages),
        sentences=best_first(sentences.values()),
        strength=strongest.strength if strongest else 0.0,
        answer_probability=strongest.answer_probability if strongest else None,
        labels={pk: text for part in parts for pk, text in part.labels.items()},
        wording=strongest.wording if strongest else ENGLISH_WORDING,
    )


def passage_place(passage: Passage) -> tuple[int, int, int]:
    """Its page and span: what makes two passages the same one."""
    return (passage.page_id, passage.start, passage.end)
