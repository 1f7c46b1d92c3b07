"""Who can see a published plugin: the columns, the conditions of lists and look-ups, and the URL of its page."""

from __future__ import annotations

import base64
import re
import secrets
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lexic.errors import Conflict
from lexic.middleware.response_middleware import response_middleware


class Visibility(models.TextChoices):
    """From the fewest to the most. It counts once the plugin is published."""

    PEOPLE = "people", "people and teams"
    KEY = "key", "anyone with an API key"
    UNLISTED = "unlisted", "anyone with the address of its page"
    MARKETPLACE = "marketplace", "anyone; it is in the marketplace"


class ChatWithoutPage(Conflict):
    """It has no public page, so nobody can chat with it there."""

    code = "chat_without_page"
    hint = "Choose the unlisted page or the marketplace first."


class PluginKind(models.TextChoices):
    EXPERT = "expert", "what an expert knows"
    LIBRARY = "library", "the library of a codebase"


WITH_PAGE = (Visibility.UNLISTED, Visibility.MARKETPLACE)
_IS_OPEN = Q(is_published=True) & ~Q(kind=PluginKind.LIBRARY, is_shared=False)


def _is_open(plugin: VisibilitySettings) -> bool:
    """`_IS_OPEN` of one plugin."""
    return plugin.is_published and not (plugin.kind == PluginKind.LIBRARY and not plugin.is_shared)


# What anybody may know of; what they may ask by its name; what has a page; what they may ask once they know where.
IS_LISTED = _IS_OPEN & Q(visibility=Visibility.MARKETPLACE)
IS_ASKED_BY_NAME = _IS_OPEN & Q(visibility__in=[Visibility.KEY, Visibility.MARKETPLACE])
HAS_PAGE = _IS_OPEN & Q(visibility__in=WITH_PAGE)
IS_ASKED = _IS_OPEN & ~Q(visibility=Visibility.PEOPLE)
# What others may have a copy of.
IS_COPIED = HAS_PAGE & Q(is_shared=True)

# 130 bits, in letters and digits that are not mistaken for one another. No slug has this shape.
_PAGE_TOKEN = re.compile(r"unlisted-[a-z2-7]{26}")


def new_page_token() -> str:
    """A token that replaces the slug in the URL of an unlisted page. It cannot be guessed."""
    return f"unlisted-{base64.b32encode(secrets.token_bytes(17)).decode().lower()[:26]}"


def is_page_token(name: str) -> bool:
    """Whether a name has the shape of such a token, whether or not it opens a page."""
    return _PAGE_TOKEN.fullmatch(name) is not None


def at_address(address: str) -> Q:
    """The condition on the plugin whose page has this last part of an address: a slug, or the token of an unlisted
    page. A slug never opens an unlisted page."""
    if is_page_token(address):
        return Q(page_token=address, visibility=Visibility.UNLISTED)
    return Q(slug=address) & ~Q(visibility=Visibility.UNLISTED)


class VisibilitySettings(models.Model):
    """The columns of a plugin that say who can see it."""

    is_published = models.BooleanField(default=False, editable=False)
    visibility = models.CharField(
        max_length=12,
        choices=Visibility.choices,
        default=Visibility.MARKETPLACE,
        db_default=Visibility.MARKETPLACE,
        help_text="Who can see it while it is published.",
    )
    page_token = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The address of its page while it is unlisted. Empty until it is first wanted.",
    )

    if TYPE_CHECKING:
        kind: str
        slug: str
        is_shared: bool
        public_chat: bool

    class Meta:
        abstract = True

    @property
    def is_listed(self) -> bool:
        """Whether the catalogue may name it: see `PluginQuerySet.listed`."""
        return self.visibility == Visibility.MARKETPLACE and self.has_page

    @property
    def is_unlisted(self) -> bool:
        """Whether its page, if it has one, is found by its address alone."""
        return self.visibility == Visibility.UNLISTED

    @property
    def has_page(self) -> bool:
        """Whether others can open a page of it: `HAS_PAGE` of one plugin."""
        return _is_open(self) and self.visibility in WITH_PAGE

    @property
    def address(self) -> str:
        """The last part of the address of its page and its chat, and what others ask it by."""
        return self.page_token if self.is_unlisted else self.slug

    def check_chat_has_page(self) -> None:
        """Raises `ChatWithoutPage` where anybody may chat with it and there is no page to do so."""
        if self.public_chat and self.visibility not in WITH_PAGE:
            raise ChatWithoutPage

    def renew_page_token(self) -> None:
        """Gives its unlisted page another address; the one before opens nothing once this is saved."""
        self.page_token = new_page_token()


def _without_index(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Says of whatever stands at the address of an unlisted page, errors too, that no search engine shows it."""
    if any(is_page_token(part.partition("@")[0]) for part in request.path.split("/")):
        response["X-Robots-Tag"] = "noindex, nofollow"
    return response


unlisted_pages = response_middleware(_without_index)
