"""Golden questions of the cover handbook, as many as a test needs."""

from __future__ import annotations

from typing import Any

from evaluation.models import GoldenQuestion
from plugins.models import Plugin

SPACERS = "What are spacers made of?"
REFUSE = GoldenQuestion.Expectation.REFUSE
_OFF_TOPIC = ("Who won the chess match?", "How old is the moon?", "What does a rabbit eat?")


def add_goldens(plugin: Plugin, *, right: int = 0, refused: int = 0, wrong: int = 0) -> None:
    """So many that pass by an answer, that pass by a refusal, and that fail although they are answered."""
    made = [_golden(plugin, SPACERS, must_contain=["mortar"]) for _ in range(right)]
    made += [_golden(plugin, _OFF_TOPIC[n % len(_OFF_TOPIC)], expectation=REFUSE) for n in range(refused)]
    made += [_golden(plugin, SPACERS, must_contain=["glass"]) for _ in range(wrong)]
    GoldenQuestion.objects.bulk_create(made)


def _golden(plugin: Plugin, question: str, **fields: Any) -> GoldenQuestion:
    return GoldenQuestion(plugin=plugin, question=question, **fields)
