from __future__ import annotations

from itertools import product

import pytest

from accounts.models import User
from plugins.models import Plugin
from plugins.visibility import PluginKind, Visibility


@pytest.mark.django_db
def test_a_plugin_and_its_row_agree_on_who_can_open_its_page(alice: User) -> None:
    every = product(PluginKind.values, Visibility.values, (False, True), (False, True))
    for number, (kind, visibility, is_published, is_shared) in enumerate(every):
        given = {"kind": kind, "visibility": visibility, "is_published": is_published, "is_shared": is_shared}
        Plugin.objects.create(owner=alice, name=f"P{number}", slug=f"p{number}", domain="x", system_prompt="x", **given)
    plugins = list(Plugin.objects.all())
    assert {one.slug for one in plugins if one.has_page} == set(
        Plugin.objects.with_page().values_list("slug", flat=True)
    )
    assert {one.slug for one in plugins if one.is_listed} == set(Plugin.objects.listed().values_list("slug", flat=True))
