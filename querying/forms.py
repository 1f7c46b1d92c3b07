from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from plugins.models import Plugin
from querying.releases import DRAFT

MOST_RELEASES = 20
MOST_FACTS = 50
LONGEST_FACT = 500


class AskForm(forms.Form):
    """A question by hand, to the draft or to a release of one plugin."""

    question = forms.CharField(max_length=4000, widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}))
    version = forms.ChoiceField(help_text="The draft answers with everything as it stands now.")
    facts = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What is known already, one fact on a line: exposure = severe. May be empty.",
    )
    as_of = forms.DateField(
        required=False,
        label="As of",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Answer with the documents that were valid on this day. Empty: with all of them.",
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, plugin: Plugin) -> None:
        super().__init__(_with_answer(data) if data is not None else None)
        released = plugin.releases.values_list("version", flat=True)[:MOST_RELEASES]
        version = self.fields["version"]
        assert isinstance(version, forms.ChoiceField)
        version.choices = [(DRAFT, "the draft"), *((number, f"release {number}") for number in released)]

    def clean_facts(self) -> dict[str, str]:
        """Names and values. Raises a ValidationError that names the line that is no fact."""
        lines = [line.strip() for line in self.cleaned_data["facts"].splitlines() if line.strip()]
        if len(lines) > MOST_FACTS:
            raise forms.ValidationError(f"At most {MOST_FACTS} facts.")
        return dict(_fact(line) for line in lines)


def _with_answer(data: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a clarification becomes one more fact, where the person can see and correct it."""
    said = {name: data.get(name, "") for name in ("question", "version", "facts", "as_of")}
    if field := data.get("asked_field"):
        answer = " ".join(str(data.get("answer", "")).split())
        known = [line for line in said["facts"].splitlines() if line.strip()]
        said["facts"] = "\n".join([*known, f"{field} = {answer}"])
    return said


def _fact(line: str) -> tuple[str, str]:
    name, separator, value = (part.strip() for part in line.partition("="))
    if not (name and separator and value):
        raise forms.ValidationError(f"“{line[:60]}” is not a fact. Write it as: name = value.")
    if len(value) > LONGEST_FACT:
        raise forms.ValidationError(f"The fact “{name[:60]}” has more than {LONGEST_FACT} characters.")
    return name, value
