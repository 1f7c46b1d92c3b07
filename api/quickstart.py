"""`GET /api/quickstart`: docs/api.md as a page. What the tests run is what people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode


@dataclass(frozen=True, kw_only=True)
class Guide:
    """`sections`: the anchors and titles of its parts. `content` is without its first heading, the title."""

    title: str
    sections: tuple[tuple[str, str], ...]
    content: SafeString


@require_safe
def quickstart(request: HttpRequest) -> HttpResponse:
    return render(request, "api/quickstart.html", {"guide": guide()})


@cache
def guide() -> Guide:
    text = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    title, *nodes = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text)).children
    headings = [words_of(node) for node in nodes if node.type == "heading" and node.tag == "h2"]
    sections = tuple((slugify(words), words) for words in headings)
    return Guide(title=words_of(title), sections=sections, content=_joined(nodes))


def words_of(node: SyntaxTreeNode) -> str:
    """The text of a node, without its markup."""
    return "".join(one.content for one in node.walk() if one.type in ("text", "code_inline"))


def _joined(nodes: list[SyntaxTreeNode]) -> SafeString:
    return format_html_join("", "{}", ((_markup(node),) for node in nodes))


def _markup(node: SyntaxTreeNode) -> SafeString:
    """Everything is escaped; what has no form of its own here shows what it holds."""
    if form := _FORMS.get(node.type):
        return form(node)
    return _joined(node.children) if node.children else format_html("{}", node.content)


def _inside(template: str) -> Callable[[SyntaxTreeNode], SafeString]:
    return lambda node: format_html(template, _joined(node.children))


def _heading(node: SyntaxTreeNode) -> SafeString:
    level = "h3" if node.tag == "h3" else "h2"
    return format_html('<{} id="{}">{}</{}>', level, slugify(words_of(node)), _joined(node.children), level)


def _paragraph(node: SyntaxTreeNode) -> SafeString:
    is_tight = node.parent is not None and node.parent.type == "list_item"
    return _joined(node.children) if is_tight else format_html("<p>{}</p>", _joined(node.children))


def _fence(node: SyntaxTreeNode) -> SafeString:
    # A region that may scroll is reached by keyboard.
    return format_html('<pre tabindex="0"><code>{}</code></pre>', node.content)


def _link(node: SyntaxTreeNode) -> SafeString:
    return format_html('<a href="{}">{}</a>', node.attrs["href"], _joined(node.children))


_FORMS: Mapping[str, Callable[[SyntaxTreeNode], SafeString]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "fence": _fence,
    "link": _link,
    "softbreak": lambda node: format_html("{}", "\n"),
    "code_inline": lambda node: format_html("<code>{}</code>", node.content),
    "em": _inside("<em>{}</em>"),
    "strong": _inside("<strong>{}</strong>"),
    "bullet_list": _inside("<ul>{}</ul>"),
    "ordered_list": _inside("<ol>{}</ol>"),
    "list_item": _inside("<li>{}</li>"),
    "table": _inside('<div class="wide" tabindex="0"><table>{}</table></div>'),
    "thead": _inside("<thead>{}</thead>"),
    "tbody": _inside("<tbody>{}</tbody>"),
    "tr": _inside("<tr>{}</tr>"),
    "th": _inside('<th scope="col">{}</th>'),
    "td": _inside("<td>{}</td>"),
}
