"""Descriptions by a model: one client for every provider that speaks the protocol of OpenAI's chat completions."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lexibrarian.archivist.plain import shortened
from lexibrarian.archivist.providers import PRESETS, Preset
from lexibrarian.archivist.redact import has_secret_name, redact
from lexibrarian.artefacts.concept import Concept
from lexibrarian.artefacts.design import TAGS, WARNING, WIKILINKS
from lexibrarian.config import Llm
from lexibrarian.errors import LibraryError
from lexibrarian.languages.outline import Outline
from lexibrarian.links import Resolver
from lexibrarian.log import logger
from lexibrarian.safe_text import in_utf_8
from lexibrarian.sources import Source
from lexibrarian.tokens import count_tokens

if TYPE_CHECKING:
    import httpx

# A longer source is described without a model.
MOST_TOKENS = 24_000
TIMEOUT_SECONDS = 60.0
_ATTEMPTS = 3
_LONGEST_WAIT_SECONDS = 30.0
_FIRST_WAIT_SECONDS = 0.5
# After so many sources in a row that the provider failed for, it is asked no more.
_MAX_FAILURES_IN_A_ROW = 3
_LONGEST_WARNING = 500
_MOST_TAGS, _MOST_LINKS = 5, 8
_TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?```\s*", re.DOTALL)


class ArchivistFailed(Exception):
    """The provider gave no answer that can be used; the message holds nothing of the source and no key."""


@dataclass(frozen=True)
class Suggestion:
    """What a model says about a source; `wikilinks` are names of concepts that are there."""

    description: str
    warning: str = ""
    wikilinks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def sections(self) -> dict[str, str]:
        """What it says beside the description, as bodies of sections."""
        return {
            WARNING: self.warning,
            WIKILINKS: "\n".join(f"- [[{name}]]" for name in self.wikilinks),
            TAGS: "\n".join(f"- {tag}" for tag in self.tags),
        }


@dataclass
class Archivist:
    """A model, and the concepts that it may link to; made by `archivist_for`."""

    client: httpx.Client
    model: str
    concepts: list[Concept]
    failures: int = 0
    resolver: Resolver = field(init=False)

    def __post_init__(self) -> None:
        self.resolver = Resolver(self.concepts, [])

    def takes(self, source: Source) -> bool:
        """Whether a source may be sent, and is not too long."""
        return not has_secret_name(source.path) and count_tokens(source.text) <= MOST_TOKENS

    def describe(self, source: Source, outline: Outline | None, *, before: str = "") -> Suggestion:
        """Ask about one source; raises `ArchivistFailed`. `before` is the description of an unchanged interface."""
        from lexibrarian.archivist.prompts import messages

        if self.failures >= _MAX_FAILURES_IN_A_ROW:
            raise ArchivistFailed("Skipped: the provider failed too often.")
        titles = [concept.title for concept in self.concepts if concept.status != "deprecated"]
        body = {
            "model": self.model,
            "messages": messages(source, outline, titles, before=before),
            "response_format": {"type": "json_object"},
        }
        begun = time.monotonic()
        try:
            suggestion = self._asked(body)
        except ArchivistFailed:
            self.failures += 1
            raise
        self.failures = 0
        logger.info("the model described %s in %.1f s", source.path, time.monotonic() - begun)
        return suggestion

    def _asked(self, body: dict[str, Any]) -> Suggestion:
        problem = ""
        for attempt in range(_ATTEMPTS):
            answer, problem, wait = self._sent(body)
            if answer is not None:
                try:
                    return self._checked(_content(answer))
                except ValueError as error:
                    problem, wait = f"The provider's answer cannot be used: {error}.", 0.0
            if wait is None:
                break
            if attempt + 1 < _ATTEMPTS:
                time.sleep(min(wait * 2**attempt, _LONGEST_WAIT_SECONDS))
        raise ArchivistFailed(problem)

    def _sent(self, body: dict[str, Any]) -> tuple[Any, str, float | None]:
        """The provider's answer, or what went wrong, and how many seconds to wait; `None` where waiting is no use."""
        import httpx

        try:
            response = self.client.post("chat/completions", json=body)
        except httpx.TimeoutException:
            return None, f"The provider did not answer within {TIMEOUT_SECONDS:g} seconds.", _FIRST_WAIT_SECONDS
        except httpx.HTTPError as error:
            return None, f"The provider cannot be reached ({type(error).__name__}).", _FIRST_WAIT_SECONDS
        if response.status_code == httpx.codes.OK:
            try:
                return response.json(), "", 0.0
            except ValueError:
                return None, "The provider's answer is no JSON.", 0.0
        problem = f"The provider answered with status {response.status_code}."
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            stated = response.headers.get("retry-after", "")
            return None, problem, float(stated) if stated.isdigit() else _FIRST_WAIT_SECONDS
        self.failures = _MAX_FAILURES_IN_A_ROW
        return None, problem, None

    def _checked(self, content: str) -> Suggestion:
        """What of an answer has the right form; raises `ValueError` where there is no description."""
        fenced = _FENCED.fullmatch(content)
        try:
            data = json.loads(fenced[1] if fenced else content)
        except json.JSONDecodeError as error:
            raise ValueError("it is no JSON") from error
        description = _one_line(data.get("description")) if isinstance(data, dict) else ""
        if not description:
            raise ValueError("it has no description")
        names = [self.resolver.resolve(link).concept for link in _texts(data.get("wikilinks"))]
        links = dict.fromkeys(each.name for each in names if each and each.status != "deprecated")
        tags = dict.fromkeys(tag for tag in _texts(data.get("tags")) if _TAG.fullmatch(tag))
        return Suggestion(
            shortened(redact(description)),
            redact(_one_line(data.get("warning")))[:_LONGEST_WARNING],
            tuple(links)[:_MOST_LINKS],
            tuple(tags)[:_MOST_TAGS],
        )


def archivist_for(llm: Llm, concepts: list[Concept]) -> Archivist:
    """The model that is configured; a missing key, model, address or package is refused."""
    preset = PRESETS.get(llm.provider, Preset("", "", ""))
    base_url, model = llm.base_url or preset.base_url, llm.model or preset.model
    if not base_url or not model:
        missing = "llm.base_url" if not base_url else "llm.model"
        raise LibraryError(
            f"The provider {llm.provider} needs `{missing}`.",
            code="invalid_config",
            hint=f"Set it in .lexibrary/config.yaml, or choose one of {', '.join(PRESETS)}.",
        )
    variable = llm.api_key_env or preset.api_key_env
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise LibraryError(
            f"The variable {variable} is not set, so {llm.provider} cannot be asked.",
            code="missing_key",
            hint="Set it, or set `llm.provider: none` in .lexibrary/config.yaml.",
        )
    try:
        import detect_secrets  # noqa: F401
        import httpx
    except ModuleNotFoundError as missing_package:
        raise LibraryError(
            "A model needs an extra.", code="missing_extra", hint='Run `pip install "lexibrarian[llm]"`.'
        ) from missing_package
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # The client's own log would name each address.
    client = httpx.Client(base_url=f"{base_url.rstrip('/')}/", headers=headers, timeout=TIMEOUT_SECONDS)
    return Archivist(client, model, concepts)


def _content(answer: Any) -> str:
    """The text of a finished answer; raises `ValueError` for half of one, or none."""
    try:
        choice = answer["choices"][0]
        content = choice["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError("it holds no message") from error
    if choice.get("finish_reason") == "length":
        raise ValueError("it breaks off")
    if not isinstance(content, str):
        raise ValueError("it holds no text")
    return content


def _one_line(value: object) -> str:
    """A text on one line that can be no link, comment or heading of the file that it goes into."""
    text = in_utf_8(" ".join(value.split())) if isinstance(value, str) else ""
    for mark in ("[[", "]]", "<!--", "-->"):
        text = text.replace(mark, "")
    return text.lstrip("#- ").strip()


def _texts(value: object) -> Iterator[str]:
    yield from (each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
