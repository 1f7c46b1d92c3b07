"""Operators' page of people. What changes there for a person changes everywhere that their own pages change it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db import models, transaction
from django.http import HttpRequest

from accounts.admin import UserAdmin
from accounts.models import User
from knowledge.models import KnowledgeGrant
from lexic.errors import LexicError
from marketplace.publishing.membership import end_lapsed_grants
from privacy.account_deletion import account_deletion, delete_account


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Deletes an account as its owner would, and ends the grants of a person who is locked out or loses a role."""

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            if change:
                end_lapsed_grants(KnowledgeGrant.objects.filter(granted_to=obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """One's own account is deleted on the page of one's data, after a fresh sign-in."""
        return super().has_delete_permission(request, obj) and (obj is None or obj.pk != request.user.pk)

    def get_deleted_objects(self, objs: Iterable[User], request: HttpRequest) -> Any:
        """Names the people alone. A plugin under legal hold keeps the account that it would go with, and so does an
        organisation that has no other owner."""
        people = list(objs)
        forbidden = {str(person) for person in people if not self.has_delete_permission(request, person)}
        deletions = [account_deletion(person) for person in people]
        protected = [str(kept) for deletion in deletions for kept in (*deletion.held, *deletion.organisations)]
        return [str(person) for person in people], {}, forbidden, protected

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        delete_account(obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[User]) -> None:
        try:
            with transaction.atomic():
                for person in queryset:
                    delete_account(person)
        except LexicError as error:
            messages.error(request, f"Nobody was deleted. {error.message_with_hint}")
