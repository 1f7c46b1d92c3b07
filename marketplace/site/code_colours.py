"""Code of the guides as HTML with coloured words, by Pygments. Looks are classes; the text stays as it is."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

# The class of each kind of word; what is none of these has none. Of nested kinds the first counts.
_CLASSES = (
    (Token.Comment, "c"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "n"),
    (Token.Keyword, "k"),
    (Token.Name.Builtin, "k"),
    (Token.Name.Tag, "k"),
    (Token.Name.Attribute, "f"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
)
_ALIASES = {"js": "javascript", "ts": "typescript"}


def coloured(code: str, language: str) -> SafeString:
    """The code with a `<span>` around each coloured word; escaped and plain for a language that is not known."""
    lexer = _lexer(language)
    if lexer is None:
        return format_html("{}", code)
    parts = ((_class_of(kind), text) for kind, text in lexer.get_tokens(code))
    return format_html_join("", "{}", ((_word(style, text),) for style, text in parts))


def _word(style: str, text: str) -> SafeString:
    return format_html('<span class="tok-{}">{}</span>', style, text) if style else format_html("{}", text)


def _class_of(kind: _TokenType) -> str:
    return next((style for known, style in _CLASSES if kind in known), "")


def _lexer(language: str) -> Lexer | None:
    if not language or language == "text":
        return None
    try:
        # Nothing is added to the text and nothing is taken away: what is copied is what stands in the file.
        return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
