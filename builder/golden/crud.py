"""Writing golden questions down, changing and deleting them."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from accounts.signed_in_request import SignedInRequest
from builder.golden.forms import GoldenQuestionForm
from builder.golden.sandbox_link import sandbox_address
from builder.history import errors_as_messages, log_and_report, log_plugin_change
from builder.panes import render_pane
from evaluation.golden.golden_file import document_page_counts
from evaluation.models import GoldenQuestion
from lexic.http.parameters import MAX_ROW_ID
from plugins.models import Plugin

# So many documents can be picked; others are typed.
_MAX_DOCUMENTS = 500


def add_question(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = GoldenQuestionForm(request.POST if request.method == "POST" else None, plugin=plugin)
    if form.is_valid():
        form.save()
        log_plugin_change(request, plugin, "Added a golden question.")
        messages.success(request, "Saved. The next run asks it too.")
        next_page = "builder_golden_add" if "_another" in request.POST else "builder_golden"
        return redirect(f"admin:{next_page}", plugin.pk)
    return _render_form(request, plugin, form)


def change_question(request: SignedInRequest, plugin: Plugin, golden: int) -> HttpResponse:
    question = _question_or_404(plugin, golden)
    data = request.POST if request.method == "POST" else None
    with transaction.atomic():
        form = GoldenQuestionForm(data, plugin=plugin, instance=question)  # which is checked at once
        if is_valid := form.is_valid():
            form.save()
    if is_valid:
        log_plugin_change(request, plugin, "Changed a golden question.")
        messages.success(request, f"Saved.{' Its last result no longer counts.' if form.discards_result else ''}")
        return redirect("admin:builder_golden", plugin.pk)
    return _render_form(request, plugin, form)


def delete_question(request: SignedInRequest, plugin: Plugin, golden: int) -> HttpResponse:
    question = _question_or_404(plugin, golden)
    if request.method != "POST":
        return render_pane(request, plugin, "golden", "builder/golden/delete.html", {"golden": question})
    with errors_as_messages(request):
        plugin.check_deletable()
        question.delete()
        log_and_report(request, plugin, "The golden question is deleted. Earlier runs keep their results.")
    return redirect("admin:builder_golden", plugin.pk)


def _render_form(request: SignedInRequest, plugin: Plugin, form: GoldenQuestionForm) -> HttpResponse:
    pages = sorted(document_page_counts(plugin).items())
    # As it is stored: a form that is wrong has changed its own.
    golden = plugin.golden_questions.filter(pk=form.instance.pk).first()
    context = {
        "form": form,
        "golden": golden,
        "sandbox": sandbox_address(plugin, golden) if golden else "",
        "documents": pages[:_MAX_DOCUMENTS],
    }
    response = render_pane(request, plugin, "golden", "builder/golden/form.html", context)
    response.status_code = 422 if form.errors else 200
    return response


def _question_or_404(plugin: Plugin, pk: int) -> GoldenQuestion:
    return get_object_or_404(plugin.golden_questions, pk=min(pk, MAX_ROW_ID))
