"""The forms of who works on a plugin, and who may use it."""

from __future__ import annotations

from typing import Any

from django import forms

from lexic.http.origin_form_field import OriginsFormField
from lexic.styled_form import StyledFormMixin
from marketplace.publishing.visibility import Audience, audience_of
from marketplace.sharing.shareability import sharing_blockers
from plugins.models import Plugin, Release, Role


class InviteForm(StyledFormMixin, forms.Form):
    email = forms.CharField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "aria-describedby": "invite-what"}),
    )
    role = forms.ChoiceField(label="As", choices=[(Role.EDITOR, "editor"), (Role.VIEWER, "viewer")])


class SharedCopiesForm(forms.ModelForm):
    """Whether others may install a copy."""

    class Meta:
        model = Plugin
        fields: tuple[str, ...] = ("is_shared",)
        labels = {"is_shared": "copies by others"}

    def clean_is_shared(self) -> bool:
        """What is shared already may go on: then its downloads say what is wrong."""
        is_shared: bool = self.cleaned_data["is_shared"]
        if is_shared and not self.instance.is_shared and (reasons := sharing_blockers(self.instance)):
            raise forms.ValidationError(reasons)
        return is_shared


class AvailabilityForm(SharedCopiesForm):
    """The two doors besides the API."""

    embed_origins = OriginsFormField()

    class Meta(SharedCopiesForm.Meta):
        fields = ("is_shared", "shares_golden", "public_chat", "embed_origins")
        labels = {"is_shared": "copies by others", "shares_golden": "golden questions in copies"}


class AudienceForm(SharedCopiesForm):
    """Who can see the plugin: one choice, and whether they may also take a copy. Before its first release, and while it
    is withdrawn, the choice is for when it is published. `publishing` is the release that is made by the same form."""

    audience = forms.ChoiceField(choices=Audience.choices, widget=forms.RadioSelect)

    def __init__(self, *args: Any, publishing: Release | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._publishing = publishing
        plugin = self.instance
        if plugin.is_published:
            self.fields["audience"].initial = audience_of(plugin)
        else:
            self.fields["audience"].choices = Audience.choices[1:]  # type: ignore[attr-defined]
            self.fields["audience"].initial = Audience.VISITORS if plugin.public_chat else Audience.KEY

    def clean_audience(self) -> str:
        audience: str = self.cleaned_data["audience"]
        if self._publishing and audience == Audience.PEOPLE:
            raise forms.ValidationError(
                "A release is for others too. Choose who can see it to publish one, or press “Save who can see it” to"
                " withdraw the plugin."
            )
        return audience

    def clean_is_shared(self) -> bool:
        """Judged together with the audience."""
        is_shared: bool = self.cleaned_data["is_shared"]
        return is_shared

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        audience = data.get("audience")
        if audience in (None, Audience.PEOPLE):
            return data
        # Where anyone may chat, only what is public is shown, and no copy may hold more.
        self.instance.public_chat = audience == Audience.VISITORS
        if data.get("is_shared") and not self.instance.is_shared:
            for reason in sharing_blockers(self.instance, of=self._publishing):
                self.add_error("is_shared", reason)
        return data
