"""The form of a golden question."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from builder.optimistic_lock_form import OptimisticLockForm
from evaluation.golden import expectation_text
from evaluation.golden.golden_file import document_page_counts
from evaluation.golden.tree_ends import tree_ends
from evaluation.models import GoldenQuestion
from plugins.models import Plugin

_TEXTAREA_ATTRS = {"rows": 3}
# So many ends of trees can be chosen.
_MAX_ENDS = 500
# The columns of the fields that are written one on a line.
_COLUMNS = {"facts_in_lines": "facts", "places": "must_cite", "phrases": "must_contain"}


class GoldenQuestionForm(OptimisticLockForm):
    """A golden question of one plugin. Facts, places and phrases are written one on a line."""

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
        help_text="Words that the answer must contain, such as “45 mm”. One phrase on a line. Whole words and numbers"
        " count; capitals do not.",
    )

    field_order = ("question", "expectation", "places", "phrases", "must_reach", "facts_in_lines", "is_public")

    class Meta:
        model = GoldenQuestion
        fields: ClassVar[tuple[str, ...]] = ("question", "expectation", "must_reach", "is_public")
        labels: ClassVar[dict[str, str]] = {"must_reach": "tree end"}
        widgets: ClassVar[dict[str, Any]] = {"question": forms.Textarea(attrs=_TEXTAREA_ATTRS)}
        help_texts: ClassVar[dict[str, str]] = {
            "question": "In the words of those who ask.",
            "expectation": "Add some questions that the documents do not answer too: they show that it refuses them.",
            "must_reach": "The end of a decision tree that its answers must lead to.",
        }

    def __init__(self, data: Any = None, *, plugin: Plugin, instance: GoldenQuestion | None = None) -> None:
        self._plugin = plugin
        super().__init__(data, instance=instance or GoldenQuestion(plugin=plugin))
        self.fields["must_reach"].widget = forms.Select(choices=_end_choices(plugin, self.instance.must_reach))
        if not self.is_bound:
            self.fields["question"].widget.attrs["autofocus"] = True
        for shown in self.visible_fields():
            attrs = {} if shown.name == "is_public" else {"class": "input"}
            attrs |= {"aria-describedby": f"id_{shown.name}_helptext"}
            shown.field.widget.attrs |= attrs | ({"aria-invalid": "true"} if shown.name in self.errors else {})

    def stored_initial(self, stored: GoldenQuestion) -> dict[str, Any]:
        return {
            **super().stored_initial(stored),
            "facts_in_lines": expectation_text.format_facts(stored.facts),
            "places": expectation_text.format_places(stored.must_cite),
            "phrases": "\n".join(stored.must_contain),
        }

    def clean_facts_in_lines(self) -> dict[str, Any]:
        return expectation_text.parse_facts(self.cleaned_data["facts_in_lines"])

    def clean_places(self) -> list[expectation_text.CitedPlace]:
        return expectation_text.parse_places(self.cleaned_data["places"])

    def clean_phrases(self) -> list[str]:
        return expectation_text.parse_phrases(self.cleaned_data["phrases"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        places = data.get("places") or []
        if places and (wrong := expectation_text.place_errors(places, titles=document_page_counts(self._plugin))):
            self.add_error("places", ValidationError(wrong))
        if data.get("expectation") == GoldenQuestion.Expectation.REFUSE and (places or data.get("phrases")):
            self.add_error("expectation", expectation_text.REFUSAL_CONFLICT)
        return data

    def save(self, commit: bool = True) -> GoldenQuestion:
        """Of a question that there is already, only what the person has changed is written."""
        data, golden = self.cleaned_data, self.instance
        golden.facts, golden.must_cite = data["facts_in_lines"], data["places"]
        golden.must_contain = data["phrases"]
        self.discards_result = golden.discard_result(self.changed_data)
        if golden._state.adding:
            return super().save(commit=commit)
        columns = [_COLUMNS.get(name, name) for name in self.changed_data]
        golden.save(update_fields=[*columns, *(["last_passed", "last_failures"] if self.discards_result else [])])
        return golden


def _end_choices(plugin: Plugin, current: str) -> list[tuple[str, Any]]:
    """No end, the ends of each tree under its name, and what the question says now where it is none of them."""
    by_tree: dict[str, list[tuple[str, str]]] = {}
    for end in tree_ends(plugin)[:_MAX_ENDS]:
        by_tree.setdefault(end.tree, []).append((end.node_id, end.label))
    known = {pk for ends in by_tree.values() for pk, _ in ends}
    other = [(current, f"{current} (no end of a tree in use)")] if current and current not in known else []
    return [("", "none"), *other, *by_tree.items()]
