"""The recipients of mails about plugins: the people who work on them."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from organisations.models import EDITING_ROLES, Membership
from plugins.models import Plugin


def authors() -> QuerySet[User]:
    """Active people who own or edit a plugin, or may edit those of an organisation."""
    owned = Plugin.objects.filter(owner=OuterRef("pk"))
    edited = Plugin.editors.through.objects.filter(user=OuterRef("pk"))
    organised = Membership.objects.filter(user=OuterRef("pk"), role__in=EDITING_ROLES)
    return User.objects.filter(Exists(owned) | Exists(edited) | Exists(organised), is_active=True)


def plugins_of(user: User) -> QuerySet[Plugin]:
    """The plugins that the person works on, by name. Operators may change all plugins, but get mails only about their
    own."""
    plugins = Plugin.objects.editable_by(user).order_by("name", "pk")
    return plugins.filter(Q(owner=user) | Q(editors=user)).distinct() if user.is_superuser else plugins
