"""The characters that Word keeps as places in a font of signs."""

from __future__ import annotations

from typing import Any

from knowledge.readers.docx.names import attribute

# From 0x20 and from 0xA0 on; a space where the font has nothing that is text.
_SYMBOL_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ "
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ "
_WINGDINGS = {0x6C: "•", 0x6F: "☐", 0x71: "☐", 0xA8: "☐", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑", 0xE0: "→"}
_PRIVATE_PLACES = range(0xF000, 0xF100)


def symbol_text(element: Any) -> str:
    """The character of a `w:sym`; empty where nobody can say what its font shows there."""
    try:
        place = int(attribute(element, "char"), 16)
    except ValueError:
        return ""
    font = attribute(element, "font").strip().lower()
    if place in _PRIVATE_PLACES:
        place -= _PRIVATE_PLACES.start
    elif font not in ("symbol", "wingdings"):
        return chr(place) if 0x20 <= place < 0xD800 else ""
    if font == "wingdings":
        return _WINGDINGS.get(place, "")
    return _symbol_character(place) if font == "symbol" else ""


def _symbol_character(place: int) -> str:
    characters, at = (_SYMBOL_LOW, place - 0x20) if place < 0xA0 else (_SYMBOL_HIGH, place - 0xA0)
    return characters[at].strip() if 0 <= at < len(characters) else ""
