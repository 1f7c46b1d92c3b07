"""A draft from a template: what is missing is asked for, one fact a message, and nothing is made up or saved."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest

from accounts.models import User
from agents.execution import execute_run
from agents.models import AgentRun
from agents.planners import rule_planner
from agents.tools.document_templates import DocumentTemplate, DraftTooLong
from knowledge.embedders.base import EmbedderUnavailable
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.agents.working import OPEN, answer_of, ask, begin, data_of, kinds, shown, text_of, work
from tests.conversations.layered import give
from tests.cover import give_document

pytestmark = pytest.mark.django_db
NOTICE = """Notice of termination

To {{ tenant }}: the lease of {{ premises }} ends on {{ last day }}.
Governing law: {{ law: Norway | Sweden }}. Signed for {{Tenant}}'s landlord.
"""
REQUEST = "Draft a notice of termination of the lease"


@pytest.fixture
def template(bob: User) -> Document:
    document = give(personal_knowledge_base(bob), NOTICE, is_template=True)
    Document.objects.filter(pk=document.pk).update(title="Notice of termination of a lease")
    return document


def test_jl_038_jl_054_what_is_missing_is_asked_for_and_then_the_draft_is_there(
    published: Plugin, bob: User, template: Document
) -> None:
    before = Document.objects.count()
    run = ask(published, bob, f"{REQUEST}.\nTenant: Acme\nPremises: Main Street 1")
    assert kinds(run) == ["run", "agent_type", "step_start", "step_end", "document_question", "content", "done"]
    assert (run.state, run.agent_type) == ("waiting", "document")
    [asked] = data_of(run, "document_question")
    assert (asked["field"], asked["question"], asked["options"]) == ("last day", text_of(run), [])
    run = ask(published, bob, "31 March", session=run.session)
    [asked] = data_of(run, "document_question")
    assert (asked["field"], asked["options"]) == ("law", ["Norway", "Sweden"])
    run = ask(published, bob, "Norway", session=run.session)
    assert kinds(run)[4:] == ["step_start", "step_end", "document_result", "content", "done"]
    [made] = data_of(run, "document_result")
    text = made["document"]["text"]
    assert "To Acme: the lease of Main Street 1 ends on 31 March." in text
    assert "Governing law: Norway. Signed for Acme's landlord." in text
    assert (run.state, Document.objects.count()) == ("done", before), "nobody has saved it"
    assert answer_of(run).metadata["outcome"] == "answered"


@pytest.mark.parametrize(
    "reply",
    [
        "Last day: 31 March",
        "- Last day: 31 March",
        "1. last day: 31 March",
        "**Last day:** 31 March",
        "Last day\uff1a31 March",
        "Tenant: Beta\n31 March",
    ],
)
def test_a_reply_may_name_what_was_asked_for(published: Plugin, bob: User, template: Document, reply: str) -> None:
    waiting = ask(published, bob, f"{REQUEST}.\n- Tenant: Acme\n2. **Premises:** Main Street 1\nLaw: sweden")
    [asked] = data_of(waiting, "document_question")
    assert asked["field"] == "last day"
    run = ask(published, bob, reply, session=waiting.session)
    [made] = data_of(run, "document_result")
    assert "the lease of Main Street 1 ends on 31 March." in made["document"]["text"]
    assert "Governing law: Sweden." in made["document"]["text"]


def test_a_reply_that_names_another_fact_is_not_the_one_that_was_asked_for(
    published: Plugin, bob: User, template: Document
) -> None:
    waiting = ask(published, bob, f"{REQUEST}.\nPremises: x\nLaw: Norway")
    run = ask(published, bob, "Last day: 31 March", session=waiting.session)
    [asked] = data_of(run, "document_question")
    assert asked["field"] == "tenant"
    [made] = data_of(ask(published, bob, "Acme", session=run.session), "document_result")
    assert "To Acme: the lease of x ends on 31 March." in made["document"]["text"]


def test_a_choice_is_asked_for_again_until_it_is_one_of_its_options(
    published: Plugin, bob: User, template: Document
) -> None:
    run = ask(published, bob, f"{REQUEST}.\nTenant: Acme\nPremises: x\nLast day: y\nLaw: Denmark")
    for reply in ("Denmark", "Not Norway"):
        [asked] = data_of(run, "document_question")
        assert (asked["field"], asked["options"]) == ("law", ["Norway", "Sweden"])
        run = ask(published, bob, reply, session=run.session)
    [made] = data_of(ask(published, bob, "norway.", session=run.session), "document_result")
    assert "Governing law: Norway. Signed" in made["document"]["text"]


@pytest.mark.parametrize("reply", ["stop", "Cancel", "Forget it", "Never mind."])
def test_a_draft_that_waits_can_be_left(published: Plugin, bob: User, template: Document, reply: str) -> None:
    waiting = ask(published, bob, REQUEST)
    assert text_of(waiting).endswith("To leave the draft, write “stop”.")
    run = ask(published, bob, reply, session=waiting.session)
    assert text_of(run) == "You have left the draft of “Notice of termination of a lease”. Nothing of it was saved."
    assert "document_question" not in kinds(ask(published, bob, "31 March", session=run.session))


@pytest.mark.parametrize("reply", ["Tell me the notice period first.", "Tell me how far apart spacers stand."])
def test_another_request_is_no_fact(published: Plugin, bob: User, template: Document, reply: str) -> None:
    waiting = ask(published, bob, REQUEST)
    run = ask(published, bob, reply, session=waiting.session)
    assert run.agent_type == "rag"
    assert "document_question" not in kinds(run)
    assert text_of(run).endswith(
        "The draft of “Notice of termination of a lease” still waits for “tenant”. To leave the draft, write “stop”."
    )
    assert text_of(run) == answer_of(run).content


@pytest.mark.parametrize(
    "fact",
    [
        "Acme Ltd",
        "None",
        "Not applicable",
        "Write it as Acme Ltd, Oslo",
        "The tenant pays the rent each month in advance.",
        "Review of the contract every two years",
        "Draft beer and snacks",
        "A notice of termination of the lease",
        "tenant: Cancel",
        "Provide legal advice on employment law",
        "Give the employer all information",
        "The tenant shall give notice of defects.",
        "Give notice within 14 days",
        "Tell the landlord three weeks before moving in",
        "The consultant shall advise on labour law.",
        "Explain the risks to the client",
        "Leave",
        "Stop of the heating",
    ],
)
def test_a_fact_may_sound_like_a_request(published: Plugin, bob: User, template: Document, fact: str) -> None:
    waiting = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y\nLaw: Norway")
    [made] = data_of(ask(published, bob, fact, session=waiting.session), "document_result")
    assert f"To {fact.removeprefix('tenant: ')}: the lease" in made["document"]["text"]


@pytest.mark.parametrize("leave", [False, True])
def test_a_draft_goes_on_waiting_behind_another_request(
    published: Plugin, bob: User, template: Document, leave: bool
) -> None:
    session = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y\nLaw: Norway").session
    for question in ("Tell me the notice period first.", "How far apart do spacers made of mortar stand?"):
        assert "still waits for “tenant”" in text_of(ask(published, bob, question, session=session))
    run = ask(published, bob, "Stop." if leave else "Acme", session=session)
    if leave:
        assert text_of(run).startswith("You have left the draft of “Notice of termination of a lease”.")
    else:
        assert "To Acme: the lease of x ends on y." in data_of(run, "document_result")[0]["document"]["text"]
    assert "still waits" not in text_of(ask(published, bob, session=session))


def test_a_draft_goes_on_waiting_while_a_search_asks_back(published: Plugin, bob: User, template: Document) -> None:
    session = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y\nLaw: Norway").session
    run = ask(published, bob, OPEN, session=session)
    [asked] = data_of(run, "clarification")
    assert (run.state, "still waits" in text_of(run)) == ("waiting", False)
    answered = ask(published, bob, asked["options"][0], session=session)
    assert "still waits for “tenant”" in text_of(answered)
    [made] = data_of(ask(published, bob, "Acme", session=session), "document_result")
    assert "To Acme: the lease" in made["document"]["text"]


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_a_draft_goes_on_waiting_behind_a_message_that_was_not_answered(
    published: Plugin, bob: User, template: Document, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    session = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y\nLaw: Norway").session
    with monkeypatch.context() as patched:
        if end == "failed":
            patched.setattr(execute_run, "run_loop", Mock(side_effect=EmbedderUnavailable))
        for _ in range(2):
            run = begin(published, bob, "Acme", session=session)
            if end == "cancelled":
                run.request_cancel()
            assert work(run).state == end
    [made] = data_of(ask(published, bob, "Acme", session=session), "document_result")
    assert "To Acme: the lease of x ends on y." in made["document"]["text"]


def test_a_draft_that_was_shown_before_the_run_failed_waits_no_longer(
    published: Plugin, bob: User, template: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y\nLaw: Norway").session
    with monkeypatch.context() as patched:
        patched.setattr(rule_planner, "draft_text", Mock(side_effect=EmbedderUnavailable))
        run = ask(published, bob, "Acme", session=session)
    assert (run.state, len(data_of(run, "document_result"))) == ("failed", 1)
    assert "still waits" not in text_of(ask(published, bob, session=session))


@pytest.mark.parametrize("reply", ["Here is the rest.\nLaw: Sweden", "Law: Sweden\nThat is all.", "And:\nLaw: Sweden"])
def test_a_sentence_beside_named_facts_is_no_fact(published: Plugin, bob: User, template: Document, reply: str) -> None:
    waiting = ask(published, bob, f"{REQUEST}\nPremises: x\nLast day: y")
    run = ask(published, bob, reply, session=waiting.session)
    [asked] = data_of(run, "document_question")
    assert asked["field"] == "tenant"
    [made] = data_of(ask(published, bob, "Acme", session=run.session), "document_result")
    assert "Governing law: Sweden. Signed for Acme's" in made["document"]["text"]


def test_another_question_in_between_is_answered(published: Plugin, bob: User, template: Document) -> None:
    waiting = ask(published, bob, REQUEST)
    run = ask(published, bob, "How far apart do spacers made of mortar stand?", session=waiting.session)
    assert "one metre" in text_of(run)


@pytest.mark.parametrize("text", ["Draft a power of attorney for the harbour pilot", "What is the nominal cover?"])
def test_without_a_template_for_it_the_documents_are_asked(
    published: Plugin, bob: User, template: Document, text: str
) -> None:
    assert ask(published, bob, text).agent_type == "rag"


def test_nobody_elses_template_is_used(published: Plugin, alice: User, bob: User, template: Document) -> None:
    run: Any = ask(published, alice, REQUEST)
    assert run.agent_type == "rag"
    assert AgentRun.objects.get(pk=run.pk).layers == []


@pytest.mark.parametrize(
    ("marks", "may_draft"),
    [({}, False), ({"is_public": True}, True), ({"is_public": True, "doc_type": "Playbook"}, False)],
    ids=["closed", "public", "playbook"],
)
def test_of_a_plugin_those_are_filled_in_that_are_open_to_the_person(
    published: Plugin, alice: User, bob: User, marks: dict[str, Any], may_draft: bool
) -> None:
    template = give_document(published, title="Notice of termination of a lease", text=NOTICE)
    Document.objects.update(is_public=True)
    Document.objects.filter(pk=template.pk).update(**{"is_template": True, "is_public": False, **marks})
    Plugin.objects.update(public_only=True)
    published.refresh_from_db()
    publish(published, by=alice)
    run = ask(published, bob, f"{REQUEST}\nTenant: Acme\nPremises: x\nLast day: y\nLaw: Norway")
    assert ("the lease of x ends on y" in str(shown(run))) is may_draft
    assert ("lease of" in str(shown(run)).replace("termination of the lease", "")) is may_draft
    if "doc_type" not in marks:
        assert ask(published, alice, REQUEST).agent_type == "document", "whoever works on the plugin"


def test_a_draft_has_its_limit(bob: User) -> None:
    template = DocumentTemplate(document_id=uuid4(), title="Many", text="{{ a }} and " * 1000)
    assert template.fill({"a": "b" * 100}).startswith("bbb")
    with pytest.raises(DraftTooLong):
        template.fill({"a": "b" * 2000})


def test_a_text_as_long_as_a_book_is_no_template(published: Plugin, bob: User) -> None:
    long = give(personal_knowledge_base(bob), NOTICE + "x\n" * 60_000, is_template=True)
    Document.objects.filter(pk=long.pk).update(title="Notice of termination of a lease")
    assert ask(published, bob, REQUEST).agent_type == "rag"
