"""Whether a message asks for a review, a draft or an answer: told by examples, on messages that are not among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agents.classifiers
from agents.classifiers.example_classifier import ExampleClassifier, example_classifier
from agents.tools.stated_facts import request_in

UNSEEN = {
    "review": [
        "Please review the attached agreement",
        "Could you check this contract for problems?",
        "is this ok to sign",
        "Check the NDA from Contoso",
        "Look through these terms and conditions and tell me what we must change",
        "analyze this contract",
        "what are the risks in this contract for us?",
        "Flag anything unusual in here",
        "review nda",
        "Score this agreement against the standard playbook",
        "I got this lease from my landlord, any traps?",
        "Please examine the enclosed consultancy agreement on behalf of the consultant",
    ],
    "draft": [
        "Draft an NDA with Gamma Ltd",
        "write a letter to the tenant saying the rent is late",
        "Please create a rental contract for my flat",
        "generate a termination notice",
        "Can you prepare a sales contract?",
        "Make a power of attorney for my brother",
        "I need an employment agreement for a new developer",
        "fill out the invoice reminder for Hansen",
        "Compose a letter of intent",
        "draft a confidentiality agreement between Nord and Syd, valid for two years",
        "Put our standard consulting agreement in the name of Lars Berg",
        "write a demand letter",
    ],
    "question": [
        "How much notice must be given before eviction?",
        "What does the law say about overtime pay?",
        "what's the penalty for late delivery under our supply contract?",
        "Who pays for the repairs?",
        "Can I record a phone call?",
        "Which court has jurisdiction?",
        "What is the definition of confidential information in the NDA?",
        "When does the contract end?",
        "What did the Supreme Court say about good faith?",
        "Do we need a written contract?",
        "How should a termination letter be delivered?",
        "What is the standard review period for contracts?",
        "Are drafts privileged?",
        "What nominal cover do the footings of Marrow House get?",
        "Which clauses survive termination?",
        "hi",
        "How do I write a clause on liability?",
        "What are usual exclusions in NDAs?",
        "who approved the contract",
    ],
}


def test_nine_of_ten_unseen_messages_are_taken_for_what_they_are() -> None:
    requests = example_classifier("requests")
    pairs = [(kind, text) for kind, texts in UNSEEN.items() for text in texts]
    wrong = [(kind, text) for kind, text in pairs if requests.classify(text) != kind]
    assert len(wrong) <= len(pairs) // 10, wrong


def test_no_unseen_message_is_an_example() -> None:
    folder = Path(agents.classifiers.__file__).parent
    examples = {text.lower() for texts in json.loads((folder / "requests.json").read_text()).values() for text in texts}
    assert not examples & {text.lower() for texts in UNSEEN.values() for text in texts}


def test_a_class_with_more_examples_weighs_no_more() -> None:
    few, many = ["The cat sleeps."], [f"The price is {number} euro." for number in range(40)]
    told = ExampleClassifier({"animals": few, "money": many})
    assert told.classify("A dog barks.") == "animals"
    assert told.classify("It costs 7 euro.") == "money"


NAMES = ["Acme", "Holt", "Stone", "Smith", "Bob", "Marrow Ltd", "Jean Dupont", "Müller GmbH", "North Harbour Council"]
WITH_FACTS = {
    "Draft a notice of termination of the lease.\nTenant: {}\nLast day: 31 March": "draft",
    "Write an NDA\nParty A: {}\nParty B: Kestrel AS\nTerm: two years": "draft",
    "Please prepare a payment reminder.\nCustomer: {}\nInvoice: 4711\nAmount: 900 EUR": "draft",
    "What is the notice period?\nTenant: {}\nLast day: 31 March": "question",
    "Who pays for the repairs here?\nOwner: {}\nCity: Oslo": "question",
    "Review the attached contract.\nCounterparty: {}\nValue: 1 million": "review",
}


def test_what_is_asked_for_does_not_depend_on_the_facts_below_it() -> None:
    messages = {text.format(name): kind for text, kind in WITH_FACTS.items() for name in NAMES}
    requests = example_classifier("requests")
    assert {text: kind for text, kind in messages.items() if requests.classify(request_in(text)) != kind} == {}


@pytest.mark.parametrize(
    ("message", "request_"),
    [
        ("Draft a letter.\nTo: Acme\n\nPlease be polite.\nDay: Monday", "Draft a letter.\n\nPlease be polite."),
        ("Draft this: a letter\nTo: Acme", "Draft this: a letter"),
        ("To: Acme", "To: Acme"),
        ("\nDraft a letter with these facts:\n- To: Acme", "Draft a letter with these facts:"),
        ("Hello,\nplease draft the following: a letter\nTo: Acme", "Hello,\nplease draft the following: a letter"),
        ("Thanks!\nNow: draft a letter", "Thanks!\nNow: draft a letter"),
        ("", ""),
    ],
)
def test_the_facts_below_a_request_are_left_out(message: str, request_: str) -> None:
    assert request_in(message) == request_


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hi Lexic\n\nI need you to draft this for me: a tenancy agreement for my flat", "draft"),
        ("Good morning,\nplease review this contract: what is risky?", "review"),
        ("Dear all,\nReview request: please check the attached contract for risks.", "review"),
        ("Thanks!\nNow: draft a letter of termination", "draft"),
    ],
)
def test_a_request_below_a_greeting_is_read_though_it_has_a_colon(message: str, kind: str) -> None:
    assert example_classifier("requests").classify(request_in(message)) == kind
