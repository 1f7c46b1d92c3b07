"""What `manage.py demo` sets up: twice makes nothing twice, and all of it works without a model and a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contracts.models import ContractReview
from conversations.models import Project
from evaluation.golden.golden_runs import run_golden
from knowledge.models import Document
from marketplace.demo import DESK_PROJECT, LoadedDemo, desk_messages, load_demo, review_contract
from plugins.models import Plugin, Release
from querying.answering.tree_support import unsupported_ends
from tests.agents.working import ask, data_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(settings: Any, tmp_path: Path) -> LoadedDemo:
    settings.VAR_DIR = tmp_path
    return load_demo(say=lambda sentence: None)


def test_the_desk_has_texts_templates_and_a_project_with_a_contract(loaded: LoadedDemo) -> None:
    desk = Plugin.objects.get(slug="contract-desk")
    documents = Document.objects.filter(knowledge_base__plugin=desk)
    assert set(documents.filter(is_template=True).values_list("title", flat=True)) == {
        "Mutual non-disclosure agreement",
        "Payment reminder",
        "Notice of termination of a service contract",
    }
    assert documents.filter(is_template=False).count() == 2
    project = Project.objects.get(name=DESK_PROJECT)
    assert (project.plugin, loaded.contract.knowledge_base) == (desk, project.knowledge_base)


def test_sp_12_the_documents_support_every_end_of_the_trees(loaded: LoadedDemo) -> None:
    unsupported = {plugin.slug: unsupported_ends(plugin) for plugin in Plugin.objects.filter(trees__isnull=False)}
    assert loaded.plugin.slug in unsupported
    assert not any(unsupported.values()), unsupported


@pytest.mark.parametrize("slug", ["contract-desk", "kestrel-2-support", "remote-work-policy"])
def test_its_plugins_answer_and_refuse_as_their_golden_questions_say(loaded: LoadedDemo, slug: str) -> None:
    _, run = run_golden(Release.objects.get(plugin__slug=slug))
    assert [(one["question"], one["failures"]) for one in run.questions if not one["passed"]] == []


def test_jl_048_the_contract_is_reviewed_once_and_its_traps_are_found(loaded: LoadedDemo) -> None:
    review = review_contract(loaded)
    found = {finding.position: finding.classification for finding in review.findings.all()}
    assert review.classification == "RED"
    assert (found["Term"], found["Remedies"]) == ("RED", "RED")
    assert found["Problem clauses"] != "GREEN"
    assert review_contract(loaded) == review
    assert ContractReview.objects.count() == 1


def test_the_agent_of_the_desk_answers_and_drafts_without_a_model(loaded: LoadedDemo) -> None:
    question, request = desk_messages()
    owner = loaded.desk.owner
    assert "two to five years" in text_of(ask(loaded.desk, owner, question))
    run = ask(loaded.desk, owner, request)
    [made] = data_of(run, "document_result")
    assert "Our invoice 2026-014 of EUR 4,800 was due on 15 February 2026." in made["document"]["text"]
    assert "{{" not in made["document"]["text"]


def test_a_second_time_makes_nothing_twice(loaded: LoadedDemo) -> None:
    before = Document.objects.count(), Plugin.objects.count(), Project.objects.count()
    again = load_demo(say=lambda sentence: None)
    assert (again.release, again.contract, again.key) == (loaded.release, loaded.contract, loaded.key)
    assert (Document.objects.count(), Plugin.objects.count(), Project.objects.count()) == before
