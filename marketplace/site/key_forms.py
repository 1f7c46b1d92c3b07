"""The forms of the page of keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from accounts import api_keys
from accounts.key_limit_texts import limit_help_texts
from accounts.key_secrets import validate_key_name
from accounts.models import ApiKey, Capability, User, default_per_day, default_per_minute
from lexic.choice_labels import translated_choices
from lexic.column_length import column_length
from lexic.http.origin_form_field import OriginsFormField
from plugins.models import Plugin
from plugins.visibility import is_page_token
from querying.releases import UnknownPlugin, find_plugin

LIFETIME_CHOICES = [
    ("30", gettext_lazy("after 30 days")),
    ("90", gettext_lazy("after 90 days")),
    ("365", gettext_lazy("after a year")),
    ("", gettext_lazy("never")),
]
OVERLAP_CHOICES = [
    (0, gettext_lazy("at once")),
    (1, gettext_lazy("in an hour")),
    (24, gettext_lazy("in a day")),
    (7 * 24, gettext_lazy("in a week")),
    (30 * 24, gettext_lazy("in 30 days")),
]


class OriginsForm(forms.Form):
    allowed_origins = OriginsFormField(
        label=gettext_lazy("Web pages that may use it"),
        help_text=gettext_lazy(
            "Origins such as https://www.example.org, with commas between them. Everybody who opens such a page"
            " can read the key."
        ),
    )


def _name_for(plugin: str, *, user: User) -> str:
    """A key for one plugin is called after it, and never after an address that nobody can guess."""
    if not is_page_token(plugin):
        return plugin
    try:
        return find_plugin(plugin, principal=user).slug
    except UnknownPlugin:
        return ""


class KeyForm(OriginsForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=column_length(ApiKey, "name"),
        validators=[validate_key_name],
        help_text=gettext_lazy("A name for yourself, such as “planning agent”."),
    )
    plugin = forms.CharField(
        required=False,
        max_length=100,
        label=gettext_lazy("Only for this plugin"),
        help_text=gettext_lazy("Its slug, such as “concrete-cover”. Empty: the key can ask every published plugin."),
    )
    capabilities = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Permissions"),
        choices=translated_choices(Capability),
        initial=[Capability.QUERY.value],
        widget=forms.CheckboxSelectMultiple,
    )
    per_minute = forms.IntegerField(label=gettext_lazy("Requests per minute"), min_value=1, required=False)
    per_day = forms.IntegerField(label=gettext_lazy("Requests per day"), min_value=1, required=False)
    life = forms.ChoiceField(label=gettext_lazy("Expires"), choices=LIFETIME_CHOICES, required=False, initial="90")

    def __init__(self, data: object = None, *, user: User, plugin: str = "") -> None:
        name = _name_for(plugin, user=user)
        initial = {"name": name, "plugin": plugin, "per_minute": default_per_minute(), "per_day": default_per_day()}
        super().__init__(data, initial=initial)  # type: ignore[arg-type]
        self.user = user
        for name, words in limit_help_texts().items():
            self.fields[name].help_text = words
        if not user.is_staff:  # there is nothing yet that such a key could read or change
            del self.fields["capabilities"]

    def clean_plugin(self) -> Plugin | None:
        slug = self.cleaned_data["plugin"]
        try:
            return find_plugin(slug, principal=self.user) if slug else None
        except UnknownPlugin:
            raise forms.ValidationError(gettext("There is no plugin of this name that you may ask.")) from None

    def issue(self) -> tuple[ApiKey, str]:
        """The new key and its secret. Raises what `accounts.api_keys.issue_key` raises."""
        chosen = self.cleaned_data
        optional = ("capabilities", "per_minute", "per_day", "allowed_origins")
        wanted: dict[str, Any] = {name: chosen[name] for name in optional if chosen.get(name)}
        if chosen["life"]:
            wanted["expires_at"] = timezone.now() + timedelta(days=int(chosen["life"]))
        plugins = [chosen["plugin"]] if chosen["plugin"] else []
        return api_keys.issue_key(self.user, name=chosen["name"], plugins=plugins, **wanted)


class RotateKeyForm(forms.Form):
    overlap = forms.TypedChoiceField(
        label=gettext_lazy("The old one stops"), choices=OVERLAP_CHOICES, coerce=int, initial=24
    )
