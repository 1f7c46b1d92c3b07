"""Fixtures for messages that come with a contract: the contract, and a worker that reviews it."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from agents.tools import contract_tools
from contracts.models import ContractReview
from contracts.review.run_review import run_review
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from tests.contracts.documents import NDA
from tests.conversations.layered import give


@pytest.fixture
def nda(bob: User) -> Document:
    return give(personal_knowledge_base(bob), NDA)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes each review as soon as somebody waits for it."""
    made: list[str] = []
    begun = contract_tools._find_or_start_review

    def begin_and_make(*args: Any) -> ContractReview:
        review = begun(*args)
        run_review(ContractReview.objects.select_related("document__knowledge_base").get(pk=review.pk))
        made.append(str(review.pk))
        return review

    monkeypatch.setattr(contract_tools, "_find_or_start_review", begin_and_make)
    return made
