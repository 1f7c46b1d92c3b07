from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from accounts.models import User
from contracts.models import ContractReview, ReviewState
from contracts.report.review_report import review_report
from contracts.review.contract_language import MAX_CHARACTERS, UnreadLanguage, contract_language
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from contracts.tasks import make_review
from knowledge.models import Document
from tests.contracts.documents import NDA, give_contract, page
from tests.openai_stub import Body, OpenAIStub, Status

CHINESE = """# 保密协议

本保密协议由甲方与乙方于二〇二四年二月十四日签订。

## 一、保密义务

接收方应当对保密信息保密，不得向任何第三方披露，并且只能为评估项目的目的使用保密信息。

## 二、期限

本协议自签订之日起三年内有效。保密义务在本协议终止后两年内继续有效。

## 三、适用法律

本协议适用中华人民共和国法律。
"""
GERMAN = """# Vertraulichkeitsvereinbarung

Diese Vereinbarung wird zwischen der Aldgate Pumpen GmbH und der Brightwater Systeme GmbH geschlossen.

## 1. Geheimhaltung

Die empfangende Partei hält die vertraulichen Informationen geheim und gibt sie nicht an Dritte weiter.

## 2. Laufzeit

Diese Vereinbarung gilt drei Jahre ab ihrem Datum.
"""
SECRET = "接收方应当对保密信息保密，不得向任何第三方披露"


@pytest.fixture
def stub(settings) -> Iterator[OpenAIStub]:
    with OpenAIStub(answer) as running:
        settings.LEXIC_LLM, settings.LEXIC_LLM_MODEL = "openai", "judge-1"
        settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "sk-test", running.base_url
        settings.LEXIC_LLM_TIMEOUT = 5.0
        yield running


def answer(body: Body) -> str:
    """Finds the duty of secrecy, and nothing else."""
    asked = body["messages"][-1]["content"]
    if "Position:" not in asked:
        return json.dumps({"says": SECRET in asked})
    if "Position: Obligations" in asked:
        statement = next(line for line in asked.splitlines() if line.startswith("- preferred: "))
        playbook = statement.removeprefix("- preferred: ")
        return json.dumps({"verdict": "preferred", "contract": [SECRET], "playbook": playbook})
    return json.dumps({"verdict": "missing", "contract": []})


@pytest.mark.parametrize(
    ("text", "language"),
    [(NDA, "en"), (CHINESE, "zh"), (GERMAN, "de"), ("1. 2. 3.", "en"), (NDA + GERMAN, "en")],
)
def test_the_language_of_most_of_the_contract_is_told(text: str, language: str) -> None:
    assert contract_language([page(text)]) == language


@pytest.mark.parametrize("text", [CHINESE, GERMAN])
def test_jl_052_without_a_model_another_language_is_refused_and_said_so(alice: User, text: str) -> None:
    document = give_contract(alice, title="NDA", text=text)
    with pytest.raises(UnreadLanguage) as refused:
        start_review(document, by=alice, principal=alice)
    assert (refused.value.code, refused.value.status) == ("contract_language", 422)
    assert "needs a language model" in refused.value.hint
    assert not ContractReview.objects.exists()


def test_jl_052_a_model_judges_another_language_alone(alice: User, stub: OpenAIStub) -> None:
    document = give_contract(alice, title="NDA", text=CHINESE)
    review = start_review(document, by=alice, principal=alice, playbook="nda-checklist")
    run_review(review)
    review = ContractReview.objects.get(pk=review.pk)
    assert (review.state, review.language, review.checked_by) == (ReviewState.DONE, "zh", "openai:judge-1")
    found = {one.position: one for one in review.findings.all()}
    obligations = found["Obligations"]
    assert (obligations.classification, obligations.strength) == ("GREEN", None)
    assert [span["text"] for span in obligations.contract_spans] == [SECRET]
    assert found["Term"].classification != "GREEN"
    assert "a language model alone has judged it" in review_report(review)["note"]


def test_no_figure_of_another_language_is_taken_for_kept(alice: User, stub: OpenAIStub) -> None:
    """The rules read no figures there, so that a limit is never shown to be kept."""
    term = "本协议自签订之日起三年内有效"

    def eager(body: Body) -> str:
        asked = body["messages"][-1]["content"]
        lines = [line for line in asked.splitlines() if line.startswith("- preferred: ")]
        if not lines:
            return json.dumps({"says": True})
        playbook = lines[0].removeprefix("- preferred: ")
        return json.dumps({"verdict": "preferred", "contract": [term], "playbook": playbook})

    stub.answer = eager
    review = start_review(
        give_contract(alice, title="NDA", text=CHINESE), by=alice, principal=alice, playbook="nda-checklist"
    )
    run_review(review)
    assert review.findings.get(position="Term").classification == "YELLOW"


def test_a_provider_that_fails_is_the_reason_that_is_shown(alice: User, stub: OpenAIStub) -> None:
    review = start_review(
        give_contract(alice, title="NDA", text=CHINESE), by=alice, principal=alice, playbook="nda-checklist"
    )
    stub.script += [Status(400)]
    make_review(review_id=str(review.pk))
    review.refresh_from_db()
    assert (review.state, review.error_code, review.findings.count()) == (ReviewState.FAILED, "provider_failed", 0)


def test_what_is_too_long_for_a_model_is_refused(alice: User, stub: OpenAIStub) -> None:
    document = give_contract(
        alice, title="NDA", text=CHINESE + "本协议自签订之日起三年内有效。\n" * (MAX_CHARACTERS // 10)
    )
    with pytest.raises(UnreadLanguage) as refused:
        start_review(document, by=alice, principal=alice)
    assert "60,000 characters" in refused.value.message


def test_two_versions_are_compared_in_english_only(alice: User, nda: Document, stub: OpenAIStub) -> None:
    document = give_contract(alice, title="NDA", text=CHINESE)
    with pytest.raises(UnreadLanguage) as refused:
        start_review(document, by=alice, principal=alice, compare_with=nda)
    assert "in English only" in refused.value.message
    with pytest.raises(UnreadLanguage) as refused:
        start_review(nda, by=alice, principal=alice, compare_with=document)
    assert "in English only" in refused.value.message
