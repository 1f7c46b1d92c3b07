"""What each rule of evidence is worth: every set is asked with all rules, and again without one of them.

    python -m benchmarks.ablation data/northwind data/squad2-dev [--limit 150] [--rules signs,answer]
    python -m benchmarks.ablation --claims

Prints one line for each set and rule: what its removal changes, with the 95 % interval over the same questions. What is
searched and how it is weighed is remembered, so that a rule costs seconds. The sets are read into the database that the
settings name, as by `manage.py evaluate`. `--claims` does the same for the rules that hold a claim against its source:
how many more fair and wrong sentences of tests/querying/answering/grounding are shown without each, by set.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from manage import services_for_command

if TYPE_CHECKING:
    from evaluation.evaluation_runner import Evaluation

_NEVER = re.compile(r"(?!)")
_OUR_PACKAGES = ("language.", "querying.", "trees.")
FIGURES = [
    *("auc", "answered_when_answerable", "refused_when_unanswerable", "sentence@1", "span@5"),
    *("citation_precision", "citation_recall", "answer_right"),
]
# By name: what is switched off. A function gives the value instead, a pattern never matches, a number is replaced.
_SUFFICIENCY = "querying.answering.sufficiency"
_SELECTION = "querying.answering.llms.extractive.sentence_selection"
_COMPOSITION = "querying.answering.llms.extractive.composition"
_CONTEXT = "querying.answering.llms.extractive.context_sentences"
RULES: dict[str, dict[str, Any]] = {
    "signs: negation": {f"{_SUFFICIENCY}:_NEGATION_PENALTY": 0.0},
    "signs: number": {f"{_SUFFICIENCY}:_NUMBER_PENALTY": 0.0},
    "signs: name": {f"{_SUFFICIENCY}:_NAME_PENALTY": 0.0},
    "signs: all": {f"{_SUFFICIENCY}:_contradiction_signs": []},
    "ambiguity": {"querying.pipeline:clarify_reference": None},
    "answer: shared words": {f"{_SELECTION}:_SHARED_WORDS_BONUS": 0.0},
    "answer: figure asked for": {f"{_SELECTION}:_FIGURE_BONUS": 0.0},
    "answer: headers": {f"{_SELECTION}:_HEADERS_BONUS": 0.0},
    "answer: fragment": {f"{_SELECTION}:_FRAGMENT_PENALTY": 0.0},
    "answer: second sentence": {f"{_SELECTION}:_adds_information": False},
    "answer: statements only": {f"{_SELECTION}:is_statement": True},
    "answer: antecedent": {f"{_CONTEXT}:antecedent": None},
    "answer: what follows": {f"{_CONTEXT}:following_sentence": None},
    "answer: list lead-in": {f"{_CONTEXT}:list_lead_in": None},
    "answer: whole list": {f"{_COMPOSITION}:asks_for_whole_list": False},
    "answer: header row": {"querying.answering.llms.extractive.table_headers:find_header": None},
    "answer: conflicts": {"querying.answering.citations:conflicting_sentences": ()},
}
_GROUNDING = "querying.answering.grounding"
_SUPPORT, _MODALITY = f"{_GROUNDING}.claim_support", f"{_GROUNDING}.modality"
CLAIM_RULES: dict[str, dict[str, Any]] = {
    "modality": {f"{_SUPPORT}:overstates": False},
    "modality: duty and leave": {f"{_MODALITY}:changes_duty": False},
    "modality: all and some": {f"{_MODALITY}:_changes_quantifier": False},
    "modality: very": {f"{_MODALITY}:changes_degree": False},
    "modality: without exception": {f"{_MODALITY}:_WITHOUT_EXCEPTION": None},
    "contradiction": {f"{_SUPPORT}:contradicts": False},
    "contradiction: affixes": {f"{_GROUNDING}.claim_contradictions:_affix_variants": ()},
    "contradiction: described nouns": {f"{_GROUNDING}.claim_contradictions:_describes_noun_otherwise": False},
    "negation": {f"{_SUPPORT}:reverses_polarity": False},
    "roles": {f"{_SUPPORT}:swaps_roles": False},
    "figures of others": {f"{_SUPPORT}:misattributes_figure": False},
    "scattered words": {f"{_SUPPORT}:is_scattered": False},
    "synonyms": {f"{_SUPPORT}:synonyms_of": frozenset()},
    "implications": {f"{_SUPPORT}:_IMPLICATIONS": ()},
    "paraphrase": {"querying.answering.citations:paraphrasing_span": None},
    "parts of a claim": {"querying.answering.citations:claim_splits": ()},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--claims", action="store_true", help="the rules of verification, on single sentences")
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--rules", default="", help="only those whose name has one of these words")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
    import django

    django.setup()
    wanted = options.rules.split(",")
    rules, claim_rules = (
        {name: parts for name, parts in known.items() if any(word in name for word in wanted)}
        for known in (RULES, CLAIM_RULES)
    )
    for line in measure_claims(claim_rules) if options.claims else ():
        print(line, flush=True)
    if not options.folders:
        return
    with services_for_command():
        for folder in options.folders:
            for line in measure(folder, rules, limit=options.limit):
                print(line, flush=True)


def measure_claims(rules: dict[str, dict[str, Any]]) -> Iterator[str]:
    """How many fair and wrong sentences of each set are shown, then how many more without each rule."""
    from tests.querying.answering.grounding.test_held_out import is_shown, read_rows

    rows = [(kind, row) for kind in ("fair", "wrong") for row in read_rows(f"{kind}.jsonl")]

    def shown() -> Counter[tuple[str, str]]:
        return Counter((kind, row["set"]) for kind, row in rows if is_shown(row))

    whole = shown()
    yield f"{'all rules':30} {_by_set(whole)}"
    for name, parts in rules.items():
        with _without(parts):
            less = shown()
        less.subtract(whole)
        yield f"{name:30} {_by_set(less)}"


def _by_set(counts: Counter[tuple[str, str]]) -> str:
    return "  ".join(f"{kind} {name} {count:+d}" for (kind, name), count in sorted(counts.items()) if count)


def measure(folder: Path, rules: dict[str, dict[str, Any]], *, limit: int) -> Iterator[str]:
    """The figures of a set with all rules, then what changes without each."""
    from evaluation.reports.evaluation_comparison import compare_evaluations
    from evaluation.reports.result_files import SavedEvaluation

    ask = _asker(folder, limit=limit)
    with _remembered_retrieval():
        whole = ask()
        figures = ((key, whole.result.get(key)) for key in FIGURES)
        yield f"{folder.name:20} {'all rules':26} " + "  ".join(f"{k} {v:.3f}" for k, v in figures if v is not None)
        for name, parts in rules.items():
            with _without(parts):
                less = ask()
            before, after = (SavedEvaluation(result=one.result, scored=one.scored) for one in (whole, less))
            compared = [one for one in compare_evaluations(before, after, draws=400) if one.key in FIGURES]
            changed = [one for one in compared if one.before != one.after]
            said = (f"{one.key} {one.after - one.before:+.3f} {_interval_text(one.interval)}" for one in changed)
            yield f"{folder.name:20} {name:26} " + "  ".join(said)


def _interval_text(interval: tuple[float, float] | None) -> str:
    return f"({interval[0]:+.3f} to {interval[1]:+.3f})" if interval else ""


def _asker(folder: Path, *, limit: int) -> Callable[[], Evaluation]:
    from evaluation import dataset, eval_corpus, evaluation_runner
    from querying.answering.llms import get_llm

    data = dataset.read_dataset(folder, in_named_document=True)
    corpus = eval_corpus.build_corpus(data, on_progress=lambda done, total: None)
    sample = replace(data, questions=dataset.sample_questions(data.questions, limit=limit))
    return lambda: evaluation_runner.evaluate(sample, library=corpus, mode="both", llm=get_llm("extractive"))


@contextmanager
def _remembered_retrieval() -> Iterator[None]:
    """Passages and evidence are found once for each question."""
    from querying.retrieval import retriever

    with (
        patch.object(retriever, "retrieve", _remember(retriever.retrieve)),
        patch.object(retriever, "build_evidence", _remember(retriever.build_evidence)),
    ):
        yield


def _remember(work: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Any, Any] = {}

    def remembered(question: Any, *args: Any, **kwargs: Any) -> Any:
        passages: Sequence[Any] = args[0] if args else ()
        key = (
            question.text,
            question.context,
            question.options.filters,
            question.release.top_k,
            question.release.threshold,
            tuple(one.chunk_id for one in passages),
            tuple(kwargs.items()),
        )
        if key not in known:
            known[key] = work(question, *args, **kwargs)
        return known[key]

    return remembered


@contextmanager
def _without(parts: dict[str, Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for place, value in parts.items():
            module, _, name = place.partition(":")
            stack.enter_context(_replaced(importlib.import_module(module), name, value))
        _forget()
        yield
    _forget()


def _replaced(module: Any, name: str, value: Any) -> Any:
    now = getattr(module, name)
    if isinstance(now, re.Pattern):
        value = _NEVER
    elif callable(now):
        given = value

        def value(*args: Any, **kwargs: Any) -> Any:
            return given

    return patch.object(module, name, value)


def _forget() -> None:
    """Functions of ours remember what they found with another rule."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and one.__module__.startswith(_OUR_PACKAGES):
            one.cache_clear()


if __name__ == "__main__":
    main()
