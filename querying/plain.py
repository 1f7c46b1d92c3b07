"""Text of models and documents as plain text: no images, no links, no markup that a reader's screen would load.

Every pattern is bounded, so that hostile text costs linear time.
"""

from __future__ import annotations

import re

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]")
_REFERENCE = re.compile(r"^ {0,3}\[[^\[\]]{1,100}\]:[ \t]*\S{1,2000}.{0,200}$", re.MULTILINE)
# A tag, not an inequality: "a<b and c>d" has neither a bare name nor an attribute.
_TAG = re.compile(r"</?[a-zA-Z][\w:-]{0,40}\s{0,9}/?>|<[a-zA-Z][^<>=]{0,100}=[^<>]{0,500}>|<[!?][^<>]{0,500}>")
_URL = re.compile(
    r"\b(?:https?|ftp|file|data|javascript|vbscript):[^\s\]>)\"']{1,2000}|\bwww\.[^\s\]>)\"']{1,2000}",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
# Whatever is left of such markup, nested or cut in two by a sentence's end, must not work as any.
_DEFUSED = [
    (re.compile(r"!(?=\[)"), ""),
    (re.compile(r"\](?=[(:])"), "] "),
    (re.compile(r"<(?=[a-zA-Z/!?])"), "< "),
]


def plain(text: str) -> str:
    """The text without images, links, addresses and tags; the words of links stay."""
    text = _CONTROL.sub("", text)
    text = _REFERENCE.sub("", text)
    text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _REFERENCE_LINK.sub(r"\1", text)
    text = _TAG.sub("", text)
    text = _URL.sub("", text)
    for markup, harmless in _DEFUSED:
        text = markup.sub(harmless, text)
    return text
