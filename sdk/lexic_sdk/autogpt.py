"""A Lexic plugin as a command of AutoGPT, or of anything else that calls a function and reads text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lexic_sdk import wording
from lexic_sdk.client import Lexic
from lexic_sdk.errors import LexicError
from lexic_sdk.expert import DESCRIPTION, FACTS_DESCRIPTION, QUERY_DESCRIPTION, Expert
from lexic_sdk.question import Facts, Options

PARAMETERS: dict[str, dict[str, Any]] = {
    "query": {"type": "string", "description": QUERY_DESCRIPTION, "required": True},
    "facts": {"type": "object", "description": FACTS_DESCRIPTION, "required": False},
}


@dataclass(frozen=True, kw_only=True)
class Command:
    """What an agent registers. Calling it gives text."""

    name: str
    description: str
    parameters: dict[str, dict[str, Any]]
    method: Callable[..., str]

    def __call__(self, query: str, facts: Facts | None = None) -> str:
        return self.method(query, facts)


class LexicAutoGPT:
    """Asks one plugin and answers in text that people read as well: the answer, then its numbered sources."""

    def __init__(
        self,
        *,
        plugin: str,
        api_key: str | None = None,
        base_url: str | None = None,
        name: str = "consult_expert",
        description: str = DESCRIPTION,
        query_options: Options | None = None,
        timeout: float = 120.0,
        allow_http: bool = False,
        client: Lexic | None = None,
    ) -> None:
        """Raises `ConfigurationError`."""
        self.plugin, self.name, self.description = plugin, name, description
        self._expert = Expert(
            api_key=api_key,
            base_url=base_url,
            query_options=query_options,
            timeout=timeout,
            allow_http=allow_http,
            client=client,
        )

    def set_plugin(self, plugin: str) -> LexicAutoGPT:
        """Ask another plugin from now on, with the same key. Commands that were made before follow."""
        self.plugin = plugin
        return self

    def as_command(self) -> Command:
        return Command(name=self.name, description=self.description, parameters=PARAMETERS, method=self.ask)

    def ask(self, query: str, facts: Facts | None = None) -> str:
        """Never raises `LexicError`: an agent that runs on its own reads what went wrong, and can act on it."""
        try:
            return wording.as_text(self._expert.ask(query, plugin=self.plugin, facts=facts))
        except LexicError as error:
            return f"The expert could not be asked. {error}"
