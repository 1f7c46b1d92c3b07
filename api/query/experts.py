"""The plugins that a body names, each with the question: all of them may be asked with this key, or none is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from accounts.models import ApiKey
from api.query.questions import make_caller, make_options, make_question
from collaboration.collaboration_types import Expert
from collaboration.expert_sources import check_caps
from collaboration.joined_answer import ask_inline
from lexic.errors import InvalidInput
from plugins.models import Release
from querying import releases
from querying.answering.llms import get_llm
from querying.releases import UnknownPlugin, UnknownRelease

_MAX_NAMED_CHARACTERS = 80


class RepeatedPlugin(InvalidInput):
    """A plugin is named twice."""

    code = "repeated_plugin"
    hint = "Name each plugin once, whichever release it is."


def read_experts(body: dict[str, Any], names: Sequence[str], *, key: ApiKey, field: str) -> list[Expert]:
    """The named plugins as experts, with the question of a valid body. Nothing is asked or counted.

    Raises `UnknownPlugin` or `UnknownRelease`, which say of which one, `RepeatedPlugin`, `InvalidInput` and
    `SpendingCapReached`.
    """
    options = make_options(body.get("options"))
    found = resolve_all(names, key=key, field=field)
    caller = make_caller(key)
    experts = [
        Expert(ask_inline(make_question(body, options=options, release=release, caller=caller))) for release in found
    ]
    check_caps(experts, llm=get_llm())
    return experts


def resolve_all(names: Sequence[str], *, key: ApiKey, field: str) -> list[Release]:
    """Their releases. Raises `UnknownPlugin`, `UnknownRelease`, `RepeatedPlugin`."""
    found = [_resolve(name, key=key, param=f"{field}.{at}") for at, name in enumerate(names)]
    plugins = [release.plugin_id for release in found]
    for at, plugin in enumerate(plugins):
        if plugin in plugins[:at]:
            raise RepeatedPlugin(f"The plugin “{names[at][:_MAX_NAMED_CHARACTERS]}” is named twice.", param=field)
    return found


def check_all_askable(request: Request, *, field: str) -> None:
    """Raises what `resolve_all` raises for the plugins that this field of the body names, where it is there."""
    assert isinstance(request.auth, ApiKey)
    body: Any = request.data
    resolve_all([str(name) for name in body.get(field) or ()], key=request.auth, field=field)


def _resolve(name: str, *, key: ApiKey, param: str) -> Release:
    shown = name[:_MAX_NAMED_CHARACTERS]
    try:
        return releases.resolve(name, principal=key)
    except UnknownPlugin:
        raise UnknownPlugin(f"No plugin “{shown}” can be asked with this key.", param=param) from None
    except UnknownRelease:
        raise UnknownRelease(f"There is no release “{shown}”.", param=param) from None
