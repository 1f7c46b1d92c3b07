"""The forms of publishing, and of a release's notes."""

from __future__ import annotations

from django import forms

from builder.optimistic_lock_form import OptimisticLockForm
from lexic.multiline_field import MultilineField
from lexic.styled_form import StyledFormMixin
from marketplace.approval_models import MAX_COMMENT_CHARACTERS
from plugins.models import SEMVER, Release


class PublishForm(StyledFormMixin, forms.Form):
    notes = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What changed, for those who ask the plugin. Optional.",
    )
    version = forms.CharField(
        required=False,
        max_length=32,
        validators=[SEMVER],
        help_text="Raise the first number for breaking changes.",
    )


class NotesForm(StyledFormMixin, OptimisticLockForm):
    """The one thing of a release that may change: it decides no answer."""

    class Meta:
        model = Release
        fields = ("notes",)
        widgets = {"notes": forms.Textarea(attrs={"rows": 3})}


class ApprovalNoteForm(StyledFormMixin, forms.Form):
    """What whoever asks for an approval, or decides on it, says to the other."""

    text = MultilineField(
        required=False, max_length=MAX_COMMENT_CHARACTERS, label="Note", widget=forms.Textarea(attrs={"rows": 3})
    )
