"""Whose file it is: signed where it was made, checked where it comes in, shown where its origin is shown."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import User
from marketplace.bundle import BadBundle
from marketplace.bundle.signature import site_key
from marketplace.models import Install
from marketplace.publishing.publish import publish
from marketplace.sharing.installs import import_plugin_file
from marketplace.sharing.release_files import release_file
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
THEIRS = "https://theirs.example.org"


@pytest.fixture
def theirs(boots: Plugin) -> tuple[bytes, str]:
    """A file of another site, and that site's key."""
    with (
        override_settings(PUBLIC_URL=THEIRS, SECRET_KEY="the secret of another site"),
        release_file(boots.latest_release()).open() as file,
    ):
        return file.read(), site_key()


def changed(file: bytes, name: str, change: Callable[[Any], Any]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as source, zipfile.ZipFile(target, "w") as archive:
        for member in source.namelist():
            body = source.read(member)
            if member == name:
                said = change(json.loads(body))
                if said is None:
                    continue
                body = json.dumps(said).encode()
            archive.writestr(member, body)
    return target.getvalue()


def imported(file: bytes, owner: User) -> Install:
    return import_plugin_file(io.BytesIO(file), owner=owner).plugin.installed_from


def shown(install: Install, owner: User) -> str:
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    client = Client()
    client.force_login(owner)
    return client.get(reverse("admin:builder_sharing", args=[install.copy_id])).content.decode()


def test_a_file_of_our_own_is_known(boots: Plugin, charlie: User) -> None:
    with release_file(boots.latest_release()).open() as file:
        install = imported(file.read(), charlie)
    assert (install.signed_by, install.signing_key, install.is_unverified_origin) == (
        site_settings.PUBLIC_URL,
        site_key(),
        False,
    )
    assert f"signed by <bdi>{site_settings.PUBLIC_URL}</bdi>." in shown(install, charlie)


def test_an_unknown_signer_is_named_and_not_believed(theirs: tuple[bytes, str], charlie: User) -> None:
    install = imported(theirs[0], charlie)
    assert (install.signed_by, install.signing_key, install.is_unverified_origin) == (THEIRS, theirs[1], True)
    assert "which this site does not know" in shown(install, charlie)


def test_a_signer_that_an_operator_named_is_believed(theirs: tuple[bytes, str], charlie: User, settings: Any) -> None:
    settings.LEXIC_TRUSTED_SITES = {THEIRS: theirs[1]}
    install = imported(theirs[0], charlie)
    assert (install.signed_by, install.is_unverified_origin) == (THEIRS, False)


def test_a_known_site_has_one_key(theirs: tuple[bytes, str], charlie: User, settings: Any) -> None:
    settings.LEXIC_TRUSTED_SITES = {THEIRS: base64.b64encode(b"x" * 32).decode()}
    with pytest.raises(BadBundle, match="another key than this site knows"):
        imported(theirs[0], charlie)


def test_nobody_signs_as_this_site(boots: Plugin, charlie: User) -> None:
    with override_settings(SECRET_KEY="another secret"), release_file(boots.latest_release()).open() as file:
        forged = file.read()
    with pytest.raises(BadBundle, match="another key than this site knows"):
        imported(forged, charlie)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("manifest.json", lambda said: said | {"made_from": said["made_from"] | {"author": "Somebody"}}),
        ("signature.json", lambda said: said | {"site": "https://other.example.org"}),
        ("signature.json", lambda said: said | {"signature": base64.b64encode(b"x" * 64).decode()}),
        ("signature.json", lambda said: said | {"key": base64.b64encode(b"x" * 31).decode()}),
        ("signature.json", lambda said: said | {"key": 5}),
        ("signature.json", lambda said: [said]),
        ("signature.json", lambda said: said | {"site": "x" * 1000}),
    ],
)
def test_a_signature_that_is_not_right_is_refused(
    theirs: tuple[bytes, str], charlie: User, name: str, change: Callable[[Any], Any]
) -> None:
    with pytest.raises(BadBundle):
        imported(changed(theirs[0], name, change), charlie)
    assert not Plugin.objects.filter(owner=charlie).exists()


def test_a_file_without_a_signature_says_so(theirs: tuple[bytes, str], charlie: User) -> None:
    install = imported(changed(theirs[0], "signature.json", lambda said: None), charlie)
    assert (install.signed_by, install.is_unverified_origin) == ("", True)
    assert "as its file says; not signed" in shown(install, charlie)


def test_the_key_is_public() -> None:
    said = Client().get("/.well-known/lexic-site-key").json()
    assert said == {"site": site_settings.PUBLIC_URL, "algorithm": "Ed25519", "key": site_key()}
    assert len(base64.b64decode(said["key"])) == 32


def test_publishing_again_signs_again(boots: Plugin, alice: User) -> None:
    with release_file(boots.latest_release()).open() as one, release_file(boots.latest_release()).open() as other:
        assert one.read() == other.read()
    Plugin.objects.filter(pk=boots.pk).update(tone="brief")
    assert publish(Plugin.objects.get(pk=boots.pk), by=alice).is_new
