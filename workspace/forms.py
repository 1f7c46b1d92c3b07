"""The forms of projects, their members, and conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import QueryDict

from accounts.models import User
from agents.messages.send_message import (
    MAX_ATTACHED_CHARACTERS,
    MAX_ATTACHMENTS,
    MAX_MESSAGE_CHARACTERS,
    MODEL_NAMES,
    SentText,
)
from contracts.models import ContractReview
from contracts.playbook.playbook_sources import playbook_documents_for, shipped_keys, shipped_playbook
from conversations.models import ChatSession, Project
from conversations.projects.models import MAX_DESCRIPTION_CHARACTERS
from knowledge.documents.forms import TextForm
from knowledge.models import Document, DocumentQuerySet
from lexic.column_length import column_length
from lexic.errors import LexicError
from lexic.multiline_field import MultilineField
from lexic.name_field import NameField
from lexic.styled_form import StyledFormMixin
from plugins.models import Plugin, Role
from plugins.slugs import MAX_REFERENCE_LENGTH, parse_id
from querying.forms import QuestionForm, question_field
from querying.releases import find_plugin

_MAX_FIRST_WORDS = 60
_MAX_PLAYBOOKS, _MAX_PLUGINS, _MAX_VERSIONS = 100, 100, 200
ROLES = ((Role.VIEWER.value, "Viewer"), (Role.EDITOR.value, "Editor"))


def plugin_choices(user: User, *, including: str = "") -> list[tuple[str, str]]:
    """The slug and the name of each plugin that the person may ask, by name; of very many those that were changed last,
    and the one of this slug. Those of one name, such as a plugin and its copy, are told apart by their slugs."""
    askable = Plugin.objects.askable_by_name(user)
    newest = Plugin.objects.discoverable_by(user).order_by("-updated_at").values("pk")[:_MAX_PLUGINS]
    shown = askable.filter(Q(pk__in=newest) | Q(slug=including)).distinct()
    choices = list(shown.order_by("name").values_list("slug", "name"))
    times = Counter(name for _, name in choices)
    return [(slug, f"{name} ({slug})" if times[name] > 1 else name) for slug, name in choices]


class ProjectForm(StyledFormMixin, forms.Form):
    """Name, description, and for its owner the plugin. Of a project that there is, `project`."""

    name = forms.CharField(max_length=column_length(Project, "name"))
    description = MultilineField(
        max_length=MAX_DESCRIPTION_CHARACTERS, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    plugin = forms.CharField(
        max_length=MAX_REFERENCE_LENGTH,
        required=False,
        widget=forms.Select,
        help_text="Conversations in this project ask this plugin as well as the project's documents, and follow its"
        " rules. Without one, each asks the plugin of this site, or the one that is chosen in it.",
    )

    def __init__(self, data: Any = None, *, user: User, project: Project | None = None) -> None:
        super().__init__(data, initial=_initial(project) if project else None)
        self.user = user
        if project and project.role != "owner":
            del self.fields["plugin"]
        else:
            chosen = (project.plugin_slug if project else "") or ""
            choices = [("", "none of its own"), *plugin_choices(user, including=chosen)]
            self.fields["plugin"].widget.choices = choices

    def clean_plugin(self) -> Plugin | None:
        if not (name := self.cleaned_data["plugin"]):
            return None
        try:
            return find_plugin(name, principal=self.user)
        except LexicError as error:
            raise forms.ValidationError(error.message_with_hint) from None

    def clean_name(self) -> str:
        return checked_name(self.cleaned_data["name"])


def _initial(project: Project) -> dict[str, str]:
    return {"name": project.name, "description": project.description, "plugin": project.plugin_slug or ""}


class MemberForm(StyledFormMixin, forms.Form):
    email = forms.EmailField(max_length=254, label="Email address")
    role = forms.ChoiceField(choices=ROLES)

    def __init__(self, data: Any = None, *, owner: User) -> None:
        super().__init__(data, auto_id="member_%s")
        self.owner = owner

    def clean_email(self) -> str:
        address: str = self.cleaned_data["email"].lower()
        if address == self.owner.email.lower():
            raise forms.ValidationError("The project is yours already.")
        return address


class ContractReviewForm(StyledFormMixin, forms.Form):
    """Against what a contract is read. An empty playbook means the one that fits this kind of contract. `earlier` are
    the documents that it can be compared with; then one of them is to be chosen."""

    compare_with = forms.ChoiceField(
        label="Earlier version",
        help_text="What changed since then is reviewed, and both versions are quoted.",
    )

    playbook = forms.ChoiceField(required=False, help_text="One of your own is a document of the type “playbook”.")
    side = forms.CharField(
        max_length=column_length(ContractReview, "side"),
        required=False,
        help_text="Which party you are, in the playbook's words. Leave empty for the playbook's default.",
    )

    def __init__(
        self, data: Any = None, *, user: User, document: Document, earlier: DocumentQuerySet | None = None
    ) -> None:
        super().__init__(data)
        if earlier is None:
            del self.fields["compare_with"]
        else:
            versions = earlier.order_by("-created_at").values_list("pk", "title")[:_MAX_VERSIONS]
            choices = [("", "Choose a document"), *((str(pk), title) for pk, title in versions)]
            self.fields["compare_with"].choices = choices  # type: ignore[attr-defined]
        fit = playbook_documents_for(document, person=user).order_by("title")[:_MAX_PLAYBOOKS]
        shipped = [(key, shipped_playbook(key).playbook.name) for key in shipped_keys()]
        own = [(str(one.pk), one.title) for one in fit]
        choices = [("", "the one that fits"), *own, *shipped]
        self.fields["playbook"].choices = choices  # type: ignore[attr-defined]


class DraftForm(TextForm):
    """A draft, which may be changed, and where it goes: to the person's own documents, or to those of `project`."""

    PERSONAL, PROJECT = "personal", "project"

    place = forms.ChoiceField(label="Save in", choices=[(PERSONAL, "My documents")])
    field_order = ("title", "place", "text")

    def __init__(self, data: Any = None, *, project: Project | None, initial: Mapping[str, str]) -> None:
        super().__init__(data, initial=dict(initial), auto_id="draft_%s")
        if project:
            choices = [(self.PROJECT, project.name), (self.PERSONAL, "My documents")]
            self.fields["place"].choices = choices  # type: ignore[attr-defined]
        self.fields["text"].widget.attrs["rows"] = 24


class MessageForm(QuestionForm):
    """What the form of a conversation sends: in which one, or in which project one begins. `plugin` is named where
    neither the project nor the site names one. `documents` and a pasted `text` come along."""

    question = question_field(MAX_MESSAGE_CHARACTERS)
    session = forms.UUIDField(required=False)
    project = forms.UUIDField(required=False)
    plugin = forms.CharField(max_length=MAX_REFERENCE_LENGTH, required=False)
    model = forms.ChoiceField(choices=[(name, name) for name in MODEL_NAMES], required=False)
    thinks = forms.BooleanField(required=False)
    text_name = forms.CharField(max_length=200, required=False)
    text = forms.CharField(max_length=MAX_ATTACHED_CHARACTERS, required=False)

    @property
    def documents(self) -> tuple[UUID, ...]:
        """The ids of the documents that come along; what is no id is none."""
        named = self.data.getlist("documents") if isinstance(self.data, QueryDict) else []
        return tuple(dict.fromkeys(pk for pk in map(parse_id, named) if pk))

    @property
    def texts(self) -> tuple[SentText, ...]:
        if not (text := self.cleaned_data["text"]):
            return ()
        return (SentText(name=self.cleaned_data["text_name"] or _first_words(text), text=text),)

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if len(self.documents) + bool(values.get("text")) > MAX_ATTACHMENTS:
            self.add_error(None, f"At most {MAX_ATTACHMENTS} documents come along with a message.")
        return values

    @property
    def message(self) -> str:
        """What is said; of a reply the answer."""
        said: str = self.cleaned_data["question"]
        return said

    def clean_question(self) -> str:
        """The conversation knows what it has asked: a reply is a message like others, and needs no token."""
        said: str = self.cleaned_data.get("answer") or self.cleaned_data["question"]
        return said


class TitleForm(StyledFormMixin, forms.Form):
    title = forms.CharField(max_length=column_length(ChatSession, "title"))

    def clean_title(self) -> str:
        return checked_name(self.cleaned_data["title"])


def _first_words(text: str) -> str:
    """What a text without a name is called: its first line, or as many whole words of that as fit."""
    line = " ".join(text.strip().partition("\n")[0].split())
    whole, _, _ = f"{line} "[: _MAX_FIRST_WORDS + 1].rpartition(" ")
    return whole or line[:_MAX_FIRST_WORDS]


def checked_name(text: str) -> str:
    """The name on one line. Raises `ValidationError` where nothing is left of it."""
    name: str = " ".join(NameField().to_python(text).split())
    if not name:
        raise forms.ValidationError("This field is required.")
    return name
