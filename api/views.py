"""What every door of the authoring API has in common."""

from __future__ import annotations

from rest_framework.views import APIView

from api.authentication import KEY_OR_SESSION
from api.permissions import MayAuthor
from api.throttling import KeyThrottle


class AuthorView(APIView):
    """By session, or by a key that may author (to look: that may read). A key's limits hold here as well."""

    authentication_classes = KEY_OR_SESSION
    permission_classes = [MayAuthor]
    throttle_classes = [KeyThrottle]
