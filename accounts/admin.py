from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db import models
from django.http import HttpRequest

from accounts.models import ApiKey, User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    ordering = ["email"]
    list_display = ["email", "display_name", "is_staff", "is_active", "created_at"]
    list_filter = ["is_staff", "is_superuser", "is_active"]
    search_fields = ["email", "display_name"]
    readonly_fields = ["created_at", "last_login"]
    fieldsets = [
        (None, {"fields": ["email", "password", "display_name", "avatar_url"]}),
        (
            "What they may do",
            {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]},
        ),
        ("Dates", {"fields": ["created_at", "last_login"]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", "display_name", "is_staff", "password1", "password2"]})]


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    """A person's own keys. The secret is shown once when a key is made."""

    list_display = ["name", "prefix", "owner", "created_at", "last_used_at", "expires_at", "revoked_at"]
    list_select_related = ["owner"]
    search_fields = ["name", "prefix"]
    fields = ["name", "capabilities", "plugins", "per_minute", "per_day", "expires_at"]
    filter_horizontal = ["plugins"]
    actions = ["revoke"]

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[ApiKey]:
        assert isinstance(request.user, User)
        return ApiKey.objects.visible_to(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_view_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        is_theirs = obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()
        return self.has_module_permission(request) and is_theirs

    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "plugins":
            assert isinstance(request.user, User)
            kwargs["queryset"] = db_field.remote_field.model.objects.visible_to(request.user)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        assert isinstance(request.user, User)
        chosen = {name: form.cleaned_data[name] for name in ("capabilities", "per_minute", "per_day", "expires_at")}
        made, secret = ApiKey.objects.issue(owner=request.user, name=obj.name, **chosen)
        obj.__dict__.update(made.__dict__)
        self.message_user(request, f"Your key, shown this once: {secret}", messages.WARNING)

    @admin.action(description="Revoke the chosen keys")
    def revoke(self, request: HttpRequest, queryset: models.QuerySet[ApiKey]) -> None:
        for key in queryset:
            key.revoke()
        self.message_user(request, "Revoked. They stopped working at once.")
