"""An end of a tree is always answered or explained, and whoever does not know an answer is shown both ways."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.db.models import F

from accounts.models import User
from knowledge.models import KnowledgeBase
from marketplace.publishing.publish import publish
from plugins.models import CitationMode, Plugin
from querying.answering.tree_support import ends_to_warn_of
from querying.question.resume import resume_from_token
from querying.question.unsure_replies import is_unsure
from querying.retrieval import retriever
from querying.types.answer import Outcome
from querying.types.confidence import Confidence
from tests.cover import TREE
from tests.querying.question.planning.test_planned_queries import answered, asked

pytestmark = pytest.mark.django_db

SENTENCE = "For severe exposure the nominal cover of a beam is 45 mm."
ASKED = "What is the nominal cover of a beam?"


def with_recommendations(**by_node: str) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(TREE)
    for node, recommendation in by_node.items():
        changed["nodes"][node]["action"] = {"recommendation": recommendation, "sourceHint": ""}
    return changed


def with_a_second_question() -> dict[str, Any]:
    tree: dict[str, Any] = copy.deepcopy(TREE)
    tree["nodes"]["exposure_check"]["childrenByAnswer"]["severe"] = "wet"
    tree["nodes"]["wet"] = {
        "id": "wet",
        "type": "question",
        "label": "Wet?",
        "question": {"text": "Is it wet?", "options": ["yes", "no"]},
        "childrenByAnswer": {"yes": "cover_severe", "no": "cover_mild"},
    }
    return tree


def published(plugin: Plugin, alice: User, *, tree: dict[str, Any] = TREE, **policy: Any) -> Plugin:
    plugin.trees.update(tree_data=tree)
    Plugin.objects.filter(pk=plugin.pk).update(**policy)
    plugin.refresh_from_db()
    publish(plugin, by=alice)
    return plugin


def replied(plugin: Plugin, reply: str) -> Any:
    asking, _ = answered(asked(ASKED, plugin))
    assert asking.clarification is not None
    return answered(resume_from_token(asked("", plugin), token=asking.clarification.token, answer=reply))[0]


def test_an_end_that_a_page_supports_is_the_experts_and_comes_first(plugin: Plugin, alice: User) -> None:
    answer = replied(published(plugin, alice), "severe")
    assert answer.text.startswith("The expert recommends: 45 mm nominal cover [Source 1].")
    assert "45 mm" in answer.citations[0].excerpt


def test_a_recommendation_that_the_page_says_word_for_word_is_said_once(plugin: Plugin, alice: User) -> None:
    answer = replied(published(plugin, alice, tree=with_recommendations(cover_severe=SENTENCE)), "severe")
    assert answer.text.count(SENTENCE.rstrip(".")) == 1


def test_an_end_that_was_reached_by_a_reply_is_answered_though_the_page_lacks_the_words_of_the_question(
    plugin: Plugin, alice: User
) -> None:
    strict = published(plugin, alice, evidence_threshold=0.99)
    answer = replied(strict, "severe")
    assert answer.text == "The expert recommends: 45 mm nominal cover [Source 1]."
    assert (answer.outcome, answer.confidence) == (Outcome.ANSWERED, Confidence.MEDIUM)
    assert "45 mm" in answer.citations[0].excerpt


def test_an_end_that_was_reached_by_the_question_is_answered_though_no_page_has_its_number(
    plugin: Plugin, alice: User
) -> None:
    strict = published(plugin, alice, evidence_threshold=0.99)
    plain, _ = answered(asked("What is the nominal cover of a beam in severe exposure?", strict))
    assert plain.text == "The expert recommends: 45 mm nominal cover [Source 1]."
    assert plain.confidence == Confidence.MEDIUM
    numbered, _ = answered(asked("What is the nominal cover of a 7-year-old beam in severe exposure?", strict))
    assert (numbered.text, numbered.confidence) == (plain.text, Confidence.LOW)


def test_an_end_does_not_answer_a_question_with_a_condition_that_the_tree_does_not_know(
    plugin: Plugin, alice: User
) -> None:
    said = "What is the nominal cover of a zirconium beam in severe exposure?"
    answer, _ = answered(asked(said, published(plugin, alice, evidence_threshold=0.99)))
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "no_evidence")
    assert not any("no page supports" in reason for reason in answer.why)
    assert any("zirconium" in reason for reason in answer.why)


def test_an_end_that_no_page_supports_is_a_refusal_that_says_so(plugin: Plugin, alice: User) -> None:
    tree = with_recommendations(cover_severe="Ask Professor Quillfeather about zirconium sleeves")
    answer = replied(published(plugin, alice, tree=tree, evidence_threshold=0.99), "severe")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "unsupported_recommendation")
    assert answer.why[0] == (
        "The expert's decision tree ends at “Cover in severe exposure”, and no page supports what it recommends."
    )
    assert answer.decision_path[-1]["node"] == "cover_severe"


def test_the_documents_do_not_answer_in_place_of_an_end_that_a_reply_reached(plugin: Plugin, alice: User) -> None:
    """They were asked without the reply: of another exposure they say something else."""
    tree = with_recommendations(cover_severe="Nothing is covered")
    answer = replied(published(plugin, alice, tree=tree), "severe")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "unsupported_recommendation")
    assert "no page supports what it recommends" in answer.why[0]
    assert answer.nearest


def test_words_that_stated_a_fact_need_not_be_on_the_page(plugin: Plugin, alice: User) -> None:
    """The author says that Zandvoort is coastal; the handbook says what holds on a coast."""
    tree: dict[str, Any] = copy.deepcopy(TREE)
    tree["nodes"]["exposure_check"]["question"]["synonyms"]["severe"].append("Zandvoort")
    answer, _ = answered(asked("What is the nominal cover in Zandvoort?", published(plugin, alice, tree=tree)))
    assert answer.outcome == Outcome.ANSWERED
    assert answer.text.startswith("The expert recommends: 45 mm nominal cover [Source 1].")
    assert "45 mm" in answer.citations[0].excerpt


def test_words_that_stated_a_fact_need_not_be_on_the_page_where_the_caller_sends_the_fact_too(
    plugin: Plugin, alice: User
) -> None:
    tree: dict[str, Any] = copy.deepcopy(TREE)
    tree["nodes"]["exposure_check"]["question"]["synonyms"]["severe"] += ["Zandvoort", "Noordwijk"]
    plugin = published(plugin, alice, tree=tree)
    said = "What is the nominal cover in Zandvoort or Noordwijk?"
    answer, _ = answered(asked(said, plugin, facts={"exposure": "severe"}))
    assert answer.text.startswith("The expert recommends: 45 mm nominal cover [Source 1].")


def test_other_words_that_no_page_says_still_count(plugin: Plugin, alice: User) -> None:
    answer, _ = answered(
        asked("What is the nominal cover of a severe zirconium sleeve in Quillfeather?", published(plugin, alice))
    )
    assert answer.outcome == Outcome.REFUSED
    assert any("zirconium" in reason for reason in answer.why)


def test_a_value_that_the_tree_does_not_understand_is_named_as_it_asks_again(plugin: Plugin, alice: User) -> None:
    asking = replied(published(plugin, alice), "purple")
    assert (asking.outcome, asking.text) == (Outcome.CLARIFY, "How is the member exposed?")
    assert asking.why == ("The decision tree does not understand the answer “purple”.",)


def test_where_citations_are_optional_the_recommendation_is_given_as_such(plugin: Plugin, alice: User) -> None:
    tree = with_recommendations(cover_severe="Ask Professor Quillfeather about zirconium sleeves")
    policy = {"evidence_threshold": 0.99, "citation_mode": CitationMode.OPTIONAL}
    answer = replied(published(plugin, alice, tree=tree, **policy), "severe")
    assert answer.text == "The expert recommends: Ask Professor Quillfeather about zirconium sleeves (not verified)."
    assert (answer.outcome, answer.confidence, answer.citations) == (Outcome.ANSWERED, Confidence.LOW, ())


def test_where_citations_are_optional_the_documents_do_not_take_the_place_of_the_recommendation(
    plugin: Plugin, alice: User
) -> None:
    tree = with_recommendations(cover_severe="Nothing is covered")
    answer = replied(published(plugin, alice, tree=tree, citation_mode=CitationMode.OPTIONAL), "severe")
    assert answer.text == "The expert recommends: Nothing is covered (not verified)."
    assert (answer.confidence, answer.reason) == (Confidence.LOW, "unsupported_recommendation")
    stated, _ = answered(asked("What is the nominal cover of a beam in severe exposure?", plugin))
    assert stated.text.startswith(answer.text)
    assert (stated.confidence, stated.reason) == (Confidence.LOW, "unsupported_recommendation")


@pytest.mark.parametrize("reply", ["I do not know", "no idea", "not sure"])
def test_whoever_does_not_know_is_shown_both_ways_with_their_pages(plugin: Plugin, alice: User, reply: str) -> None:
    answer = replied(published(plugin, alice), reply)
    assert answer.text.splitlines() == [
        "The expert's recommendation depends on the answer:",
        "",
        "- mild: 20 mm nominal cover [Source 1]",
        "- severe: 45 mm nominal cover [Source 2]",
    ]
    assert ["20 mm" in answer.citations[0].excerpt, "45 mm" in answer.citations[1].excerpt] == [True, True]


def test_a_way_that_no_page_supports_is_named_all_the_same(plugin: Plugin, alice: User) -> None:
    tree = with_recommendations(cover_severe="Ask Professor Quillfeather about zirconium sleeves")
    answer = replied(published(plugin, alice, tree=tree), "no idea")
    assert answer.text.splitlines()[2:] == [
        "- mild: 20 mm nominal cover [Source 1]",
        "- severe: no page says what the expert recommends for this",
    ]
    assert answer.confidence == Confidence.LOW


def test_a_tree_that_was_left_to_the_documents_asks_where_they_do_not_answer(plugin: Plugin, alice: User) -> None:
    said, tree = "Which nominal cover does a coastal beam with spacers need?", with_a_second_question()
    answer, _ = answered(asked(said, published(plugin, alice, tree=tree, evidence_threshold=0.01)))
    assert (answer.outcome, answer.decision_path) == (Outcome.ANSWERED, ())
    asking, _ = answered(asked(said, published(plugin, alice, tree=tree, evidence_threshold=0.99)))
    assert (asking.outcome, asking.text) == (Outcome.CLARIFY, "Is it wet?")
    weak = {"evidence_threshold": 0.99, "citation_mode": CitationMode.OPTIONAL}
    written, _ = answered(asked(said, published(plugin, alice, tree=tree, **weak)))
    assert (written.outcome, written.decision_path) == (Outcome.ANSWERED, ())
    assert asking.decision_path[0]["value"] == "severe"


def test_where_the_ways_are_not_ends_the_documents_answer(plugin: Plugin, alice: User) -> None:
    asking = published(plugin, alice, tree=with_a_second_question())
    answer, _ = answered(asked(ASKED, asking, facts={"exposure": "no idea"}))
    assert answer.outcome == Outcome.ANSWERED
    assert answer.decision_path == ()


@pytest.mark.parametrize("value", ["severe", "no", "yes", "none", "nothing", "40 mm", "no insurance", "", 3, None])
def test_values_are_no_admission_of_not_knowing(value: object) -> None:
    assert not is_unsure(value)


def test_the_author_is_told_of_an_end_without_a_page_before_publishing(plugin: Plugin) -> None:
    assert ends_to_warn_of(plugin) == []
    plugin.trees.update(tree_data=with_recommendations(cover_severe="Call the office of Professor Quillfeather"))
    (end,) = ends_to_warn_of(plugin)
    assert (end.label, end.tree) == ("Cover in severe exposure", str(plugin.trees.get().pk))
    assert end.why == "No passage that was read has a word of it."


def test_the_ends_are_searched_once_for_one_content(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    process = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "ends"}
    settings.CACHES = {**settings.CACHES, "process": process}
    searches, retrieve = [], retriever.retrieve
    monkeypatch.setattr(retriever, "retrieve", lambda question: searches.append(question) or retrieve(question))
    found, first = ends_to_warn_of(plugin), len(searches)
    assert first
    assert (ends_to_warn_of(plugin), len(searches)) == (found, first)
    KnowledgeBase.objects.update(revision=F("revision") + 1)
    assert (ends_to_warn_of(plugin), len(searches)) == (found, 2 * first)
