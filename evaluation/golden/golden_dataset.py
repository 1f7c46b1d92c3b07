"""A plugin's golden questions, as questions of an evaluation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from evaluation.eval_types import EvalDataset, EvalQuestion, GoldenExpectation, GoldPlace
from evaluation.models import GoldenQuestion
from lexic.errors import InvalidInput
from plugins.models import Plugin, Release
from querying.llm_interface import LLM
from querying.types.answer import Outcome

_OUTCOME_BY_EXPECTATION = {
    GoldenQuestion.Expectation.ANSWER: Outcome.ANSWERED,
    GoldenQuestion.Expectation.REFUSE: Outcome.REFUSED,
    GoldenQuestion.Expectation.CLARIFY: Outcome.CLARIFY,
}
_ANSWERABLE_BY_EXPECTATION = {GoldenQuestion.Expectation.ANSWER: True, GoldenQuestion.Expectation.REFUSE: False}
_FINGERPRINT_FIELDS = ("pk", "question", "facts", "expectation", "must_cite", "must_contain", "must_reach")


class NoGoldenQuestions(InvalidInput):
    """The plugin has no golden questions."""

    code = "no_golden_questions"
    hint = "Add some on the plugin's page: what users ask, and what must be refused."


def golden_dataset(plugin: Plugin) -> EvalDataset:
    """All golden questions of the plugin. Raises `NoGoldenQuestions`."""
    asked = tuple(_golden_eval_question(golden) for golden in plugin.golden_questions.order_by("pk"))
    if not asked:
        raise NoGoldenQuestions
    return EvalDataset(name=plugin.slug, questions=asked)


def lock_unchanged(asked: Sequence[EvalQuestion]) -> list[GoldenQuestion]:
    """The golden questions that stand as they were asked, locked until the transaction ends."""
    by_id = {int(one.id): one for one in asked}
    rows = GoldenQuestion.objects.filter(pk__in=by_id).order_by("pk").select_for_update(no_key=True)
    return [golden for golden in rows if _golden_eval_question(golden) == by_id[golden.pk]]


def run_fingerprint(release: Release, *, llm: LLM) -> str:
    """Names everything that a run of the plugin's golden questions depends on: what decides answers, who words them,
    and the questions. The curve is left out: it comes out of such a run."""
    policy = {name: value for name, value in release.policy().items() if name != "calibration"}
    asked = release.plugin.golden_questions.order_by("pk").values_list(*_FINGERPRINT_FIELDS)
    whole = [policy, release.trees, release.knowledge, llm.name, list(asked)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()


def _golden_eval_question(golden: GoldenQuestion) -> EvalQuestion:
    expectation = GoldenQuestion.Expectation(golden.expectation)
    gold = tuple(_cited_place(place) for place in golden.must_cite)
    return EvalQuestion(
        id=str(golden.pk),
        text=golden.question,
        answerable=_ANSWERABLE_BY_EXPECTATION.get(expectation),
        gold=gold,
        relevant={one.document: 1 for one in gold},
        facts=golden.facts,
        expected=GoldenExpectation(
            outcome=_OUTCOME_BY_EXPECTATION[expectation].value,
            must_contain=tuple(golden.must_contain),
            must_reach=golden.must_reach,
        ),
    )


def _cited_place(place: Sequence[Any]) -> GoldPlace:
    title, page = (*place, None)[:2]
    return GoldPlace(document=str(title), pages=frozenset() if page is None else frozenset({int(page)}))
