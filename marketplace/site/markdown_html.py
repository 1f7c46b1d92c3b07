"""Our own Markdown as HTML, by markdown-it's renderer. HTML in the source is shown as text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from marketplace.site.code_colours import coloured

_LANGUAGE_TITLES = {
    "bash": "Shell",
    "console": "Shell",
    "python": "Python",
    "javascript": "JavaScript",
    "js": "JavaScript",
    "typescript": "TypeScript",
    "ts": "TypeScript",
    "html": "HTML",
    "json": "JSON",
    "text": "Text",
    "ini": "Settings",
}
_EXTERNAL_PREFIXES = ("https://", "http://", "mailto:")
_GUIDE_LINK = re.compile(r"(?:\./|docs/)?([\w-]+)\.md(#[\w-]+)?")
_BREAKS = {"softbreak": "\n", "hardbreak": "\n"}


def token_text(tokens: Sequence[Token]) -> str:
    """The text of these tokens, without markup."""
    return "".join(
        token_text(token.children) if token.children else _BREAKS.get(token.type, token.content)
        for token in tokens
        if token.children or token.type in ("text", "code_inline", *_BREAKS)
    )


class GuideRenderer(RendererHTML):
    """Renders one guide. `sections` collects the anchor and title of each second-level heading, `anchors` that of
    each heading.

    `guides`: the names of the guides that links may lead to, besides anchors of this page and absolute addresses.
    """

    def __init__(self, *, guides: Collection[str]) -> None:
        super().__init__()
        self.guides = guides
        self.sections: list[tuple[str, str]] = []
        self.anchors: list[str] = []
        self._blocks = 0
        self._is_in_link = False

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> SafeString:
        """All tokens as HTML. What a rule has not made safe is escaped."""
        parts = (
            self.render(token.children or [], None, None)
            if token.type == "inline"
            else self.rules.get(token.type, self.renderToken)(tokens, idx, None, None)
            for idx, token in enumerate(tokens)
        )
        return format_html_join("", "{}", ((part,) for part in parts))

    def renderToken(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A plain tag without attributes; nothing for the paragraphs of a tight list."""
        token = tokens[idx]
        return "" if token.hidden else format_html("<{}{}>", "/" if token.nesting == -1 else "", token.tag)

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return tokens[idx].content

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("<code>{}</code>", tokens[idx].content)

    def softbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "\n"

    def hardbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("<{}>", "br")

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        level, inline = _heading_level(tokens[idx]), tokens[idx + 1]
        title = token_text([inline])
        anchor = self._unique_anchor(title)
        if level == "h2":
            self.sections.append((anchor, title))
        # A heading is a link itself, so it holds no other links.
        inline.children = [one for one in inline.children or [] if one.type in ("text", "code_inline")]
        return format_html('<{} id="{}"><a class="self" href="#{}">', level, anchor, anchor)

    def heading_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("</a></{}>", _heading_level(tokens[idx]))

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        address = self._site_address(str(tokens[idx].attrGet("href") or ""))
        self._is_in_link = bool(address)
        return format_html('<a href="{}">', address) if address else ""

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("</{}>", "a") if self._is_in_link else ""

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        self._blocks += 1
        language = tokens[idx].info.strip().partition(" ")[0]
        # A region that may scroll is reached by keyboard. The script shows the button where it can copy.
        return format_html(
            '<div class="code"><header>{title}<button class="copy" type="button" data-copies="code-{number}" hidden>'
            'Copy</button></header><pre id="code-{number}" tabindex="0" aria-label="{title}, block {number}"><code>'
            "{content}</code></pre></div>",
            title=_LANGUAGE_TITLES.get(language, language or "Text"),
            number=self._blocks,
            content=coloured(tokens[idx].content, language),
        )

    code_block = fence

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        end = next(at for at in range(idx, len(tokens)) if tokens[at].type == "thead_close")
        heads = [token_text([tokens[at + 1]]) for at in range(idx, end) if tokens[at].type == "th_open"]
        return format_html(
            '<div class="scroll" tabindex="0" role="region" aria-label="Table: {}"><table class="data">',
            ", ".join(filter(None, heads)) or "facts",
        )

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("</{}></{}>", "table", "div")

    # The content security policy forbids the style attributes of aligned columns.
    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A head that says nothing is none, to those who hear the table."""
        return format_html('<{} scope="col">', "th") if tokens[idx + 1].content.strip() else format_html("<{}>", "td")

    def th_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("</{}>", "th" if tokens[idx - 1].content.strip() else "td")

    def td_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("<{}>", "td")

    def blockquote_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html('<{0} class="note"><{0} class="stack-s">', "div")

    def blockquote_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return format_html("</{0}></{0}>", "div")

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Pictures are not shown; their description is."""
        return tokens[idx].content

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return tokens[idx].content

    html_inline = html_block

    def _unique_anchor(self, title: str) -> str:
        base = slugify(title) or "part"
        anchor, number = base, 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{base}-{number}"
        self.anchors.append(anchor)
        return anchor

    def _site_address(self, given: str) -> str:
        """Where a link leads on this site; empty for a file of the repository that has no page."""
        if given.startswith(("#", *_EXTERNAL_PREFIXES)) or (given.startswith("/") and not given.startswith("//")):
            return given
        found = _GUIDE_LINK.fullmatch(given)
        if found and found[1] in self.guides:
            return reverse("guide", args=[found[1]]) + (found[2] or "")
        return ""


def _heading_level(token: Token) -> str:
    return token.tag if token.tag in ("h3", "h4") else "h2"
