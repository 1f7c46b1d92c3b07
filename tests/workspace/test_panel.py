"""Beside an answer: the report or the draft that its run made, which a person saves, and how it came about."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from agents.models import AgentRun, EventKind, RunInterrupted
from contracts.models import ContractReview
from conversations.models import ChatSession, Project
from knowledge.models import BaseKind, Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from tests.agents.reviewing import nda, worker
from tests.agents.working import ask, begin
from tests.conversations.layered import give
from tests.cover import handbook, plugin, published
from tests.security.world import everything
from tests.workspace.conftest import read_text
from tests.workspace.test_conversations import PAID, shown

__all__ = ["handbook", "nda", "plugin", "published", "worker"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
TEMPLATE = "# Notice\n\nTo {{ tenant }}: the lease ends on {{ last day }}."
REQUEST = "Draft a notice of termination of the lease."
FACTS = "\nTenant: Acme\nLast day: 31 March"
DRAFTED = "To Acme: the lease ends on 31 March."


@pytest.fixture
def asked(shared: Project, published: Plugin) -> Project:
    """The project, whose conversations ask the plugin, and which has a template."""
    template = read_text(shared.knowledge_base, "Notice of termination of a lease", TEMPLATE)
    Document.objects.filter(pk=template.pk).update(is_template=True)
    published.is_published = True
    shared.change(plugin=published)
    shared.refresh_from_db()
    return shared


@pytest.fixture
def drafted(asked: Project, published: Plugin, bob: User) -> AgentRun:
    """Bob, an editor, has had a notice drafted."""
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="A notice")
    return ask(published, bob, REQUEST + FACTS, session=session)


def conversation_of(run: AgentRun) -> str:
    return f"/c/{run.session_id}"


def run_address(run: AgentRun, below: str) -> str:
    return f"/c/{run.session_id}/runs/{run.pk}/{below}"


def panel_of(page: str) -> str:
    return page.split('class="panel')[1].split("</section>")[0]


def test_jl_060_the_panel_of_an_agreement_has_each_point_with_its_class(
    bob: User, asked: Project, published: Plugin, nda: Document, worker: list[str], browse: Browse
) -> None:
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    page = shown(browse(bob), conversation_of(run))
    panel = panel_of(page)
    review = ContractReview.objects.get()
    findings = list(review.findings.all())
    assert len(findings) == panel.count("<li>") == 10
    for finding in findings:
        row = panel.split(f"<span>{finding.number}. {finding.position}</span>")[1].split("</li>")[0]
        assert f"</svg>{finding.classification.lower()}</span>" in row
    assert f'href="/contracts/reviews/{review.pk}"' in panel
    assert f"With <bdi>{nda.title}</bdi>" in page.replace("</svg>", "")
    review.delete()
    assert "The review has been deleted." in panel_of(shown(browse(bob), conversation_of(run)))


SERVICES = """# SERVICES AGREEMENT

1. Term. This Agreement runs for two years from 1 May 2026 and renews for a year at a time.

2. Liability. The Supplier's liability under this Agreement is unlimited.

3. Governing law. This Agreement is governed by the laws of England and Wales.
"""


def test_jl_059_the_panel_of_a_contract_has_each_position_and_the_way_to_its_review(
    bob: User, asked: Project, published: Plugin, worker: list[str], browse: Browse
) -> None:
    contract = give(personal_knowledge_base(bob), SERVICES)
    run = ask(published, bob, "Review this contract against the playbook", documents=(contract.pk,))
    assert run.events.filter(kind=EventKind.CONTRACT_RESULT).count() == 1
    panel = panel_of(shown(browse(bob), conversation_of(run)))
    findings = list(ContractReview.objects.get().findings.all())
    assert '<p class="kicker">Contract review</p>' in panel
    assert len(findings) == panel.split('class="report"')[1].split("</ol>")[0].count("<li>") > 0
    for finding in findings:
        assert f"<span>{finding.number}. {finding.position}</span>" in panel
    assert f'href="/contracts/reviews/{worker[0]}"' in panel


def test_jl_054_a_draft_stands_in_the_panel_and_is_saved_by_a_click(
    bob: User, drafted: AgentRun, asked: Project, browse: Browse
) -> None:
    client, address = browse(bob), run_address(drafted, "save")
    panel = panel_of(shown(client, conversation_of(drafted)))
    assert DRAFTED in panel
    assert f'href="{address}"' in panel
    before = Document.objects.count()
    form = shown(client, address)
    assert DRAFTED in form
    assert 'value="Notice of termination of a lease (2)"' in form, "under its own title it would replace the template"
    assert Document.objects.count() == before, "nobody has saved it"
    text = f"# Notice\r\n\r\n{DRAFTED}"
    response = client.post(address, {"title": "Notice to Acme", "place": "project", "text": text})
    assert response["Location"].startswith(f"{conversation_of(drafted)}#turn-")
    saved = Document.objects.get(title="Notice to Acme")
    assert (saved.knowledge_base, saved.is_template) == (asked.knowledge_base, False)
    assert "</svg>saved</span>" in panel_of(shown(client, conversation_of(drafted)))


def test_a_draft_may_be_changed_and_kept_among_ones_own_documents(bob: User, drafted: AgentRun, browse: Browse) -> None:
    client, address = browse(bob), run_address(drafted, "save")
    refused = client.post(address, {"title": "", "place": "personal", "text": "kept words"})
    assert (refused.status_code, "kept words" in refused.content.decode()) == (400, True)
    client.post(address, {"title": "Notice to Acme", "place": "personal", "text": "Changed."})
    saved = Document.objects.get(title="Notice to Acme")
    assert (saved.knowledge_base.kind, saved.knowledge_base.owner) == (BaseKind.PERSONAL, bob)
    assert "</svg>saved</span>" not in panel_of(shown(client, conversation_of(drafted)))


def test_whoever_may_not_change_the_project_keeps_a_draft_for_themselves(
    dana: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    session = ChatSession.objects.begin_private(user=dana, project=asked, title="A notice")
    run = ask(published, dana, REQUEST + FACTS, session=session)
    assert '<option value="project">' not in shown(browse(dana), run_address(run, "save"))
    fields = {"title": "Notice to Acme", "place": "project", "text": DRAFTED}
    assert browse(dana).post(run_address(run, "save"), fields).status_code == 400
    assert not Document.objects.filter(title="Notice to Acme").exists()


def test_a_fact_is_given_where_it_is_asked_for(bob: User, asked: Project, published: Plugin, browse: Browse) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="A notice")
    ask(published, bob, REQUEST, session=session)
    ask(published, bob, "Acme", session=session)
    page = shown(browse(bob), f"/c/{session.pk}")
    assert "You said: Acme" in page
    assert '<h2 class="said sr" dir="auto">Acme</h2>' in page
    assert "What should the document say for “last day”? To leave the draft, write “stop”." in page


def test_the_way_to_an_answer_is_a_reading_of_its_journal(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="What Marrow pays")
    run = ask(published, bob, PAID, session=session)
    address = run_address(run, "flow")
    assert f'hx-get="{address}"' in shown(browse(bob), conversation_of(run))
    page = shown(browse(bob), address)
    searched = run.events.get(kind=EventKind.STEP_END)
    count = len(searched.data["result"]["citations"])
    boxes = [box.split("</div>")[0] for box in page.split('class="flow-box')[1:]]
    assert [words in box for box, words in zip(boxes, ("Your message", "Searched", "Answer"), strict=True)] == [
        True
    ] * 3
    assert f"{count} passage" in boxes[1]
    assert f"{searched.data['ms']} ms" in boxes[1] or " s</span>" in boxes[1]
    assert "1 citation, each found word for word" in boxes[2]
    part = browse(bob).get(address, headers={"HX-Request": "true"}).content.decode()
    assert ('<ol class="flow">' in part, "<html" in part) == (True, False)


def test_a_call_that_failed_says_so_in_the_diagram(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="x")
    run = begin(published, bob, PAID, session=session)
    call = {"id": "call_1", "number": 1, "tool": "search_knowledge", "input": {"query": PAID}}
    begun = {"callId": "call_1", "number": 1, "tool": "search_knowledge"}
    error = {"error": "The embedder is away.", "code": "embedder", "hint": ""}
    ended = {**begun, "result": None, "error": error, "ms": 12}
    run.append((EventKind.TURN, {"calls": [call]}), (EventKind.STEP_START, {**begun, "input": {}}))
    assert "not finished" in shown(browse(bob), run_address(run, "flow"))
    run.append((EventKind.STEP_END, ended))
    run.fail(RunInterrupted())
    page = shown(browse(bob), run_address(run, "flow"))
    assert "The embedder is away." in page
    assert "The run was stopped because its process died several times." in page
    # And in the conversation, where no answer was kept.
    page = shown(browse(bob), conversation_of(run))
    assert "<strong>The run was stopped because its process died several times.</strong> No answer was kept." in page


def test_nobody_else_sees_or_saves_and_whoever_left_the_project_neither(
    alice: User, bob: User, charlie: User, drafted: AgentRun, asked: Project, browse: Browse
) -> None:
    fields = {"title": "Taken", "place": "personal", "text": "x"}
    before = everything()
    for person in (alice, charlie):
        for below in ("flow", "save"):
            assert browse(person).get(run_address(drafted, below)).status_code == 404
        assert browse(person).post(run_address(drafted, "save"), fields).status_code == 404
    assert everything() == before
    asked.remove_member(bob.email)
    assert DRAFTED not in shown(browse(bob), conversation_of(drafted))
    for below in ("flow", "save"):
        assert browse(bob).get(run_address(drafted, below)).status_code == 404
    assert browse(bob).post(run_address(drafted, "save"), fields).status_code == 404


def test_a_run_without_a_draft_has_nothing_to_save(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="x")
    run = ask(published, bob, PAID, session=session)
    assert browse(bob).get(run_address(run, "save")).status_code == 404


def test_the_number_of_statements_does_not_grow(
    bob: User, drafted: AgentRun, published: Plugin, browse: Browse
) -> None:
    """From the first run on: an answer that cites documents would take three more, which ask whether they may be read
    still, but each of these runs drafts."""
    client, counts = browse(bob), []
    for tenant in ("Holt", "Stone"):
        with CaptureQueriesContext(connection) as made:
            shown(client, conversation_of(drafted))
        counts.append(len(made))
        run = ask(published, bob, REQUEST + FACTS.replace("Acme", tenant), session=drafted.session)
        assert run.events.filter(kind=EventKind.DOCUMENT_RESULT).exists()
    assert counts[0] == counts[1] <= 15
