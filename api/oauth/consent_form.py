"""The form of the consent page: what a person decides when a client asks to act for them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Case, IntegerField, QuerySet, Value, When
from oauth2_provider.forms import AllowForm
from oauth2_provider.models import Application

from accounts.models import Capability, User
from accounts.oauth_resources import known_resources
from api.oauth.redirects import is_safe_redirect
from plugins.models import Plugin

MAX_SHOWN = 30
_LABELS = {
    Capability.QUERY: "ask questions",
    Capability.READ: "read plugins and documents that you may read, those of your projects among them",
    Capability.AUTHOR: "change plugins and documents that you may change",
}
_ALL, _SOME = "all", "some"


class ConsentForm(AllowForm):
    """The hidden fields are the client's request; what the person ticks is no more than that asks for."""

    may = forms.MultipleChoiceField(
        label="It may", widget=forms.CheckboxSelectMultiple, error_messages={"required": "Tick what it may do."}
    )
    which = forms.ChoiceField(
        label="Plugins that it may ask",
        widget=forms.RadioSelect,
        choices=[(_ALL, "all that you may ask, also later ones"), (_SOME, "only those that are ticked here")],
        initial=_ALL,
    )
    plugins = forms.ModelMultipleChoiceField(
        queryset=Plugin.objects.none(), required=False, widget=forms.CheckboxSelectMultiple, label="Only these"
    )
    others = forms.CharField(
        required=False,
        max_length=1000,
        label="Others",
        help_text="Their slugs, with commas between them.",
    )

    def __init__(self, *args: Any, user: User | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.visible = Plugin.objects.askable_by_name(user) if user else Plugin.objects.none()
        self.fields["plugins"].queryset = self.visible
        known = Plugin.objects.discoverable_by(user) if user else self.visible
        shown = list(_own_first(known, user)[: MAX_SHOWN + 1])
        self.has_more = len(shown) > MAX_SHOWN
        choices = [(str(plugin.pk), plugin.name) for plugin in shown[:MAX_SHOWN]]
        self.fields["plugins"].choices = choices
        asked = str(self["scope"].value() or "").split()
        self.fields["may"].choices = [(one.value, _LABELS[one]) for one in Capability if one in asked]
        self.fields["may"].initial = [one.value for one in Capability if one in asked and one != Capability.AUTHOR]
        if not self.has_more:
            del self.fields["others"]
        self._others: list[Plugin] = []

    def clean_others(self) -> str:
        slugs = {slug.strip() for slug in self.cleaned_data["others"].split(",")} - {""}
        self._others = list(self.visible.filter(slug__in=slugs))
        if missing := slugs - {plugin.slug for plugin in self._others}:
            raise forms.ValidationError(f"There is no plugin “{min(missing)}” that you may ask.")
        return str(self.cleaned_data["others"])

    def clean_client_id(self) -> str:
        client_id = str(self.cleaned_data["client_id"])
        if not Application.objects.filter(client_id=client_id).exists():
            raise forms.ValidationError("This program is not known any more.")
        return client_id

    def clean_redirect_uri(self) -> str:
        if not is_safe_redirect(str(self.cleaned_data["redirect_uri"])):
            raise forms.ValidationError("The program's address leads nowhere safe.")
        return str(self.cleaned_data["redirect_uri"])

    def clean(self) -> dict[str, Any]:
        chosen: dict[str, Any] = super().clean() or self.cleaned_data
        resources = known_resources(str(chosen.get("resource", "")).split())
        if resources is None:
            raise forms.ValidationError("There is no such address here.")
        chosen["resource"] = " ".join(resources)
        if chosen.get("allow") and chosen.get("which") == _SOME and not (chosen.get("plugins") or self._others):
            self.add_error("plugins", "Tick one at least.")
        chosen["scope"] = " ".join(chosen.get("may", []))
        return chosen

    def chosen_plugins(self) -> list[Plugin]:
        """Empty: all that the person may ask."""
        if self.cleaned_data["which"] == _ALL:
            return []
        return [*self.cleaned_data["plugins"], *self._others]


def _own_first(plugins: QuerySet[Plugin], user: User | None) -> QuerySet[Plugin]:
    is_own = Case(When(owner=user, then=Value(0)), default=Value(1), output_field=IntegerField())
    return plugins.order_by(is_own, "name", "pk")
