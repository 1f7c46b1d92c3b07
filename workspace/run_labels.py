"""The labels of the steps of a run, while they run and afterwards."""

from __future__ import annotations

from agents.execution.run_end import FINISHED_STEPS

_LABELS = {
    "search_knowledge": "Searching the documents",
    "parse_contract": "Reading the contract",
    "parse_nda": "Reading the agreement",
    "load_playbook": "Opening the playbook",
    "analyze_clause": "Comparing the clauses with the playbook",
    "check_nda": "Checking the agreement point by point",
    "render_contract_report": "Reviewing the contract",
    "render_nda_report": "Going through the checklist",
    "extract_document_info": "Looking up what the template needs",
    "generate_legal_document": "Filling in the template",
    "sanitize_content": "Cleaning the text",
}


# Which budget of a run was used up (`agents.execution.loop.RunOutcome`), as people are told.
REACHED_LIMITS = {
    "iterations": "The limit of steps was reached.",
    "calls": "The limit of steps was reached.",
    "tokens": "The limit of text for the language model was reached.",
    "seconds": "The time limit was reached.",
}


def running_label(tool: str) -> str:
    """The name of a step for people; of a tool that nobody named, the tool's."""
    return _LABELS.get(tool, tool.replace("_", " ").capitalize())


def finished_label(tool: str) -> str:
    """The name of a step that has been made."""
    return FINISHED_STEPS.get(tool, running_label(tool))
