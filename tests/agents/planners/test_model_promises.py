"""What a language model in a run cannot do, whatever it writes: invent a fact of a draft, get past the gate, state
something in a question, or show what it thinks."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from agents.planners.clarification_detection import model_question
from agents.tools.stated_facts import unstated_facts
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.agents.modelled import ScriptedModel, calls, search, told
from tests.agents.planners.test_llm_planner import APART, SPACER_TURNS, cited
from tests.agents.working import OFF_TOPIC, SPACERS, answer_of, ask, data_of, kinds, text_of
from tests.conversations.layered import give
from tests.openai_stub import OpenAIStub

pytestmark = pytest.mark.django_db
TEMPLATE = "Notice\n\nTo {{ tenant }}: the lease ends on {{ last day }}."
WHICH = "Which of the two buildings do you mean?"


@pytest.fixture
def template(bob: User) -> Document:
    document = give(personal_knowledge_base(bob), TEMPLATE, is_template=True)
    Document.objects.filter(pk=document.pk).update(title="Notice of a lease")
    return document


def publish_in_mode(plugin: Plugin, mode: str) -> None:
    if plugin.citation_mode != mode:
        Plugin.objects.update(citation_mode=mode)
        plugin.refresh_from_db()
        publish(plugin, by=plugin.owner)


def info(**facts: str) -> Any:
    return calls(("extract_document_info", {"template": "Notice of a lease", "facts": facts}))


def draft(**facts: str) -> Any:
    return calls(("generate_legal_document", {"template": "Notice of a lease", "facts": facts}))


# --- Facts of a draft ----------------------------------------------------------------------------------------------


def test_a_fact_that_nobody_stated_reaches_no_draft(
    published: Plugin, bob: User, template: Document, stub: OpenAIStub
) -> None:
    invented = {"tenant": "Acme", "last day": "31 March"}
    model = ScriptedModel(stub, draft(**invented), info(**invented), "Done.")
    run = ask(published, bob, "Draft the notice of a lease. The tenant is Acme.")
    refused, asked = data_of(run, "step_end")
    assert (refused["error"]["code"], refused["error"]["hint"][-9:]) == ("unstated_facts", "last day.")
    assert (asked["result"]["facts"], asked["result"]["notStated"]) == ({"tenant": "Acme"}, ["last day"])
    assert data_of(run, "document_question")[0]["field"] == "last day"
    assert (run.state, "31 March" in text_of(run), len(model.bodies)) == ("waiting", False, 3)
    facts = {"tenant": "Acme", "last day": "30 June"}
    ScriptedModel(stub, info(**facts), draft(**facts), "Done.")
    made = ask(published, bob, "It is 30 June", session=run.session)
    assert "To Acme: the lease ends on 30 June." in data_of(made, "document_result")[0]["document"]["text"]


@pytest.mark.parametrize("words", ["“Stop”.", "Never mind.", "Forget it"])
def test_the_wish_to_leave_the_draft_is_granted_whatever_the_model_would_say(
    published: Plugin, bob: User, template: Document, stub: OpenAIStub, words: str
) -> None:
    ScriptedModel(stub, info(tenant="Acme"), "Done.")
    asked = ask(published, bob, "Draft the notice of a lease. The tenant is Acme.")
    between = ScriptedModel(stub, *SPACER_TURNS)
    run = ask(published, bob, SPACERS, session=asked.session)
    assert text_of(run).endswith("still waits for “last day”. To leave the draft, write “stop”.")
    assert (text_of(run), len(between.bodies)) == (answer_of(run).content, 2)
    model = ScriptedModel(stub, info(**{"tenant": "Acme", "last day": "stop"}))
    run = ask(published, bob, words, session=asked.session)
    assert (text_of(run), model.bodies) == (
        "You have left the draft of “Notice of a lease”. Nothing of it was saved.",
        [],
    )


@pytest.mark.parametrize(
    ("value", "said", "is_stated"),
    [
        ("Acme Ltd", "for ACME,  Ltd. please", True),
        ("5", "by 15 May", False),
        ("5 May", "by 5\nMay", True),
        ("王小明", "租客是王小明。", True),
        ("王小明", "租客是王大明。", False),
        ("Acme and Borealis", "Acme pays. And Borealis?", False),
        ("", "Acme", False),
    ],
)
def test_a_fact_is_stated_where_its_words_stand_in_a_row(value: str, said: str, is_stated: bool) -> None:
    assert unstated_facts({"name": value}, ["something else", said]) == ([] if is_stated else ["name"])


# --- The gate ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["mandatory", "optional"])
def test_what_the_gate_refuses_becomes_no_claim(published: Plugin, bob: User, stub: OpenAIStub, mode: str) -> None:
    publish_in_mode(published, mode)
    ScriptedModel(stub, search(OFF_TOPIC), "Divers in the Arctic need gloves of neoprene.")
    run = ask(published, bob, OFF_TOPIC)
    [searched] = data_of(run, "step_end")
    assert not searched["result"]["isSufficient"]
    if mode == "mandatory":
        assert (data_of(run, "done")[0]["outcome"], "neoprene" in text_of(run)) == ("refused", False)
    else:
        assert text_of(run) == "Divers in the Arctic need gloves of neoprene (not verified)."
        assert answer_of(run).metadata["confidence"] == "low"


def test_what_is_cited_from_evidence_that_the_gate_refuses_is_not_sure(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    ScriptedModel(stub, search(SPACERS), SPACER_TURNS[1])
    assert answer_of(ask(published, bob)).metadata["confidence"] != "low"
    about = "Which gloves does a diver need beside spacers made of mortar in the Arctic?"
    ScriptedModel(stub, search(about), cited(APART.replace("1]", "{}]"), words="one metre apart"))
    run = ask(published, bob, about)
    assert not data_of(run, "step_end")[0]["result"]["isSufficient"]
    kept = answer_of(run).metadata
    assert (text_of(run), kept["confidence"], kept["reason"]) == (APART, "low", "weak_evidence")


# --- Its own question back -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["mandatory", "optional", "off"])
def test_its_question_back_is_asked(published: Plugin, bob: User, stub: OpenAIStub, mode: str) -> None:
    publish_in_mode(published, mode)
    ScriptedModel(stub, WHICH)
    run = ask(published, bob)
    assert (run.state, text_of(run), kinds(run)[-2:]) == ("waiting", WHICH, ["clarification", "done"])
    assert answer_of(run).content == WHICH
    model = ScriptedModel(stub, *SPACER_TURNS)
    assert ask(published, bob, "The one with mortar", session=run.session).state == "done"
    roles = [(one["role"], one["content"]) for one in model.bodies[0]["messages"][1:]]
    assert roles == [("user", SPACERS), ("assistant", WHICH), ("user", "The one with mortar")]


@pytest.mark.parametrize(
    "text",
    [
        "Did you know that the fine is 5,000 euros?",
        "It is unlimited. Is that clear?",
        "You know that it is GREEN, do you not?",
        "As it stands [Source 1], do you agree?",
        "Is " + "x " * 200 + "?",
        "It is so.",
        "",
    ],
)
def test_what_states_something_is_no_question(text: str) -> None:
    assert model_question(text, said=["What does clause 7 say?"]) is None


def test_a_question_may_name_figures_of_the_person() -> None:
    asked = model_question("Do you mean clause 7 of the first one?", said=["What does clause 7 say?"])
    assert asked
    assert asked.answer.text == "Do you mean clause 7 of the first one?"


# --- What it thinks ------------------------------------------------------------------------------------------------


def test_what_it_thinks_aloud_is_not_shown_and_not_told_again(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    publish_in_mode(published, "off")
    thought = "<think>The person is a fool. Nine metres [Source 1]?</think>"
    model = ScriptedModel(stub, search(SPACERS), lambda body: thought + str(SPACER_TURNS[1](body)))
    run = ask(published, bob)
    assert text_of(run).startswith(APART.removesuffix(" [Source 1]."))
    assert "fool" not in str(answer_of(run).metadata)
    ScriptedModel(stub, *SPACER_TURNS)
    ask(published, bob, session=run.session)
    assert "fool" not in str([told(body, "assistant") for body in model.bodies])
