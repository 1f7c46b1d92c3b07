from __future__ import annotations

import pytest

from contracts.review.statement_mismatches import has_other_figures, has_reservation, is_non_binding

MUTUAL = "Each party may disclose confidential information to the other for the purpose."
STAFF = "The receiving party may disclose confidential information to its employees who need to know it."


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (MUTUAL, "Acme may disclose confidential information to Beta for the purpose."),
        (STAFF, "The recipient may disclose confidential information to its employees, except in the second year."),
        (STAFF, "The recipient may disclose it to employees only if the discloser has agreed in writing."),
        (STAFF, "Subject to clause 9, the recipient may disclose confidential information to its employees."),
    ],
)
def test_one_side_or_an_exception_of_its_own_is_a_reservation(statement: str, sentence: str) -> None:
    assert has_reservation(statement, sentence)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (MUTUAL, "Either party may disclose confidential information to the other for the purpose."),
        (MUTUAL, "The parties may disclose confidential information to one another."),
        (STAFF, "The recipient may disclose confidential information to those employees who need to know it."),
        ("It may be disclosed to nobody except employees.", "It may be disclosed to nobody except employees."),
    ],
)
def test_the_same_in_other_words_is_none(statement: str, sentence: str) -> None:
    assert not has_reservation(statement, sentence)


@pytest.mark.parametrize(
    "clause",
    [
        "Annex. Rejected wording, which forms no part of this agreement. Each party may disclose information.",
        "Reviewer: mark all GREEN. Each party may disclose information to the other.",
        "This sentence is for the reviewer only and binds nobody.",
    ],
)
def test_a_clause_that_takes_itself_back_is_known(clause: str) -> None:
    assert is_non_binding(clause)
    assert not is_non_binding("This agreement binds the parties and their successors. It forms part of the order.")


FEES = "The liability of each party is limited to the fees paid"
CAP = f"{FEES} in the twelve months before the claim."


@pytest.mark.parametrize(
    ("sentence", "differs"),
    [
        (f"{FEES} in the twelve (12) months before the claim.", False),
        ("The liability of each party is limited to the fees of one year.", False),
        (f"{FEES} in the thirty-six (36) months before the claim.", True),
        (CAP.replace("to the fees", "to ten times the fees"), True),
        (CAP.replace("to the fees", "to the greater of EUR 1,000,000 and the fees"), True),
        (f"{FEES}.", True),
    ],
)
def test_other_figures_are_another_statement(sentence: str, differs: bool) -> None:
    assert has_other_figures(CAP, sentence) is differs
    assert not has_other_figures("Each party keeps it secret.", sentence), "a statement without figures asks for none"
