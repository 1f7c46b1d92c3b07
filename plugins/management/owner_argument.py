"""Finds the person that an argument of a command names."""

from __future__ import annotations

from django.core.management.base import CommandError

from accounts.models import User


def find_owner(email: str | None) -> User:
    """The active account with this e-mail address; without an address, the operator, if there is only one. Raises
    `CommandError`."""
    active = User.objects.filter(is_active=True)
    found = list(active.filter(email=email.strip().lower()) if email else active.filter(is_superuser=True)[:2])
    if len(found) == 1:
        return found[0]
    if email:
        raise CommandError(f"There is no active account with the address {email}.")
    hint = "" if found else " There is no operator yet: manage.py createsuperuser makes one."
    raise CommandError(f"Say whose it will be: --owner ADDRESS.{hint}")
