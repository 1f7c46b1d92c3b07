"""The forms in which an expert writes who answers, and how."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.text import slugify

from accounts.models import User
from accounts.quotas import QuotaExceeded
from builder.optimistic_lock_form import OptimisticLockForm
from lexic.admin_theme import RadioSelect, TextareaWidget
from lexic.comma_list_field import CommaListField
from marketplace.plugin_templates.templates import PluginTemplate, plugin_templates
from plugins.models import CitationMode, GoldenGate, Plugin
from plugins.synonyms import format_synonyms, parse_synonyms

CITATION_CHOICES = {
    CitationMode.MANDATORY: (
        "Mandatory",
        "A sentence without a verified source is not sent; no source, no answer.",
    ),
    CitationMode.OPTIONAL: ("Optional", "Sentences that nothing proves are sent, and lower the confidence."),
    CitationMode.OFF: ("Off", "Nothing is checked. For plugins that explain more than they prove."),
}
GOLDEN_GATE_CHOICES = {
    GoldenGate.OFF: ("Off", "Publish, whatever the golden questions say."),
    GoldenGate.WARN: ("Warn", "Say which golden questions fail, and publish."),
    GoldenGate.BLOCK: ("Block", "Publish only when the share below passes."),
}


class SynonymsField(forms.JSONField):
    """Groups of phrases that mean the same, one group on a line: `w/c = water-cement ratio`."""

    widget = TextareaWidget

    def to_python(self, value: Any) -> Any:
        return parse_synonyms(value) if isinstance(value, str) else value or []

    def bound_data(self, data: Any, initial: Any) -> Any:
        return data  # as it was typed, so that nothing is lost when it is shown again

    def prepare_value(self, value: Any) -> str:
        return value if isinstance(value, str) else format_synonyms(value or [])

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.prepare_value(initial or []) != (data or "")


class PluginForm(OptimisticLockForm):
    """The composer."""

    synonyms = SynonymsField(
        required=False,
        widget=TextareaWidget(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="Words and abbreviations that mean the same here, one group on a line: "
        "“w/c = water-cement ratio”. A question may use any of them.",
    )

    class Meta:
        model = Plugin
        fields = ("name",)  # the admin names them all
        labels = {
            "system_prompt": "Who answers",
            "citation_mode": "Citations",
            "golden_gate": "Golden gate",
        }
        help_texts = {
            "name": "What it knows, such as “Concrete cover in buildings”.",
            "slug": "What agents call it. Made from the name when left empty; fixed by the first release.",
            "domain": "Such as “structural engineering”.",
            "tagline": "One line for its card in the marketplace. Optional.",
            "description": "What it knows, for whom, and where its knowledge ends.",
            "tags": "Words to find it by, with commas between them.",
            "system_prompt": "As you would brief a new colleague. Rules about citing are added for you.",
            "audience": "Who asks, and what they know already.",
            "tone": "Such as “brief; the value first, then why”.",
            "limits": "What it must never do or decide, one on a line.",
            "disclaimer": "Added under every answer.",
            "chunk_strategy": "How pages are cut into passages (chunks), the pieces that are searched.",
            "chunk_size": "The longest chunk, in characters; not used when tokens are counted. Existing "
            "documents are split again when they are next read.",
            "golden_share": "The share of golden questions that must pass, from 0 to 1, where the gate blocks.",
        }
        widgets = {
            "system_prompt": TextareaWidget(attrs={"rows": 12}),
            "audience": TextareaWidget(attrs={"rows": 2}),
            "tone": TextareaWidget(attrs={"rows": 2}),
            "limits": TextareaWidget(attrs={"rows": 6}),
            "description": TextareaWidget(attrs={"rows": 4}),
            "disclaimer": TextareaWidget(attrs={"rows": 2}),
            "tags": TextareaWidget(attrs={"rows": 1}),
        }
        field_classes = {"tags": CommaListField}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._use_radio_choices("citation_mode", CITATION_CHOICES)
        self._use_radio_choices("golden_gate", GOLDEN_GATE_CHOICES)

    @cached_property
    def changed_data(self) -> list[str]:
        """The fields that somebody touched: a browser writes the ends of lines its own way."""
        return [name for name in super().changed_data if not self._differs_in_line_ends_only(name)]

    def _differs_in_line_ends_only(self, name: str) -> bool:
        stored, said = self.get_initial_for_field(self.fields[name], name), self[name].data
        texts = isinstance(stored, str) and isinstance(said, str)
        return texts and stored.splitlines() == said.splitlines()

    def _use_radio_choices(self, name: str, words: Any) -> None:
        if field := self.fields.get(name):
            choices = [
                (value, format_html("<b>{}.</b> {}", name, sentence)) for value, (name, sentence) in words.items()
            ]
            self.fields[name] = forms.ChoiceField(
                label=field.label, choices=choices, widget=RadioSelect, help_text="", initial=field.initial
            )

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        # Browsers end lines with a carriage return as well, templates and the API do not.
        said |= {name: value.replace("\r\n", "\n") for name, value in said.items() if isinstance(value, str)}
        return said


class NewPluginForm(forms.ModelForm):
    """Name and field come first; the rest is composed from them and then edited. The admin sets its `owner`."""

    owner: User
    template = forms.ChoiceField(
        required=False,
        label="Begin with",
        widget=RadioSelect,
    )

    class Meta:
        model = Plugin
        fields = ("name", "domain", "tagline", "slug")
        help_texts = PluginForm.Meta.help_texts

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].widget.attrs["autofocus"] = True
        template = self.fields["template"]
        assert isinstance(template, forms.ChoiceField)
        described = [(one.name, one.title, f"{one.summary} {_what_it_adds(one)}") for one in plugin_templates()]
        template.choices = [
            (name, format_html("<b>{}.</b> {}", title, summary))
            for name, title, summary in [("", "No template", "Only a first draft of the persona."), *described]
        ]

    def clean_slug(self) -> str:
        """A slug that the page made of the name is no choice of anybody's: where it is taken, a number is added."""
        slug: str = self.cleaned_data["slug"]
        is_of_name = slug == slugify(self.cleaned_data.get("name", ""))
        return "" if is_of_name and Plugin.objects.filter(slug=slug).exists() else slug

    def clean(self) -> dict[str, Any] | None:
        try:
            Plugin.check_quota(self.owner)
        except QuotaExceeded as error:
            raise ValidationError(error.message_with_hint) from error
        return super().clean()


def _what_it_adds(template: PluginTemplate) -> str:
    tree = " and a sample tree, switched off" if template.tree is not None else ""
    return f"Adds {len(template.refused)} golden questions to refuse{tree}."
