"""Markdown of ours as markup. Everything is escaped, and what has no form here shows the words it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it.tree import SyntaxTreeNode

_LANGUAGE_TITLES = {
    "bash": "Shell",
    "console": "Shell",
    "python": "Python",
    "json": "JSON",
    "text": "Text",
    "ini": "Settings",
}
_EXTERNAL_PREFIXES = ("https://", "http://", "mailto:")
_GUIDE_LINK = re.compile(r"(?:\./|docs/)?([\w-]+)\.md(#[\w-]+)?")


def node_text(node: SyntaxTreeNode) -> str:
    """The text of a node, without its markup."""
    words = {"softbreak": "\n", "hardbreak": "\n"}
    kinds = ("text", "code_inline", *words)
    return "".join(one.content or words.get(one.type, "") for one in node.walk() if one.type in kinds)


class MarkdownRenderer:
    """One page as it is drawn. `sections` fills with the anchors and titles of its second headings.

    `guides`: the names of the pages that links may lead to, next to places on this one and addresses abroad.
    """

    def __init__(self, *, guides: Collection[str]) -> None:
        self.guides = guides
        self.sections: list[tuple[str, str]] = []
        self._anchors: set[str] = set()
        self._blocks = 0

    def joined(self, nodes: Iterable[SyntaxTreeNode]) -> SafeString:
        return format_html_join("", "{}", ((self.markup(node),) for node in nodes))

    def markup(self, node: SyntaxTreeNode) -> SafeString:
        if form := _RENDERERS.get(node.type):
            return form(self, node)
        return self.joined(node.children) if node.children else format_html("{}", node.content)

    def heading(self, node: SyntaxTreeNode) -> SafeString:
        level = node.tag if node.tag in ("h3", "h4") else "h2"
        words = node_text(node)
        anchor = self._anchor(words)
        if level == "h2":
            self.sections.append((anchor, words))
        form = '<{} id="{}"><a class="self" href="#{}">{}</a></{}>'
        return format_html(form, level, anchor, anchor, self._plain(node), level)

    def paragraph(self, node: SyntaxTreeNode) -> SafeString:
        inside = self.joined(node.children)
        # Hidden: what a tight list holds.
        return inside if node.hidden else format_html("<p>{}</p>", inside)

    def fence(self, node: SyntaxTreeNode) -> SafeString:
        self._blocks += 1
        language = node.info.strip().partition(" ")[0]
        title = _LANGUAGE_TITLES.get(language, language or "Text")
        # A region that may scroll is reached by keyboard. The button shows itself where it can copy.
        return format_html(
            '<div class="code"><header>{title}<button class="copy" type="button" data-copies="code-{number}" hidden>'
            'Copy</button></header><pre id="code-{number}" tabindex="0" aria-label="{title}, block {number}"><code>'
            "{content}</code></pre></div>",
            title=title,
            number=self._blocks,
            content=node.content,
        )

    def link(self, node: SyntaxTreeNode) -> SafeString:
        address, words = self._address(str(node.attrs.get("href", ""))), self.joined(node.children)
        return format_html('<a href="{}">{}</a>', address, words) if address else words

    def item(self, node: SyntaxTreeNode) -> SafeString:
        return format_html("<li>{}</li>", self.joined(node.children))

    def table(self, node: SyntaxTreeNode) -> SafeString:
        region = (
            '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table class="data">{}</table></div>'
        )
        heads = [node_text(one) for one in node.walk() if one.type == "th"]
        return format_html(
            region, f"Table: {', '.join(filter(None, heads)) or 'facts'}", self.joined(node.children)
        )

    def _plain(self, node: SyntaxTreeNode) -> SafeString:
        """Without links: a heading is one itself."""
        pieces = (one for one in node.walk() if one.type in ("text", "code_inline"))
        return format_html_join("", "{}", ((_RENDERERS[one.type](self, one),) for one in pieces))

    def _anchor(self, words: str) -> str:
        base = slugify(words) or "part"
        anchor, number = base, 1
        while anchor in self._anchors:
            number += 1
            anchor = f"{base}-{number}"
        self._anchors.add(anchor)
        return anchor

    def _address(self, given: str) -> str:
        """Where a link leads on this site; empty for a file of the repository, which is no page here."""
        if given.startswith(("#", *_EXTERNAL_PREFIXES)) or (given.startswith("/") and not given.startswith("//")):
            return given
        found = _GUIDE_LINK.fullmatch(given)
        if found and found[1] in self.guides:
            return reverse("guide", args=[found[1]]) + (found[2] or "")
        return ""


def _wrap_children(template: str) -> Callable[[MarkdownRenderer, SyntaxTreeNode], SafeString]:
    return lambda drawing, node: format_html(template, drawing.joined(node.children))


def _wrap_content(template: str) -> Callable[[MarkdownRenderer, SyntaxTreeNode], SafeString]:
    return lambda drawing, node: format_html(template, node.content)


_RENDERERS: Mapping[str, Callable[[MarkdownRenderer, SyntaxTreeNode], SafeString]] = {
    "heading": MarkdownRenderer.heading,
    "paragraph": MarkdownRenderer.paragraph,
    "fence": MarkdownRenderer.fence,
    "code_block": MarkdownRenderer.fence,
    "link": MarkdownRenderer.link,
    "list_item": MarkdownRenderer.item,
    "table": MarkdownRenderer.table,
    "text": _wrap_content("{}"),
    "softbreak": _wrap_content("{}\n"),
    "hardbreak": _wrap_content("{}<br>"),
    "hr": _wrap_content("{}<hr>"),
    # Pictures are not shown: what they say stands in their words.
    "image": _wrap_content("{}"),
    "html_block": _wrap_content("{}"),
    "html_inline": _wrap_content("{}"),
    "code_inline": _wrap_content("<code>{}</code>"),
    "em": _wrap_children("<em>{}</em>"),
    "strong": _wrap_children("<strong>{}</strong>"),
    "blockquote": _wrap_children('<div class="note"><div class="stack-s">{}</div></div>'),
    "bullet_list": _wrap_children("<ul>{}</ul>"),
    "ordered_list": _wrap_children("<ol>{}</ol>"),
    "thead": _wrap_children("<thead>{}</thead>"),
    "tbody": _wrap_children("<tbody>{}</tbody>"),
    "tr": _wrap_children("<tr>{}</tr>"),
    "th": _wrap_children('<th scope="col">{}</th>'),
    "td": _wrap_children("<td>{}</td>"),
}
