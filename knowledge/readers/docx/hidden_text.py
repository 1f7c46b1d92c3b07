"""Decides which runs of a Word file are invisible: hidden directly or by a style, or too small to be seen.

White text stays, as in a PDF: on a dark ground it is the header of a table, and telling the two apart would mean
drawing the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knowledge.readers.docx.names import W, attribute, is_on

# In half points: below two points nothing can be read.
_MIN_VISIBLE_SIZE = 4
_MAX_STYLE_DEPTH = 30


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What one set of run properties says of it; None where it says nothing."""

    vanish: bool | None = None
    size: int | None = None


class HiddenText:
    """Looks runs up in the styles of their document. `styles` is the root of its styles part, None without one."""

    def __init__(self, styles: Any = None) -> None:
        self._own: dict[str, _Look] = {}
        self._parents: dict[str, str] = {}
        self._default_paragraph_style = ""
        self._defaults = _Look()
        if styles is not None:
            self._read_styles(styles)
        self._looks = {name: self._inherited_look(name) for name in self._own}
        looks = [self._defaults, *self._looks.values()]
        # Few documents have such a style; in all others a run is judged by itself.
        self._styles_matter = any(look.vanish or _is_tiny(look.size) for look in looks)

    def covers(self, run: Any) -> bool:
        """Whether this `w:r` is not seen."""
        properties = run.find(f"{W}rPr")
        look = _look_of(properties)
        if not self._styles_matter:
            return bool(look.vanish) or _is_tiny(look.size)
        character, paragraph = self._styles_of(run, properties)
        # Hiding in a paragraph's style and in a character's style takes each other back, as in Word.
        styled = bool(self._defaults.vanish) or bool(paragraph.vanish) != bool(character.vanish)
        sizes = (look.size, character.size, paragraph.size, self._defaults.size)
        size = next((size for size in sizes if size is not None), None)
        return (styled if look.vanish is None else look.vanish) or _is_tiny(size)

    def _styles_of(self, run: Any, properties: Any) -> tuple[_Look, _Look]:
        named = properties.find(f"{W}rStyle") if properties is not None else None
        character = self._looks.get(attribute(named, "val"), _Look())
        paragraph = next(run.iterancestors(f"{W}p"), None)
        style = paragraph.find(f"{W}pPr/{W}pStyle") if paragraph is not None else None
        name = attribute(style, "val") or self._default_paragraph_style
        return character, self._looks.get(name, _Look())

    def _read_styles(self, styles: Any) -> None:
        self._defaults = _look_of(styles.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        for style in styles.iter(f"{W}style"):
            name = attribute(style, "styleId")
            self._own[name] = _look_of(style.find(f"{W}rPr"))
            self._parents[name] = attribute(style.find(f"{W}basedOn"), "val")
            if attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true", "on"):
                self._default_paragraph_style = name

    def _inherited_look(self, name: str) -> _Look:
        vanish, size = None, None
        for _ in range(_MAX_STYLE_DEPTH):
            own = self._own.get(name)
            if own is None:
                break
            vanish = own.vanish if vanish is None else vanish
            size = own.size if size is None else size
            name = self._parents[name]
        return _Look(vanish=vanish, size=size)


def _look_of(properties: Any) -> _Look:
    if properties is None or not len(properties):
        return _Look()
    vanish, size = properties.find(f"{W}vanish"), attribute(properties.find(f"{W}sz"), "val")
    return _Look(
        vanish=None if vanish is None else is_on(vanish), size=int(size) if size.isdecimal() and len(size) < 6 else None
    )


def _is_tiny(size: int | None) -> bool:
    return size is not None and size < _MIN_VISIBLE_SIZE
