"""`manage.py ask`: a question back says how it is answered."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from plugins.models import Plugin
from querying.management.commands.ask import format_answer

OPEN = "What is the nominal cover of a beam?"


@pytest.mark.django_db
def test_a_question_back_says_which_fact_it_asks_for(published: Plugin, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ask", "cover", OPEN)
    asked = capsys.readouterr().out
    assert "How is the member exposed?" in asked
    assert "\n  Ask again with --fact exposure=VALUE. Options: mild, severe.\n" in asked
    call_command("ask", "cover", OPEN, "--fact", "exposure=severe")
    assert "45 mm" in capsys.readouterr().out


def test_a_number_has_no_options() -> None:
    answer = {
        "answer": "For how many days?",
        "citations": [],
        "decisionPath": [],
        "clarification": {"question": "For how many days?", "options": [], "field": "days", "token": "t"},
        "why": [],
        "reason": "missing_fact",
        "outcome": "clarify",
        "confidence": "low",
        "release": "leave@1.0.0",
    }
    assert "  Ask again with --fact days=VALUE.\n" in format_answer(answer)
