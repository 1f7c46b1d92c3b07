"""The origin of a copy, and whether its original has a newer release."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ObjectDoesNotExist

from accounts.models import User
from marketplace.bundle.release_import import ClaimedOrigin
from marketplace.bundle.signature import Signature
from marketplace.models import Install
from marketplace.sharing.draft_hash import draft_content_hash
from plugins.models import Plugin, Release


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What to say of a copy in public. `slug` is that of the original while anybody may see it, else empty.
    `is_unverified_origin`: a file says so, and nobody has checked it. `signed_by` is the site that signed the file,
    empty where nobody did; whether that site is known is what `is_unverified_origin` says."""

    name: str
    author: str
    version: str
    slug: str
    is_unverified_origin: bool
    signed_by: str = ""
    signing_key: str = ""


def provenance_of(plugin: Plugin) -> Provenance | None:
    """What the plugin was made from; None where its author began with nothing.

    Asks the database nothing more of a plugin that came with `installed_from__original`.
    """
    try:
        return _install_provenance(plugin.installed_from)
    except ObjectDoesNotExist:
        return None


def record_install(
    copy: Plugin, *, made_from: ClaimedOrigin, origin: Release | None, signature: Signature | None, by: User
) -> Install:
    """Records what a copy was made from, once it is complete. The signature of a known site proves what it says."""
    return Install.objects.create(
        copy=copy,
        original=origin.plugin if origin else None,
        original_name=made_from.name,
        original_author=made_from.author,
        release=origin,
        version=made_from.version,
        is_unverified_origin=origin is None and not (signature and signature.is_known),
        signed_by=signature.site if signature else "",
        signing_key=signature.key if signature else "",
        content=draft_content_hash(copy),
        installed_by=by,
    )


def _install_provenance(install: Install) -> Provenance:
    original = install.original
    return Provenance(
        name=install.original_name,
        author=install.original_author,
        version=install.version,
        slug=original.slug if original and original.is_listed else "",
        is_unverified_origin=install.is_unverified_origin,
        signed_by=install.signed_by,
        signing_key=install.signing_key,
    )
