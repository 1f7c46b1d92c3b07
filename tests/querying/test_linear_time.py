"""Text that strangers send costs processor time that grows with its length and no faster."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from knowledge.chunking.chunker import chunk_pages
from knowledge.embedders import get_embedder
from knowledge.readers.markdown import find_headings, split_front_matter
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.types import PageText
from knowledge.search.filters import Filters
from knowledge.search.query_words import Synonyms
from knowledge.sync.notes.private_sections import remove_private
from language.clause_references import referenced_clauses
from language.sentences import sentence_spans
from language.terms import terms
from querying.answering.citations import CitationVerifier
from querying.answering.llms.extractive.composition import compose
from querying.answering.sufficiency import assess_sufficiency
from querying.question import ambiguity
from querying.question.planning.label_vocabulary import LabelVocabulary
from querying.question.planning.rule_planner import plan_by_rules
from querying.question.resolve import WeightedTurn
from querying.question.tree_selection import profile_tree, select_tree
from querying.retrieval.evidence import score_evidence
from querying.types.prompt import Prompt
from tests.linear_time import LONG, grows_linearly
from tests.querying.passages import evidence, passage
from tests.trees.growing import cover_tree, cover_tree_data
from trees.definition.parser import parse_tree
from trees.facts.extraction import extract_facts
from trees.validation.tree_problems import find_problems

HANDBOOK = passage("The minimum cover for a beam exposed to weather is 45 mm, and 1,000 x 20 mm is not less.")
VOCABULARY = LabelVocabulary(
    doc_types=("note", "minutes"), statuses=("done",), projects=("Atlas",), tags=("design",), dated=1.0
)
SYNONYMS = Synonyms([["x", "beam", "girder"], ["minimum cover", "nominal depth"], ["1", "one"]])
TODAY = date(2026, 3, 4)
LETTERS = ["a", "Z", "7", " ", "-", "'s ", '"', ":", "é", "漢"]
REPEATED = [
    "1,",
    "x ",
    "beam ",
    "3 mm ",
    "not ",
    "if ",
    "and ",
    "( ",
    "x\n",
    ". ",
    "| ",
    "March ",
    "2019-01-",
    "this x ",
]


def score(question: str, text: str = HANDBOOK.content, title: str = "Cover") -> None:
    weights = dict.fromkeys(terms(f"{question} {' '.join(SYNONYMS.expansions(question))}"), 1.0)
    found = passage(text, document_title=title)
    turns = [WeightedTurn(text=question, weight=1.0)]
    strength = score_evidence(turns=turns, passages=[found], weights=weights, synonyms=SYNONYMS)
    assess_sufficiency(question, strength)


def ask(text: str) -> None:
    score(text)
    plan_by_rules(text, vocabulary=VOCABULARY, today=TODAY, timezone="UTC")
    list(ambiguity._unresolved_references(text, before=text))
    referenced_clauses(text)
    extract_facts(cover_tree(), question=text)
    select_tree([profile_tree("Cover", cover_tree())], question=text)


def label_tree(text: str) -> None:
    data = copy.deepcopy(cover_tree_data())
    data["nodes"][data["rootNodeId"]]["label"] = f"Label {text[: len(text) // 2 - 10]}"
    select_tree([profile_tree("Cover", parse_tree(data))], question="What is the cover of a beam?")
    find_problems(data)


def write_note(text: str) -> None:
    text = clean_text(f"---\ntitle: {text}\n---\n{text}")
    split_front_matter(text)
    find_headings(text)
    for chunk in chunk_pages([PageText(number=1, text=text)], []):
        sentence_spans(text[chunk.start : chunk.end])
    score("What is the minimum cover?", text)


def claim(text: str) -> None:
    verifier = CitationVerifier([passage(f"{HANDBOOK.content} {text[:1000]}"), HANDBOOK])
    verifier.cite(f"{text[: LONG - 20]} [Source 1].")


def quote(text: str) -> None:
    compose(Prompt(messages=(), question=text, evidence=evidence(passage(f"{text} The cover is 45 mm."))))


INPUTS: dict[str, Callable[[str], object]] = {
    "question": ask,
    "title": lambda text: score("What is the minimum cover?", title=text),
    "filter": lambda text: Filters.parse({"tagsAny": [text[:100], *text.split()[:50]], "projects": [text[:100]]}),
    "tree label": label_tree,
    "note": write_note,
    "claim": claim,
    "quotation": quote,
}


@pytest.fixture(scope="module", autouse=True)
def loaded_model() -> None:
    get_embedder("local").embed_one("The model is loaded before anything is measured.")


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("unit", REPEATED)
def test_known_hostile_text_costs_linear_time(name: str, unit: str) -> None:
    assert grows_linearly(INPUTS[name], unit)


@pytest.mark.parametrize("name", INPUTS)
@settings(max_examples=20, derandomize=True, phases=[Phase.generate])
@given(unit=st.lists(st.sampled_from([*REPEATED, *LETTERS]), min_size=1, max_size=5))
def test_any_repeated_text_costs_linear_time(name: str, unit: list[str]) -> None:
    assert grows_linearly(INPUTS[name], "".join(unit))


def test_many_options_that_lead_nowhere_cost_linear_time() -> None:
    """As many answers as an author may write down, none of them among the options."""

    def judge(text: str) -> None:
        options = [f"{text[:2]} is number {number} of its kind" for number in range(len(text) // 21)]
        answers = {f"other {option}": "end" for option in options}
        question = {"text": "Which?", "options": options, "extractFrom": "kind"}
        asking = {"id": "a", "type": "question", "label": "a", "question": question, "childrenByAnswer": answers}
        action = {"id": "end", "type": "action", "label": "end", "action": {"recommendation": "x"}}
        problems = find_problems({"rootNodeId": "a", "nodes": {"a": asking, "end": action}})
        assert {problem.code for problem in problems} >= {"unmatched_answer"}

    # 47 options, and 190.
    assert grows_linearly(judge, "x")


def test_marks_of_privacy_that_end_nothing_cost_linear_time() -> None:
    assert grows_linearly(remove_private, "%%/private%%", scale=100)
