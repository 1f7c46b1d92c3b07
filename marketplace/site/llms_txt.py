"""`/llms.txt` and the guides as Markdown: the same pages for programs that read (llmstxt.org)."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from marketplace.site import guides
from plugins.models import Plugin

_MAX_AGE = 3600
_MAX_AGENTS = 200
_LINK_CHARACTERS = str.maketrans({"[": "(", "]": ")", "<": "", ">": ""})
_SUMMARY = (
    "Lexic turns what a domain expert knows into a plugin that any agent can ask. Every claim in an answer cites the"
    " words of a page that say it; where the documents are silent, the answer is a refusal."
)
# Name of the route, title, and what is there.
_INTERFACES = (
    ("api_docs", "API reference", "every operation and field, for people"),
    ("schema", "OpenAPI description", "the same for programs, in JSON or with ?format=yaml"),
    ("marketplace", "Marketplace", "the plugins that are published"),
)


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def llms_txt_view(request: HttpRequest) -> HttpResponse:
    """What there is to read, as a list of links in Markdown."""
    return HttpResponse("\n".join(_index_lines()) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def guide_markdown_view(request: HttpRequest, name: str) -> HttpResponse:
    """A guide as it was written."""
    try:
        text = guides.read_guide(name)
    except KeyError as error:
        raise Http404("There is no such guide.") from error
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _index_lines() -> Iterator[str]:
    yield from ("# Lexic", "", f"> {_SUMMARY}", "")
    for group in guides.GUIDE_GROUPS:
        yield from (f"## {group.title}", "")
        for entry in group.entries:
            address = reverse("guide_markdown", args=[entry.name])
            yield f"- [{entry.title}]({settings.PUBLIC_URL}{address}): {guides.load_guide(entry.name).lead}"
        yield ""
    yield from ("## Interfaces", "")
    for name, title, about in _INTERFACES:
        yield f"- [{title}]({settings.PUBLIC_URL}{reverse(name)}): {about}"
    yield f"- [MCP]({settings.PUBLIC_URL}/mcp): streamable HTTP, with a key or by signing in"
    yield f"- [MCP server card]({settings.PUBLIC_URL}{reverse('mcp_server_card')}): where it is, and its revisions"
    yield from _agents()


def _agents() -> Iterator[str]:
    """The agent card of each plugin that anybody may know of (A2A, a2a-protocol.org)."""
    plugins = Plugin.objects.listed().order_by("name", "pk")
    lines = []
    for plugin in plugins[:_MAX_AGENTS]:
        about = plugin.tagline or f"answers questions about {plugin.domain}"
        card = f"{settings.PUBLIC_URL}{reverse('a2a_agent_card', args=[plugin.slug])}"
        lines.append(f"- [{_plain(plugin.name)}]({card}): {_plain(about)}")
    if lines:
        yield from ("", "## Agents", "", "Each plugin is an agent of the A2A protocol. Its card:", "", *lines)


def _plain(text: str) -> str:
    """On one line, and without what Markdown would read as a link."""
    return " ".join(text.translate(_LINK_CHARACTERS).split())
