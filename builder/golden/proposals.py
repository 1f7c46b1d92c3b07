"""Golden questions that the documents suggest: proposed, changed where needed, accepted by the expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.panes import render_pane
from evaluation.golden.expectation_text import MAX_PHRASE_LENGTH, place_errors
from evaluation.golden.golden_file import InvalidGoldenRow, document_page_counts, save_golden_rows, validated_row
from evaluation.golden.llm_proposals import propose_with_model
from evaluation.golden.propose_questions import MAX_PROPOSED, ProposedQuestion, propose_questions
from lexic.errors import LexicError
from lexic.http.parameters import single_line
from plugins.models import Plugin
from querying.answering.llms import get_llm
from querying.forms import MAX_QUESTION_CHARACTERS


def propose_golden(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """GET: what the documents suggest. POST with `by`: what the language model does. POST: those that are ticked become
    golden questions; bad input adds none, and all is shown as it was written and ticked."""
    if request.method != "POST":
        return _render(request, plugin, _proposal_rows(propose_questions(plugin)))
    if request.POST.get("by") == "model":
        return _render(request, plugin, _proposal_rows(_ask_model(request, plugin)))
    rows, problem = _accepted_rows(request, plugin)
    if problem or not rows:
        messages.error(request, problem or "Nothing was added: no question is ticked.")
        posted = _rows_as_posted(request)
        return _render(request, plugin, posted or _proposal_rows(propose_questions(plugin)), is_refused=bool(posted))
    added = save_golden_rows(plugin, rows).added
    log_plugin_change(request, plugin, f"Added {added} proposed golden question{'' if added == 1 else 's'}.")
    messages.success(request, f"{added} added. Run them to see what the draft answers.")
    return redirect("admin:builder_golden", plugin.pk)


def _ask_model(request: SignedInRequest, plugin: Plugin) -> list[ProposedQuestion]:
    """What the model proposes; where there is none or it fails, what the documents suggest."""
    if settings.LEXIC_LLM == "extractive":
        return propose_questions(plugin)
    try:
        proposed = propose_with_model(plugin, by=request.user, llm=get_llm())
    except LexicError as error:
        messages.error(request, error.message_with_hint)
        return propose_questions(plugin)
    if not proposed:
        messages.info(request, "The model proposed nothing that stands on a page. These are made from the documents.")
    return proposed or propose_questions(plugin)


@dataclass(frozen=True, kw_only=True)
class ProposalRow:
    """A proposed question in its form, which the person may have changed."""

    number: int
    question: str
    title: str
    page: str
    phrase: str
    excerpt: str
    url: str
    is_ticked: bool = False


def _proposal_rows(proposed: list[ProposedQuestion]) -> list[ProposalRow]:
    return [
        ProposalRow(
            number=number,
            question=one.question,
            title=one.title,
            page=str(one.page or ""),
            phrase=one.phrase,
            excerpt=one.excerpt,
            url=one.url,
        )
        for number, one in enumerate(proposed)
    ]


def _rows_as_posted(request: HttpRequest) -> list[ProposalRow]:
    """All that were proposed, as they were sent: what a model has proposed is not to be had again."""
    return [_row_as_posted(request, number) for number in range(MAX_PROPOSED) if f"question-{number}" in request.POST]


def _row_as_posted(request: HttpRequest, number: int) -> ProposalRow:
    names = ("question", "title", "page", "phrase", "excerpt", "url")
    said = {name: request.POST.get(f"{name}-{number}", "") for name in names}
    if not said["url"].startswith("/source/"):  # it is a link on our page
        said["url"] = ""
    return ProposalRow(number=number, is_ticked=f"accept-{number}" in request.POST, **said)


def _render(
    request: SignedInRequest, plugin: Plugin, proposed: list[ProposalRow], *, is_refused: bool = False
) -> HttpResponse:
    context = {"proposed": proposed, "is_refused": is_refused, "has_model": settings.LEXIC_LLM != "extractive"}
    return render_pane(request, plugin, "golden", "builder/golden/proposals.html", context)


def _accepted_rows(request: HttpRequest, plugin: Plugin) -> tuple[list[dict[str, Any]], str]:
    """The rows that were ticked, and what is wrong with the first that is not right."""
    titles, rows = document_page_counts(plugin), []
    for number in range(MAX_PROPOSED):
        if f"accept-{number}" in request.POST:
            given = _posted_row(request, number)
            if wrong := place_errors(given["must_cite"], titles=titles, each="Document"):
                return [], f"Nothing was added. {wrong[0]}"
            try:
                rows.append(validated_row(given))
            except InvalidGoldenRow as error:
                return [], f"Nothing was added. “{given['question'][:80]}”: {error}"
    return rows, ""


def _posted_row(request: HttpRequest, number: int) -> dict[str, Any]:
    said = {name: request.POST.get(f"{name}-{number}", "") for name in ("question", "title", "page", "phrase")}
    page = int(said["page"]) if said["page"].isascii() and said["page"].isdigit() and len(said["page"]) < 7 else None
    phrase = single_line(said["phrase"], max_length=MAX_PHRASE_LENGTH)
    return {
        "question": single_line(said["question"], max_length=MAX_QUESTION_CHARACTERS),
        "must_cite": [[said["title"], page or None]],
        "must_contain": [phrase] if phrase else [],
    }
