"""`/llms.txt` and the guides as Markdown: the same pages for programs that read (llmstxt.org)."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from marketplace.site import guides

_MAX_AGE = 3600
_SUMMARY = (
    "Lexic turns what a domain expert knows into a plugin that any agent can ask. Every claim in an answer cites the"
    " words of a page that say it; where the documents are silent, the answer is a refusal."
)
# Name of the route, title, and what is there.
_DOORS = (
    ("api_docs", "API reference", "every operation and field, for people"),
    ("schema", "OpenAPI description", "the same for programs, in JSON or with ?format=yaml"),
    ("marketplace", "Marketplace", "the plugins that are published"),
)


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def llms_txt_view(request: HttpRequest) -> HttpResponse:
    """What there is to read, as a list of links in Markdown."""
    return HttpResponse("\n".join(_lines()) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def guide_markdown_view(request: HttpRequest, name: str) -> HttpResponse:
    """A guide as it was written."""
    try:
        text = guides.read_guide(name)
    except KeyError as error:
        raise Http404("There is no such guide.") from error
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _lines() -> Iterator[str]:
    yield from ("# Lexic", "", f"> {_SUMMARY}", "")
    for group in guides.GUIDE_GROUPS:
        yield from (f"## {group.title}", "")
        for entry in group.entries:
            address = reverse("guide_markdown", args=[entry.name])
            yield f"- [{entry.title}]({settings.PUBLIC_URL}{address}): {guides.load_guide(entry.name).lead}"
        yield ""
    yield from ("## Doors", "")
    for name, title, about in _DOORS:
        yield f"- [{title}]({settings.PUBLIC_URL}{reverse(name)}): {about}"
    yield f"- [MCP]({settings.PUBLIC_URL}/mcp): streamable HTTP, with a key or by signing in"
