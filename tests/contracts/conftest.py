from __future__ import annotations

import pytest

from accounts.models import User
from contracts.models import ContractReview
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from knowledge.models import Document
from tests.contracts.documents import give_contract
from tests.remembered import remembered


@pytest.fixture
@remembered
def nda(alice: User) -> Document:
    return give_contract(alice)


@pytest.fixture
def queued(nda: Document, alice: User) -> ContractReview:
    return start_review(nda, by=alice, principal=alice)


@pytest.fixture
@remembered
def reviewed(nda: Document, alice: User) -> ContractReview:
    review = start_review(nda, by=alice, principal=alice)
    run_review(review)
    return review
