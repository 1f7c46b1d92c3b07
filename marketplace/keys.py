"""A person's API keys, without the builder: make one, see what there is, revoke one."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import ApiKey, User
from plugins.models import Plugin

# Each key has limits of its own; many keys would be no limit.
MOST_KEYS = 20


class KeyForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What you will know it by, such as “planning agent”.")
    plugin = forms.CharField(
        required=False,
        max_length=100,
        label="Only for this plugin",
        help_text="Its slug, such as “concrete-cover”. Empty: the key can ask every published plugin.",
    )

    def __init__(self, data: object = None, *, user: User, plugin: str = "") -> None:
        super().__init__(data, initial={"plugin": plugin})  # type: ignore[arg-type]
        self.user = user

    def clean_plugin(self) -> Plugin | None:
        slug = self.cleaned_data["plugin"]
        found = Plugin.objects.visible_to(self.user).filter(slug=slug).first()
        if slug and found is None:
            raise forms.ValidationError("There is no plugin of this name that you may ask.")
        return found

    def clean(self) -> None:
        if usable_keys(self.user).count() >= MOST_KEYS:
            raise forms.ValidationError(f"You have {MOST_KEYS} keys already. Revoke one that you no longer need.")

    def issue(self) -> tuple[ApiKey, str]:
        """The new key and its secret, which nobody can look up again."""
        limit = [self.cleaned_data["plugin"]] if self.cleaned_data["plugin"] else []
        return ApiKey.objects.issue(owner=self.user, name=self.cleaned_data["name"], plugins=limit)


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
def keys(request: HttpRequest) -> HttpResponse:
    """The secret of a new key goes into the answer to its form, and nowhere else."""
    assert isinstance(request.user, User)
    asked_for = request.GET.get("plugin", "")[:100]
    form = KeyForm(request.POST if request.method == "POST" else None, user=request.user, plugin=asked_for)
    context = {"form": form, "address": request.build_absolute_uri("/api/v1/query")}
    if form.is_valid():
        key, secret = form.issue()
        context |= {"key": key, "secret": secret, "plugin": form.cleaned_data["plugin"], "form": None}
    return render(request, "marketplace/keys.html", {**context, "keys": usable_keys(request.user)})


@require_POST
@login_required
def revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    assert isinstance(request.user, User)
    key = get_object_or_404(ApiKey, owner=request.user, pk=pk)
    key.revoke()
    messages.success(request, f"The key “{key.name}” is revoked. It stopped working at once.")
    return redirect("keys")


def usable_keys(user: User) -> QuerySet[ApiKey]:
    """Newest first."""
    return ApiKey.objects.usable().filter(owner=user).prefetch_related("plugins")
