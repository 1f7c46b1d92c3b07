"""The forms of who works on a plugin, and who may use it."""

from __future__ import annotations

from typing import Any

from django import forms

from builder.optimistic_lock_form import OptimisticLockForm
from lexic.http.origin_form_field import OriginsFormField
from lexic.styled_form import StyledFormMixin
from marketplace.publishing.audience_change import AudienceChange, audience_mark
from marketplace.publishing.audience_choices import Audience
from marketplace.sharing.shareability import sharing_blockers
from plugins.models import Plugin, Release, Role
from plugins.visibility import WITH_PAGE, ChatWithoutPage


class InviteForm(StyledFormMixin, forms.Form):
    email = forms.CharField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "aria-describedby": "invite-what"}),
    )
    role = forms.ChoiceField(label="As", choices=[(Role.EDITOR, "editor"), (Role.VIEWER, "viewer")])


class SharedCopiesForm(OptimisticLockForm):
    """Whether others may install a copy, and chat."""

    class Meta:
        model = Plugin
        fields: tuple[str, ...] = ("is_shared", "public_chat")
        labels = {"is_shared": "copies by others"}

    # The release that is made by the same form, if one is.
    publishing: Release | None = None

    def clean(self) -> dict[str, Any]:
        """What is shared already may go on: then its downloads say what is wrong."""
        data = super().clean()
        if data.get("is_shared") and not self.instance.is_shared and self._has_page(data):
            # Where anyone may chat, only what is public is shown, and no copy may hold more.
            self.instance.public_chat = bool(data.get("public_chat"))
            for reason in sharing_blockers(self.instance, of=self.publishing):
                self.add_error("is_shared", reason)
        return data

    def _has_page(self, data: dict[str, Any]) -> bool:
        """Whether others can open its page by what was typed, and so have a copy."""
        return True


class AvailabilityForm(SharedCopiesForm):
    """The two ways to a plugin besides the API."""

    embed_origins = OriginsFormField()

    class Meta(SharedCopiesForm.Meta):
        fields = ("is_shared", "shares_golden", "public_chat", "embed_origins")
        labels = {"is_shared": "copies by others", "shares_golden": "golden questions in copies"}

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        opens = data.get("public_chat") and "public_chat" in self.changed_data
        if opens and self.instance.visibility not in WITH_PAGE:
            self.add_error("public_chat", ChatWithoutPage().message_with_hint)
        return data


class AudienceForm(SharedCopiesForm):
    """Who can see the plugin: one choice, and whether they may also chat, or take a copy. Before its first release, and
    while it is withdrawn, the choice is for when it is published. `publishing` is the release that is made by the same
    form."""

    audience = forms.ChoiceField(label="who can see it", choices=Audience.choices, widget=forms.RadioSelect)

    def __init__(self, *args: Any, publishing: Release | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.publishing = publishing
        if not self.instance.is_published:
            self.fields["audience"].choices = Audience.choices[1:]  # type: ignore[attr-defined]
        self._seen = audience_mark(self.instance)  # before the form changes its instance

    def stored_initial(self, stored: Plugin) -> dict[str, Any]:
        return {**super().stored_initial(stored), "audience": stored.visibility}

    def clean_audience(self) -> str:
        audience: str = self.cleaned_data["audience"]
        if self.publishing and audience == Audience.PRIVATE:
            raise forms.ValidationError(
                "A release is for others too. Choose who can see it to publish one, or press “Save who can see it” to"
                " withdraw the plugin."
            )
        return audience

    def clean(self) -> dict[str, Any]:
        """Without a page there is no public chat, and the options of the chat are reset."""
        data = super().clean()
        data["public_chat"] = bool(data.get("public_chat")) and self._has_page(data)
        return data

    def change(self) -> AudienceChange:
        """What a valid form says, whose choice is not private."""
        data = self.cleaned_data
        return AudienceChange(
            visibility=data["audience"], public_chat=data["public_chat"], is_shared=data["is_shared"], seen=self._seen
        )

    def _has_page(self, data: dict[str, Any]) -> bool:
        return data.get("audience") in WITH_PAGE
