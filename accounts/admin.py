"""Operators' pages of people, of what they sign in with, and of their keys."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import FilteredSelectMultiple
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db import models, transaction
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from accounts import api_keys
from accounts.key_permissions import KeyPermissions
from accounts.key_secrets import validate_key_name
from accounts.models import ApiKey, ApiKeyPlugin, Capability, User
from audit.actions import Action
from audit.record import record
from audit.references import person
from lexic.admin_theme import AdminPasswordChangeForm, TextWidget, UserChangeForm, UserCreationForm
from lexic.errors import LexicError
from lexic.http.origin_form_field import OriginsFormField
from lexic.scoped_admin import ListAdmin, ScopedAdmin, column

# One sign-in page for everybody, with its limits on attempts; the builder has none of its own.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


class UserAdmin(DjangoUserAdmin, ListAdmin):
    """For operators: who has an account, and who may use the builder. `privacy.admin` registers it."""

    list_title = "People"
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

    ordering = ["email"]
    list_display = [
        "email",
        "display_name",
        "is_staff",
        column("is_active", "may sign in", is_tick=True),
        column("created_at", "joined"),
    ]
    list_filter = ["is_staff", "is_superuser", "is_active"]
    search_fields = ["email", "display_name"]
    readonly_fields = ["created_at", "last_login"]
    fieldsets = [
        (None, {"fields": ["email", "display_name", "password"]}),
        (
            "What they may do",
            {
                "fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"],
                "description": "“May use the builder” is all an author needs: people see and change only what is "
                "theirs. Superusers see everything.",
            },
        ),
        ("Dates", {"fields": ["created_at", "last_login"]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", "display_name", "is_staff", "password1", "password2"]})]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Groups and single permissions are roles too."""
        with transaction.atomic():
            before = _permissions(form.instance)
            super().save_related(request, form, formsets, change)
            after = _permissions(form.instance)
            if before != after:
                record(Action.ROLE_CHANGED, person(form.instance), details={"was": before, "now": after})


def _permissions(user: User) -> dict[str, list[str]]:
    """The names of the person's groups, and the permissions that were given to them one by one."""
    given = user.user_permissions.order_by("content_type__app_label", "codename")
    return {
        "groups": list(user.groups.order_by("name").values_list("name", flat=True)),
        "permissions": [f"{label}.{name}" for label, name in given.values_list("content_type__app_label", "codename")],
    }


# Providers come from the settings, tokens are not kept, and sessions are a person's own business; so are the programs
# that they let in, which stand among their keys.
for _model in (SocialApp, SocialToken, UserSession, Application, Grant, AccessToken, RefreshToken, IDToken):
    admin.site.unregister(_model)
for _model in (EmailAddress, EmailConfirmation, SocialAccount, Authenticator):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)


class ViewAndDeleteAdmin(ListAdmin):
    """For superusers: what somebody set up for themselves can be looked at and taken away, not changed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(EmailAddress)
class EmailAddressAdmin(ViewAndDeleteAdmin):
    list_display = ["email", "user", "verified", "primary"]
    list_filter = ["verified", "primary"]
    search_fields = ["email", "user__email"]


@admin.register(SocialAccount)
class SocialAccountAdmin(ViewAndDeleteAdmin):
    list_display = ["uid", "provider", "user", "date_joined", "last_login"]
    list_display_links = None
    list_filter = ["provider"]
    search_fields = ["uid", "user__email"]


@admin.register(Authenticator)
class AuthenticatorAdmin(ViewAndDeleteAdmin):
    """Take one away when its owner has lost it, and has made sure that they are who they say."""

    list_display = ["user", "type", column("created_at", "made"), column("last_used_at", "last used")]
    fields = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    search_fields = ["user__email"]


def _all_plugins() -> models.QuerySet[Any]:
    """All plugins, found through the key's own field: accounts know nothing of the apps above them."""
    plugin: Any = ApiKey._meta.get_field("plugins").related_model
    return plugin.objects.all()


class PluginPicker(FilteredSelectMultiple):
    """Two boxes side by side. Its script puts them first in whatever is around them, so they get a box of their own."""

    def __init__(self) -> None:
        super().__init__("plugins", is_stacked=False)

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        return format_html("<div>{}</div>", super().render(*args, **kwargs))


class ApiKeyForm(forms.ModelForm):
    limited_to: forms.ModelMultipleChoiceField[Any] = forms.ModelMultipleChoiceField(
        queryset=None,
        required=False,
        label="Only these plugins",
        widget=PluginPicker,
        help_text="None chosen: the key can ask every plugin that you may ask, also later ones.",
    )
    capabilities = forms.MultipleChoiceField(
        label="It may",
        choices=Capability.choices,
        initial=[Capability.QUERY.value],
        widget=forms.CheckboxSelectMultiple,
        help_text="An agent only needs to ask questions.",
    )

    allowed_origins = OriginsFormField(
        label="Web pages that may use it",
        widget=TextWidget,
        help_text="Origins such as https://www.example.org, with commas between them. A key in a page can be read by"
        " everybody who opens it.",
    )

    class Meta:
        model = ApiKey
        fields = ["name", "capabilities", "allowed_origins", "per_minute", "per_day", "expires_at"]

    # Set by the admin: the person at the form, and the plugins that they may ask.
    person: User
    offered: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The key's own plugins stay among them, withdrawn or not: saving must never widen what a key opens.
        chosen = ApiKeyPlugin.objects.filter(apikey=self.instance.pk, plugin__isnull=False).values("plugin")
        if field := self.fields.get("limited_to"):
            field.queryset = _all_plugins().filter(  # type: ignore[attr-defined]
                models.Q(pk__in=self.offered.values("pk")) | models.Q(pk__in=chosen)
            )
        self.initial.setdefault("limited_to", [row["plugin"] for row in chosen])

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        validate_key_name(name)
        return name

    def clean(self) -> dict[str, Any]:
        """Superusers may give a key more than the settings do."""
        data = super().clean() or self.cleaned_data
        if self.person.is_superuser or self.errors:
            return data
        stored = ApiKey.objects.select_related("owner").get(pk=self.instance.pk)
        before = KeyPermissions.of_key(stored)
        try:
            limits = {name: data[name] for name in ("per_minute", "per_day")}
            before.updated(limits).check_ceiling(before=before)
            if set(self.changed_data) - api_keys.NO_PERMISSIONS:
                api_keys.check_expiry(stored, ends=data["expires_at"])
        except LexicError as error:
            raise forms.ValidationError(error.message_with_hint) from None
        return data


@admin.register(ApiKey)
class ApiKeyAdmin(ScopedAdmin):
    """People's own keys, and everybody's for superusers: to change or revoke. They are made, replaced and revealed on
    a page of the site, which alone shows secrets."""

    form = ApiKeyForm
    list_display = [
        "name",
        "shown_prefix",
        "state",
        "owner",
        column("created_at", "made"),
        column("last_used_at", "last used"),
        column("expires_at", "expires"),
    ]
    list_select_related = ["owner"]
    search_fields = ["name", "prefix"]
    actions = ["revoke"]
    readonly_fields = ["shown_prefix", "state", "owner", "created_at", "last_used_at", "replaces", "revealed"]
    fieldsets = [
        (None, {"fields": ["name"]}),
        ("What it opens", {"fields": ["capabilities", "limited_to", "allowed_origins"]}),
        ("Limits", {"fields": [("per_minute", "per_day"), "expires_at"]}),
        ("History", {"fields": [*readonly_fields]}),
    ]

    def changeable(self, request: HttpRequest) -> models.QuerySet[ApiKey]:
        return self.visible(request).filter(revoked_at=None)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """A key is revoked, not deleted, so that the audit log goes on knowing which one asked."""
        return bool(request.user.is_active and request.user.is_superuser)

    def get_form(self, request: HttpRequest, obj: ApiKey | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.person = request.user  # type: ignore[attr-defined]
        form.offered = _all_plugins().discoverable_by(request.user)  # type: ignore[attr-defined]
        return form

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        obj.plugins.set(form.cleaned_data["limited_to"])

    @admin.display(description="begins with", ordering="prefix")
    def shown_prefix(self, key: ApiKey) -> str:
        return f"{key.prefix}…"

    @admin.display(description="only these plugins")
    def limited_to(self, key: ApiKey) -> str:
        """For keys that can only be looked at; otherwise the form has a field of this name."""
        if key.allowed_plugins() is None:
            return "every plugin its owner may ask"
        return ", ".join(map(str, key.plugins.all())) or "a deleted plugin: it can ask nothing"

    @admin.display(description="state")
    def state(self, key: ApiKey) -> str:
        return f"revoked on {date_format(key.revoked_at, 'j F Y')}" if key.revoked_at else key.state

    @admin.display(description="replaces")
    def replaces(self, key: ApiKey) -> str:
        return str(key.rotated_from or "no other key")

    @admin.display(description="revealed")
    def revealed(self, key: ApiKey) -> str:
        latest = key.reveals.select_related("by")[:10]
        return "; ".join(f"{date_format(one.at, 'j F Y, H:i')} by {one.by}" for one in latest) or "never"

    @admin.action(description="Revoke the chosen keys")
    def revoke(self, request: HttpRequest, queryset: models.QuerySet[ApiKey]) -> None:
        for key in queryset:
            key.revoke()
            self.log_change(request, key, "Revoked.")
        self.message_user(request, "Revoked. They stopped working at once.", messages.SUCCESS)
