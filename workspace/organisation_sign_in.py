"""`/organisations/…/sign-in`: the domains of an organisation, its provider, and the directory that fills it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.signed_in_request import SignedInRequest
from lexic.errors import LexicError, NotAllowed
from marketplace.publishing.provisioning import set_group_role
from organisations.domains import PROOF_PATH, add_domain, verify_domain
from organisations.identity_provider import (
    remove_domain,
    remove_provider,
    require_provider,
    save_provider,
    stop_requiring,
)
from organisations.models import (
    DirectoryToken,
    IdentityProvider,
    Membership,
    OrganisationDomain,
    OrganisationRole,
    ProvisionedGroup,
)
from organisations.roles import GIVEN_ROLE_CHOICES
from organisations.sso_session import provider_id
from workspace.organisation_forms import ProviderForm, SignInAddressForm
from workspace.organisations import acting_membership, check_owner
from workspace.page_base import render_page, workspace_view


@workspace_view("GET", "POST")
def sign_in_settings(request: SignedInRequest, organisation: UUID) -> HttpResponse:
    """GET: the page. POST: save the provider, and what `act` names."""
    membership = _owner(request, organisation)
    if request.method != "POST":
        return _render(request, membership)
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise BadRequest("There is no such button. Nothing was changed.")
    try:
        return act(request, membership) or redirect("organisation_sign_in", organisation)
    except LexicError as error:
        return _render(request, membership, error=error)


@require_http_methods(["GET", "POST"])
@never_cache
def find_provider(request: HttpRequest) -> HttpResponse:
    """Whoever names an address is led to the provider of the organisation that has its domain."""
    form = SignInAddressForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        domain = OrganisationDomain.objects.of_address(form.cleaned_data["email"]).first()
        if domain and IdentityProvider.objects.filter(organisation=domain.organisation_id).exists():
            return redirect("openid_connect_login", provider_id=provider_id(domain.organisation_id))
        form.add_error("email", "No organisation has set up a provider for this address. Sign in another way.")
    status = 400 if form.errors else 200
    return render(request, "socialaccount/find_provider.html", {"form": form}, status=status)


# --- What the buttons do ------------------------------------------------------------------------------------


def _add_domain(request: SignedInRequest, membership: Membership) -> None:
    domain = add_domain(membership.organisation, name=request.POST.get("name", ""))
    messages.success(request, f"{domain} is added. Put its proof there, then verify it.")


def _verify_domain(request: SignedInRequest, membership: Membership) -> None:
    domain = _domain(request, membership)
    verify_domain(domain)
    messages.success(request, f"{domain} is verified.")


def _remove_domain(request: SignedInRequest, membership: Membership) -> None:
    domain = _domain(request, membership)
    remove_domain(domain)
    messages.success(request, f"{domain} is removed. Nobody signs in through the provider by its addresses.")


def _save_provider(request: SignedInRequest, membership: Membership) -> HttpResponse | None:
    form = ProviderForm(request.POST, provider=_provider(membership))
    if not form.is_valid():
        return _render(request, membership, status=400, form=form)
    organisation = membership.organisation
    was_required = organisation.requires_sso
    save_provider(organisation, **form.cleaned_data)
    said = "Saved. Sign in through it now, to see whether it works."
    if was_required and not organisation.requires_sso:
        said += (
            " Its address, client id or secret is new, so nobody has to use it until you have signed in through it and"
            " require it again."
        )
    messages.success(request, said)
    return None


def _remove_provider(request: SignedInRequest, membership: Membership) -> None:
    remove_provider(membership.organisation)
    messages.success(request, "The provider is removed.")


def _require(request: SignedInRequest, membership: Membership) -> None:
    require_provider(membership)
    messages.success(request, "The organisation is open only to people who sign in through the provider.")


def _stop_requiring(request: SignedInRequest, membership: Membership) -> None:
    stop_requiring(membership.organisation)
    messages.success(request, "The provider is required of nobody any more.")


def _issue_token(request: SignedInRequest, membership: Membership) -> HttpResponse:
    """Shown in the answer itself, once: nothing keeps it."""
    token = DirectoryToken.objects.issue(membership.organisation, by=request.user)
    return _render(request, membership, token=token)


def _revoke_token(request: SignedInRequest, membership: Membership) -> None:
    DirectoryToken.objects.filter(organisation=membership.organisation).delete()
    messages.success(request, "The token works no longer. People stay as they are.")


def _set_group_role(request: SignedInRequest, membership: Membership) -> None:
    group = get_object_or_404(
        ProvisionedGroup, organisation=membership.organisation, pk=_uuid(request.POST.get("group", ""))
    )
    role = request.POST.get("role", "")
    if role and role not in dict(GIVEN_ROLE_CHOICES):
        raise BadRequest("There is no such role. Nothing was changed.")
    set_group_role(group, role=role)
    messages.success(request, f"“{group}” gives {f'the role of {role}' if role else 'no role'}.")


_ACTS: dict[str, Callable[[SignedInRequest, Membership], HttpResponse | None]] = {
    "add_domain": _add_domain,
    "verify_domain": _verify_domain,
    "remove_domain": _remove_domain,
    "save_provider": _save_provider,
    "remove_provider": _remove_provider,
    "require": _require,
    "stop_requiring": _stop_requiring,
    "issue_token": _issue_token,
    "revoke_token": _revoke_token,
    "set_group_role": _set_group_role,
}


def _owner(request: SignedInRequest, organisation: UUID) -> Membership:
    """Raises `UnknownOrganisation`, and what keeps the person from acting there."""
    membership = acting_membership(request.user, organisation)
    check_owner(membership)
    return membership


def _domain(request: SignedInRequest, membership: Membership) -> OrganisationDomain:
    return get_object_or_404(membership.organisation.domains, pk=_uuid(request.POST.get("domain", "")))


def _provider(membership: Membership) -> IdentityProvider | None:
    return IdentityProvider.objects.filter(organisation=membership.organisation).first()


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadRequest("This names nothing. Nothing was changed.") from None


def _render(
    request: SignedInRequest,
    membership: Membership,
    *,
    error: LexicError | None = None,
    status: int = 200,
    **shown: Any,
) -> HttpResponse:
    """The page. `shown` stands in for what is there otherwise, such as a form with its errors."""
    found, provider = membership.organisation, _provider(membership)
    context: dict[str, Any] = {
        "organisation": found,
        "provider": provider,
        "domains": found.domains.all(),
        "proof_path": PROOF_PATH,
        "form": ProviderForm(provider=provider),
        "callback": request.build_absolute_uri(
            reverse("openid_connect_callback", kwargs={"provider_id": provider_id(found.pk)})
        ),
        "directory": DirectoryToken.objects.filter(organisation=found).first(),
        "scim_root": request.build_absolute_uri("/scim/v2"),
        "groups": found.groups.all(),
        "roles": GIVEN_ROLE_CHOICES,
        "login": reverse("openid_connect_login", kwargs={"provider_id": provider_id(found.pk)}),
        "is_owner": membership.role == OrganisationRole.OWNER,
    }
    if isinstance(error, NotAllowed):
        messages.error(request, error.message_with_hint)
        error, status = None, 403
    return render_page(
        request,
        "workspace/organisation_sign_in.html",
        {**context, **shown},
        section="organisations",
        error=error,
        status=status,
    )
