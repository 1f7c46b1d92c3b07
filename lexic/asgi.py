from __future__ import annotations

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
django_application = get_asgi_application()

# Of everything around a file that is uploaded: its form, its boundaries.
_ROOM_FOR_A_FORM = 5 * 1024 * 1024
_TOO_LARGE = b'{"error": "The request is too large.", "code": "too_large", "hint": "Send less at once."}'


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Django, for requests of a bounded size: it would write a body of any size to disk before anyone is asked
    who sends it."""
    if scope["type"] == "http" and _declared_length(scope) > _most_bytes():
        await _refuse(send)
        return
    left, has_answered = _most_bytes(), False

    async def bounded() -> Any:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        # To Django, a body that does not say its length and never ends is a caller who hung up.
        return message if left >= 0 else {"type": "http.disconnect"}

    async def watched(message: Any) -> None:
        nonlocal has_answered
        has_answered = True
        await send(message)

    await django_application(scope, bounded if scope["type"] == "http" else receive, watched)
    if left < 0 and not has_answered:
        await _refuse(send)


def _declared_length(scope: Any) -> int:
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    return int(declared) if declared.isdigit() else 0


def _most_bytes() -> int:
    from django.conf import settings

    return settings.LEXIC_MAX_DOCUMENT_BYTES + _ROOM_FOR_A_FORM


async def _refuse(send: Any) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(_TOO_LARGE)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": _TOO_LARGE})
