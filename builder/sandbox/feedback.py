"""A golden question or a verdict that a person makes of an answer: a fragment of the pane, or a page of its own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from builder.panes import HtmxRequest, render_pane
from evaluation.golden.expectation_text import MAX_LINES, MAX_PHRASE_LENGTH
from evaluation.models import GoldenQuestion
from lexic.multiline_field import MultilineField
from plugins.models import Plugin
from querying.models import Feedback, Query


class GoldenFromAnswerForm(forms.ModelForm):
    """What must hold whenever the question is asked again, filled in from the answer."""

    places = forms.MultipleChoiceField(
        label="Must cite",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Each chosen document must be cited.",
    )
    words = forms.CharField(
        label="Must contain",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Words that the answer must contain, one phrase on a line: 45 mm. Whole words and numbers count;"
        " capitals do not.",
    )
    decision = forms.BooleanField(label="Must reach the same decision of the tree", required=False)

    class Meta:
        model = GoldenQuestion
        fields = ("question", "expectation")
        widgets = {"question": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, data: Any = None, *, query: Query) -> None:
        golden = GoldenQuestion.from_query(query)
        self._cited, self._reached = golden.must_cite, golden.must_reach
        chosen = [str(number) for number in range(len(self._cited))]
        super().__init__(data, instance=golden, initial={"places": chosen, "decision": bool(self._reached)})
        self.auto_id = f"keep-{query.pk}-%s"
        places = self.fields["places"]
        assert isinstance(places, forms.MultipleChoiceField)
        places.choices = [
            (str(number), f"{document}, page {page}" if page else document)
            for number, (document, page) in enumerate(self._cited)
        ]
        for name, is_needed in (("places", self._cited), ("decision", self._reached)):
            if not is_needed:
                del self.fields[name]

    def clean_words(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["words"].splitlines() if line.strip()]
        if len(lines) > MAX_LINES or any(len(line) > MAX_PHRASE_LENGTH for line in lines):
            raise forms.ValidationError(f"At most {MAX_LINES} phrases of {MAX_PHRASE_LENGTH} characters.")
        return lines

    def save(self, commit: bool = True) -> GoldenQuestion:
        values, golden = self.cleaned_data, self.instance
        answers = golden.expectation == GoldenQuestion.Expectation.ANSWER
        golden.must_cite = [self._cited[int(number)] for number in values.get("places", [])] if answers else []
        golden.must_contain = values["words"]
        golden.must_reach = self._reached if values.get("decision") and answers else ""
        return super().save(commit)


class FeedbackForm(forms.ModelForm):
    class Meta:
        model = Feedback
        fields = ("verdict", "note")
        field_classes = {"note": MultilineField}
        widgets = {"verdict": forms.HiddenInput, "note": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, data: Any = None, *, query: Query, instance: Feedback | None = None) -> None:
        super().__init__(data, instance=instance, initial={"verdict": Feedback.Verdict.DOWN})
        self.auto_id = f"remark-{query.pk}-%s"


def save_as_golden(request: HtmxRequest, plugin: Plugin, query: UUID) -> HttpResponse:
    """The form that makes a golden question of an answer, for those who may change the plugin. Raises Http404."""
    row = get_object_or_404(Query.objects.visible_to(request.user), plugin=plugin, pk=query)
    form = GoldenFromAnswerForm(request.POST if request.method == "POST" else None, query=row)
    if form.is_valid():
        form.save()
        return _confirm(request, plugin, row, "Saved. It is run with the other golden questions from now on.")
    return _render_fragment(request, plugin, "builder/sandbox/golden_form.html", {"form": form, "query": row})


def give_feedback(request: HtmxRequest, plugin: Plugin, query: UUID) -> HttpResponse:
    """A verdict with a note, from anybody who may read the answer. A person's latest one counts. Raises Http404."""
    row = get_object_or_404(Query.objects.visible_to(request.user), plugin=plugin, pk=query, erased_at=None)
    known = Feedback.objects.filter(query=row, user=request.user).first()
    feedback = known or Feedback(query=row, user=request.user)
    feedback.created_at = timezone.now()
    form = FeedbackForm(request.POST if request.method == "POST" else None, query=row, instance=feedback)
    if form.is_valid():
        with transaction.atomic():
            if Query.objects.lock_kept(row.pk) is None:
                raise Http404("The words of this answer are not kept any more.")
            form.save()
        is_wrong = form.instance.verdict == Feedback.Verdict.DOWN
        message = "Noted as wrong. It waits in the inbox with your note." if is_wrong else "Noted as right."
        return _confirm(request, plugin, row, message)
    return _render_fragment(request, plugin, "builder/sandbox/feedback_form.html", {"form": form, "query": row})


def _render_fragment(request: HtmxRequest, plugin: Plugin, fragment: str, context: dict[str, Any]) -> HttpResponse:
    """The fragment alone where htmx asks for it, else inside the plugin's page."""
    context = {**context, "plugin": plugin}
    if request.htmx:
        return render(request, fragment, context)
    return render_pane(
        request, plugin, "sandbox", "builder/sandbox/fragment_page.html", {**context, "fragment": fragment}
    )


def _confirm(request: HtmxRequest, plugin: Plugin, query: Query, message: str) -> HttpResponse:
    if request.htmx:
        return render(request, "builder/sandbox/confirmation.html", {"message": message})
    return HttpResponseRedirect(reverse("admin:builder_sandbox", args=[plugin.pk], query={"turns": str(query.pk)}))
