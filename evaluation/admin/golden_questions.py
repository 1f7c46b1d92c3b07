"""Golden questions in the builder: what users will ask, what must come out, and whether it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.models import User
from evaluation import tasks
from evaluation.golden import line_format
from evaluation.golden.golden_runs import MAX_INLINE_QUESTIONS, run_golden
from evaluation.golden.jsonl import document_page_counts
from lexic.errors import LexicError
from plugins.models import Plugin
from plugins.scoped_admin import ScopedAdmin
from querying import releases
from querying.answering.llms import get_llm
from querying.models import GoldenQuestion

# So many plugins can be run with one click.
MAX_PLUGINS_PER_RUN = 5
_TEXTAREA_ATTRS = {"rows": 3, "class": "vLargeTextField"}


class GoldenQuestionForm(forms.ModelForm):
    facts_in_lines = forms.CharField(
        label="facts",
        required=False,
        widget=forms.Textarea(attrs=_TEXTAREA_ATTRS),
        help_text="What the caller says beside the question, for the decision tree. One on a line: "
        "“exposure = severe”.",
    )
    places = forms.CharField(
        label="must cite",
        required=False,
        widget=forms.Textarea(attrs=_TEXTAREA_ATTRS),
        help_text="One document on a line, as it is called, and where it matters the page: “Cover handbook, p. 3”. "
        "All of them have to be cited.",
    )
    phrases = forms.CharField(
        label="must contain",
        required=False,
        widget=forms.Textarea(attrs=_TEXTAREA_ATTRS),
        help_text="Words that the answer has to have, such as “45 mm”. One phrase on a line, in any case.",
    )

    class Meta:
        model = GoldenQuestion
        fields: ClassVar[tuple[str, ...]] = ("plugin", "question", "expectation", "must_reach", "is_public")
        labels: ClassVar[dict[str, str]] = {"expectation": "it", "must_reach": "must reach"}
        widgets: ClassVar[dict[str, Any]] = {"question": forms.Textarea(attrs=_TEXTAREA_ATTRS)}
        help_texts: ClassVar[dict[str, str]] = {
            "question": "In the words of those who ask.",
            "expectation": "Include questions that the documents do not answer: only with some of those can be told "
            "how much evidence an answer needs, and how sure one is.",
            "must_reach": "The id of a node of the decision tree. May be empty.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        golden = self.instance
        self.fields["facts_in_lines"].initial = line_format.format_facts(golden.facts)
        self.fields["places"].initial = line_format.format_places(golden.must_cite)
        self.fields["phrases"].initial = "\n".join(golden.must_contain)

    def clean_facts_in_lines(self) -> dict[str, Any]:
        return line_format.parse_facts(self.cleaned_data["facts_in_lines"])

    def clean_places(self) -> list[line_format.CitedPlace]:
        return line_format.parse_places(self.cleaned_data["places"])

    def clean_phrases(self) -> list[str]:
        return line_format.parse_phrases(self.cleaned_data["phrases"])

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        plugin, places = self.plugin_of(said), said.get("places") or []
        if plugin and places and (wrong := line_format.place_errors(places, titles=document_page_counts(plugin))):
            self.add_error("places", ValidationError(wrong))
        if said.get("expectation") == GoldenQuestion.Expectation.REFUSE and (places or said.get("phrases")):
            self.add_error("expectation", line_format.REFUSAL_CONFLICT)
        return said

    def plugin_of(self, said: dict[str, Any]) -> Plugin | None:
        """Whose documents may be named; None where that is not known yet."""
        return said.get("plugin")

    def save(self, commit: bool = True) -> GoldenQuestion:
        said, golden = self.cleaned_data, self.instance
        golden.facts, golden.must_cite = said["facts_in_lines"], said["places"]
        golden.must_contain = said["phrases"]
        if GoldenQuestion.changes_question(self.changed_data):
            golden.last_passed, golden.last_failures = None, []
        return super().save(commit=commit)


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(ScopedAdmin):
    form = GoldenQuestionForm
    actions = ("run_now",)
    list_display = ("question_start", "plugin", "expectation", "last_result")
    list_filter = ("last_passed", "expectation", ("plugin", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("plugin",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("question",)
    readonly_fields = ("last_result", "why_it_failed")
    fieldsets = (
        (None, {"fields": ("plugin", "question", "facts_in_lines")}),
        ("What must come out", {"fields": ("expectation", "places", "phrases", "must_reach")}),
        ("On the plugin’s page", {"fields": ("is_public",)}),
    )
    outcome = ("When it was last run", {"fields": ("last_result", "why_it_failed")})

    def get_fieldsets(self, request: HttpRequest, obj: GoldenQuestion | None = None) -> Any:
        return (*self.fieldsets, self.outcome) if obj else self.fieldsets

    def visible(self, request: HttpRequest) -> models.QuerySet[GoldenQuestion]:
        return GoldenQuestion.objects.visible_to(_golden_author(request))

    def changeable(self, request: HttpRequest) -> models.QuerySet[GoldenQuestion]:
        return GoldenQuestion.objects.filter(plugin__in=Plugin.objects.editable_by(_golden_author(request)))

    def choices_for(self, field_name: str, request: HttpRequest) -> models.QuerySet[Any] | None:
        return Plugin.objects.editable_by(_golden_author(request)) if field_name == "plugin" else None

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        # Whoever has one plugin means that one.
        plugins = Plugin.objects.editable_by(_golden_author(request))[:2]
        only = {"plugin": plugins[0].pk} if len(plugins) == 1 else {}
        return {**only, **super().get_changeform_initial_data(request)}

    @admin.display(description="question", ordering="question")
    def question_start(self, golden: GoldenQuestion) -> str:
        return golden.question[:80]

    @admin.display(description="last result", ordering="last_passed")
    def last_result(self, golden: GoldenQuestion) -> str:
        return {True: "passed", False: "failed"}.get(golden.last_passed, "not run as it stands")  # type: ignore[arg-type]

    @admin.display(description="why")
    def why_it_failed(self, golden: GoldenQuestion) -> SafeString | str:
        return format_html_join("", "<div>{}</div>", ((one,) for one in golden.last_failures)) or "nothing is wrong"

    # --- Running them ------------------------------------------------------------------------------------

    @admin.action(description="Run all golden questions of their plugins")
    def run_now(self, request: HttpRequest, queryset: models.QuerySet[GoldenQuestion]) -> None:
        plugins = Plugin.objects.filter(pk__in=queryset.order_by().values("plugin")).order_by("name")
        for plugin in plugins[:MAX_PLUGINS_PER_RUN]:
            words, level = self._run(plugin)
            self.message_user(request, f"{plugin}: {words}", level)
        if plugins.count() > MAX_PLUGINS_PER_RUN:
            self.message_user(request, f"Only {MAX_PLUGINS_PER_RUN} plugins are run at once.", messages.WARNING)

    def _run(self, plugin: Plugin) -> tuple[str, int]:
        """What happened, for people. Few questions are asked at once, many by a worker."""
        if plugin.golden_questions.count() > MAX_INLINE_QUESTIONS or not get_llm().is_offline:
            if tasks.enqueue_golden(plugin.pk):
                return "a worker runs them. Look among the evaluation runs in a few minutes.", messages.INFO
            return "they need a worker, and the queue cannot be reached. Try again later.", messages.ERROR
        try:
            _, row = run_golden(releases.snapshot(plugin))
        except LexicError as error:
            return f"{error.message} {error.hint}".strip(), messages.ERROR
        passed = _count_passed(row.questions)
        return f"{passed} of {len(row.questions)} passed.", messages.SUCCESS


def _count_passed(questions: Iterable[dict[str, Any]]) -> int:
    return sum(bool(one["passed"]) for one in questions)


def _golden_author(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
