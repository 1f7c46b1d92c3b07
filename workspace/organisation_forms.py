"""The forms of organisations."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.second_step import second_factors_of
from lexic.column_length import column_length
from lexic.styled_form import StyledFormMixin
from organisations.models import IdentityProvider, Membership, Organisation, OrganisationRole
from organisations.roles import GIVEN_ROLE_CHOICES
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
        if wanted and self.by and not second_factors_of(self.by.user).exists():
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


class ProviderForm(StyledFormMixin, forms.Form):
    """The provider of an organisation. Its secret is not shown again; left empty, it stays."""

    server_url = forms.CharField(
        max_length=column_length(IdentityProvider, "server_url"),
        label="Address of the provider",
        help_text="Its issuer, such as https://login.example.org/realm.",
    )
    client_id = forms.CharField(max_length=column_length(IdentityProvider, "client_id"), label="Client id")
    secret = forms.CharField(
        max_length=500,
        label="Client secret",
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    default_role = forms.ChoiceField(
        required=False,
        label="Role of new people",
        choices=[("", "none: only those who are invited come in"), *GIVEN_ROLE_CHOICES],
        help_text="Of people who sign in through the provider for the first time.",
    )

    def __init__(self, data: Any = None, *, provider: IdentityProvider | None = None) -> None:
        names = ("server_url", "client_id", "default_role")
        initial = {name: getattr(provider, name) for name in names} if provider else None
        super().__init__(data, initial=initial)
        if provider:
            self.fields["secret"].help_text = "Empty: the one that is kept stays."
        else:
            self.fields["secret"].required = True


class SignInAddressForm(StyledFormMixin, forms.Form):
    email = forms.EmailField(max_length=254, label=gettext_lazy("Email address"))
