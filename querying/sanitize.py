"""Text of models and documents as plain text: no images, no links, no markup that a reader's screen would load.

Every pattern is bounded, so that hostile text costs linear time.
"""

from __future__ import annotations

import re

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]")
_REFERENCE_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]]{1,100}\]:[ \t]*\S{1,2000}.{0,200}$", re.MULTILINE)
# A tag, not an inequality: "a<b and c>d" has neither a bare name nor an attribute.
_TAG = re.compile(r"</?[a-zA-Z][\w:-]{0,40}\s{0,9}/?>|<[a-zA-Z][^<>=]{0,100}=[^<>]{0,500}>|<[!?][^<>]{0,500}>")
# What marks turns and roles in the prompts of chat models.
_ROLE_MARKER = re.compile(r"<\|[^<>|]{0,40}\|>|\[/?INST\]|<</?SYS>>", re.IGNORECASE)
# An address is one wherever it begins: some readers link it in the middle of a word too.
_URL = re.compile(
    r"(?:https?|ftp|wss?)[:：][/\\]{1,3}[^\s\]>)\"']{0,2000}"
    r"|\b(?:https?|ftp|file|data|blob|javascript|vbscript|mailto|tel|sms|intent):[^\s\]>)\"']{1,2000}"
    r"|\bwww\.[^\s\]>)\"']{1,2000}",
    re.IGNORECASE,
)
# Behind the words of a link, as documents are read: without it no empty brackets are left.
_BRACKETED_URL = re.compile(r" \((?:https?://|www\.)[^\s\]>()\"']{1,2000}\)", re.IGNORECASE)
# Control characters, and whatever a screen does not show: zero-width, direction marks, soft hyphens, tag characters.
_CONTROL_CHARACTERS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
_CONTROL = re.compile(f"[{_CONTROL_CHARACTERS}]")
_LINE_END_CHARACTERS = r"\x0b\x0c\x85\u2028\u2029"
_LINE_ENDS = re.compile(f"[{_LINE_END_CHARACTERS}]")
# Brackets that look like a source's mark but are none, for a letter of it is of another alphabet.
_LOOKALIKE = re.compile(
    r"[\[【〔［]\s{0,3}(?!source)\w{5,8}\s{0,3}\d[^\[\]【】〔〕［］]{0,40}[\]】〕］]", re.IGNORECASE
)
# Whatever is left of such markup, nested or cut in two by a sentence's end, must not work as any.
_NEUTRALIZED = [
    (re.compile(r"!(?=\[)"), ""),
    (re.compile(r"\](?=[(:])"), "] "),
    (re.compile(r"<(?=[a-zA-Z/!?])"), "< "),
    (re.compile(r":(?=//)"), ": "),
    (re.compile(r"&(?=#)"), "& "),  # a letter of an address, written as a number
]

# Every pattern above needs one of these characters, or "www.". Most sentences have none.
_SIGN_OF_MARKUP = re.compile(rf"[\[\]<&:：【〔［{_CONTROL_CHARACTERS}{_LINE_END_CHARACTERS}]")


def sanitize(text: str) -> str:
    """The text without images, links, addresses and tags; the words of links stay."""
    may_have_markup = _SIGN_OF_MARKUP.search(text) or "www." in text.lower()
    return _without_markup(text) if may_have_markup else text


def _without_markup(text: str) -> str:
    text = _CONTROL.sub("", _LINE_ENDS.sub(" ", text))
    if not text.isascii():
        text = _LOOKALIKE.sub(_drop_lookalike, text)
    text = _ROLE_MARKER.sub("", text)
    text = _REFERENCE_DEFINITION.sub("", text)
    text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _REFERENCE_LINK.sub(r"\1", text)
    text = _TAG.sub("", text)
    text = _BRACKETED_URL.sub("", text)
    text = _URL.sub("", text)
    for markup, harmless in _NEUTRALIZED:
        text = markup.sub(harmless, text)
    return text


def _drop_lookalike(mark: re.Match[str]) -> str:
    """Drops "[Ѕource 1]" with a Cyrillic letter, and keeps other brackets ("[Clause 5]")."""
    word = re.sub(r"[^\w]|\d", "", mark.group()).lower()
    return "" if not word.isascii() and len(word) <= 8 and _looks_like_source(word) else mark.group()


def _looks_like_source(word: str) -> bool:
    """Whether the word has at least three letters of "source" in their places."""
    return sum(one == other for one, other in zip(word, "sources", strict=False)) >= 3
