"""The forms of who works on a plugin, and who may use it."""

from __future__ import annotations

from django import forms

from lexic.http.origin_form_field import OriginsFormField
from lexic.styled_form import StyledFormMixin
from marketplace.sharing.shareability import sharing_blockers
from plugins.models import Plugin, Role


class InviteForm(StyledFormMixin, forms.Form):
    email = forms.CharField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "aria-describedby": "invite-what"}),
    )
    role = forms.ChoiceField(label="As", choices=[(Role.EDITOR, "editor"), (Role.VIEWER, "viewer")])


class AvailabilityForm(forms.ModelForm):
    """The two doors besides the API."""

    embed_origins = OriginsFormField()

    class Meta:
        model = Plugin
        fields = ("is_shared", "shares_golden", "public_chat", "embed_origins")
        labels = {"is_shared": "copies by others", "shares_golden": "golden questions in copies"}

    def clean_is_shared(self) -> bool:
        """What is shared already may go on: then its downloads say what is wrong."""
        is_shared: bool = self.cleaned_data["is_shared"]
        if is_shared and not self.instance.is_shared and (reasons := sharing_blockers(self.instance)):
            raise forms.ValidationError(reasons)
        return is_shared
