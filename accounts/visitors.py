"""Identifies anonymous visitors by a hash of their IP address, which does not tell who they are."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from lexic.http.client_address import client_address

_VISITOR_SALT = "lexic.visitor"


def visitor_id(request: HttpRequest) -> str:
    """A hash of the IP address, the same for every request from it. The address cannot be computed from the hash."""
    return salted_hmac(_VISITOR_SALT, client_address(request)).hexdigest()[:32]
