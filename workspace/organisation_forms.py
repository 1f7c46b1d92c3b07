"""The forms of organisations."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.second_step import second_steps_of
from lexic.column_length import column_length
from lexic.styled_form import StyledFormMixin
from organisations.models import Membership, Organisation, OrganisationRole
from workspace.forms import checked_name


class OrganisationForm(StyledFormMixin, forms.Form):
    name = forms.CharField(max_length=column_length(Organisation, "name"))
    requires_approval = forms.BooleanField(
        required=False,
        label="Releases need approval",
        help_text="A reviewer or owner who has not worked on a draft approves it before it is published.",
    )

    requires_second_step = forms.BooleanField(
        required=False,
        label="Members need a second step",
        help_text="Its plugins are closed to people who sign in without an authenticator app or a passkey.",
    )

    def __init__(self, data: Any = None, *, by: Membership | None = None) -> None:
        """Of a new organisation, only the name; of the one that `by` owns, all its settings."""
        super().__init__(data, initial=_initial(by.organisation) if by else None)
        self.by = by
        if by is None:
            del self.fields["requires_approval"], self.fields["requires_second_step"]

    def clean_requires_second_step(self) -> bool:
        """Nobody closes the organisation to themselves."""
        wanted: bool = self.cleaned_data["requires_second_step"]
        if wanted and self.by and not second_steps_of(self.by.user).exists():
            raise forms.ValidationError("Add a second step to your own account first.")
        return wanted

    def clean_name(self) -> str:
        return checked_name(self.cleaned_data["name"])


def _initial(organisation: Organisation) -> dict[str, Any]:
    return {name: getattr(organisation, name) for name in ("name", "requires_approval", "requires_second_step")}


class InviteMemberForm(StyledFormMixin, forms.Form):
    """Offers the roles that `by` may give."""

    email = forms.EmailField(max_length=254, label="Email address")
    role = forms.ChoiceField(initial=OrganisationRole.VIEWER)

    def __init__(self, data: Any = None, *, by: Membership) -> None:
        super().__init__(data, auto_id="invited_%s")
        self.fields["role"].choices = by.assignable_roles  # type: ignore[attr-defined]
