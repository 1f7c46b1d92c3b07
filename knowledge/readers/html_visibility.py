"""What a visitor of a web page sees, and what a click shows: the panels of tabs and accordions, hidden until then."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from lxml import etree

# Never text, or text that no visitor sees.
_HIDDEN_TAG_NAMES = """
script style template noscript head title svg math iframe object embed applet canvas audio video
select datalist input textarea button dialog
"""
_HIDDEN_TAGS = frozenset(_HIDDEN_TAG_NAMES.split())
_HIDING_STYLE = re.compile(
    r"(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|(?:font-size|opacity)\s{0,9}:\s{0,9}0(?![.\d]))",
    re.IGNORECASE,
)
_MAX_STYLE_LENGTH = 2_000
# A button that opens what follows it, as in an accordion, is the question or the name of that.
_OPENING_ATTRIBUTES = ("aria-expanded", "aria-controls")
_TITLING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "summary")
# What opens as long as somebody chooses from it is no text of the page.
_CHOOSING_ROLES = frozenset({"combobox", "searchbox", "textbox", "menuitem"})
# Nor is the way to other pages, what asks for an entry or a consent, and what the page says after it.
_SERVING_TAGS = frozenset({"nav", "form"})
_SERVING_ROLES = frozenset({"menu", "navigation", "dialog", "alertdialog", "form", "search", "status", "alert"})


def is_hidden(element: etree._Element) -> bool:
    """Whether a visitor would not see this element: by its tag, an attribute or an inline style."""
    attributes = element.attrib
    if element.tag in _HIDDEN_TAGS and not _is_titling_button(element):
        return True
    # A browser shows what is hidden until it is found to whoever searches the page for it.
    if attributes.get("hidden", "until-found").lower() != "until-found":
        return True
    is_unspoken = attributes.get("aria-hidden", "").lower() == "true"
    return is_unspoken or bool(_HIDING_STYLE.search(attributes.get("style", "")[:_MAX_STYLE_LENGTH]))


def show_panels(root: etree._Element) -> None:
    """Make visible what a visitor opens by a click: panels of tabs, and what a control that is seen names."""
    for panel in root.iterfind(".//*[@role='tabpanel']"):
        _show(panel)
    controls = root.iterfind(".//*[@aria-controls]")
    if next(controls, None) is None:  # most pages
        return
    named = defaultdict(list)
    for element in root.iterfind(".//*[@id]"):
        named[element.get("id")].append(element)
    seen = [root]
    while seen:
        for name in _opened_names(seen.pop()):
            # Panels may have controls of their own.
            closed = [panel for panel in named.pop(name, ()) if is_hidden(panel) and not _serves_page(panel)]
            for panel in closed:
                _show(panel)
            seen += closed


def _opened_names(root: etree._Element) -> Iterator[str]:
    """The names of what the visible controls open."""
    walker = etree.iterwalk(root, events=("start",))
    for _, element in walker:
        if not isinstance(element.tag, str) or is_hidden(element):
            walker.skip_subtree()
        elif not _lets_choose(element):
            yield from element.get("aria-controls", "").split()


def _lets_choose(control: etree._Element) -> bool:
    is_menu = control.get("aria-haspopup", "false").lower() not in ("", "false")
    return is_menu or control.get("role", "").lower() in _CHOOSING_ROLES


def _serves_page(panel: etree._Element) -> bool:
    """Whether the panel is part of a menu, a form or a message, or holds nothing else."""
    around = (one for one in panel.iterancestors() if not _is_form_of_page(one))
    return _holds_only_service(panel) or any(map(_is_service, around))


def _is_service(element: etree._Element) -> bool:
    return element.tag in _SERVING_TAGS or not _SERVING_ROLES.isdisjoint(element.get("role", "").lower().split())


def _is_form_of_page(element: etree._Element) -> bool:
    """Some systems put the whole page into one form."""
    parent = element.getparent()
    return element.tag == "form" and parent is not None and parent.tag == "body"


def _holds_only_service(element: etree._Element) -> bool:
    if _is_service(element):
        return True
    parts = list(element.iterchildren(etree.Element))
    own_text = [element.text, *(part.tail for part in element)]
    return bool(parts) and not any(text and text.strip() for text in own_text) and all(map(_holds_only_service, parts))


def _show(panel: etree._Element) -> None:
    for name in ("hidden", "aria-hidden"):
        panel.attrib.pop(name, None)
    if style := panel.get("style"):
        panel.set("style", _HIDING_STYLE.sub("", style[:_MAX_STYLE_LENGTH]))


def _is_titling_button(element: etree._Element) -> bool:
    if element.tag != "button":
        return False
    opens = element.get("role") == "tab" or any(name in element.attrib for name in _OPENING_ATTRIBUTES)
    return opens or next(element.iterancestors(*_TITLING_TAGS), None) is not None
