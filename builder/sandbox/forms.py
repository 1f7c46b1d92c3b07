"""The form of the sandbox: a question, the release that is asked, and the known facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms

from knowledge.search.filters import Filters
from lexic.multiline_field import MultilineField
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.forms import MAX_QUESTION_CHARACTERS, QuestionForm
from querying.releases import DRAFT
from trees.facts.fact_limits import MAX_FACTS, MAX_VALUE_LENGTH

MAX_RELEASES = 20
# The most turns of a conversation. Earlier ones are dropped.
MAX_TURNS = 10


class AskForm(QuestionForm):
    """A question to the draft or to a release, or the answer to its clarification (`token` and `answer`)."""

    question = MultilineField(
        max_length=MAX_QUESTION_CHARACTERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 1}),
        error_messages={
            "max_length": "The question has %(show_value)d characters, and at most %(limit_value)d can be asked."
        },
    )
    version = forms.ChoiceField(label="Ask", help_text="The draft answers with its present content.")
    other = forms.ChoiceField(
        label="Compare with",
        required=False,
        help_text="Asks this one the same question and shows both answers side by side.",
    )
    facts = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Facts for the decision tree, one on a line: exposure = severe.",
    )
    as_of = forms.DateField(
        required=False,
        label="As of",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Only documents that were valid on this day.",
    )
    doc_types = forms.CharField(
        label="Document types", required=False, max_length=300, help_text="Only these, with commas between them."
    )
    tags_any = forms.CharField(label="Tags", required=False, max_length=300, help_text="Documents with any of them.")
    projects = forms.CharField(required=False, max_length=300, help_text="Only documents of these projects.")
    earlier = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any] | None = None, *, plugin: Plugin, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        released = plugin.releases.values_list("version", flat=True)[:MAX_RELEASES]
        versions = [(DRAFT, "the draft"), *((number, f"release {number}") for number in released)]
        for name, choices in (("version", versions), ("other", [("", "nothing"), *versions])):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
        for name, field in self.fields.items():
            if not field.widget.is_hidden:
                field.widget.attrs |= {"class": "input", "aria-describedby": f"id_{name}_help"}

    @property
    def optional_fields(self) -> list[forms.BoundField]:
        """The fields that most questions leave empty."""
        return [self[name] for name in ("other", "facts", "as_of", "doc_types", "tags_any", "projects")]

    def clean_facts(self) -> dict[str, str]:
        """The facts, by name. Raises a ValidationError that names the first line that is not a fact."""
        lines = [line.strip() for line in self.cleaned_data["facts"].splitlines() if line.strip()]
        if len(lines) > MAX_FACTS:
            raise forms.ValidationError(f"At most {MAX_FACTS} facts.")
        return dict(_parse_fact(line) for line in lines)

    def clean_earlier(self) -> list[UUID]:
        return parse_query_ids(self.cleaned_data["earlier"])

    @property
    def filters(self) -> Filters | None:
        """The filters on documents; None if there are none."""
        doc_types, tags_any, projects = (
            tuple(word.strip() for word in self.cleaned_data[name].split(",") if word.strip())
            for name in ("doc_types", "tags_any", "projects")
        )
        as_of = self.cleaned_data["as_of"]
        return Filters(doc_types=doc_types, tags_any=tags_any, projects=projects, as_of=as_of) or None

    @property
    def first_error(self) -> str:
        name, errors = next(iter(self.errors.items()))
        label = "" if name in ("question", "answer", "__all__") else f"{self[name].label}: "
        return f"{label}{errors[0]}"


def parse_query_ids(text: str) -> list[UUID]:
    """The ids of the conversation's queries, oldest first. Invalid ids are left out."""
    return list(dict.fromkeys(pk for part in text.split(",") if (pk := parse_id(part))))[-MAX_TURNS:]


def _parse_fact(line: str) -> tuple[str, str]:
    name, separator, value = (part.strip() for part in line.partition("="))
    if not (name and separator and value):
        raise forms.ValidationError(f"“{line[:60]}” is not a fact. Write it as: name = value.")
    if len(value) > MAX_VALUE_LENGTH:
        raise forms.ValidationError(f"The fact “{name[:60]}” has more than {MAX_VALUE_LENGTH} characters.")
    return name, value
