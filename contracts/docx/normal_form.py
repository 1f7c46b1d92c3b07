"""A normal form of documents: equal for all that say and look the same, however their text is cut into runs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from lxml import etree

from knowledge.readers.docx.names import W

_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_TEXT_TAGS = frozenset(f"{W}{name}" for name in ("t", "delText", "instrText", "delInstrText"))
_JOINED_TAGS = frozenset({f"{W}t", f"{W}delText"})


def canonical(element: Any) -> bytes:
    """An element as bytes in which neither the order of attributes nor quotation marks matter."""
    return bytes(etree.tostring(element, method="c14n", with_tail=False))


def normal_form(root: Any) -> bytes:
    """The canonical bytes of a document with white space between elements left out, empty properties left out, and
    neighbouring runs of the same properties put together. Changes `root`."""
    for element in root.iter(etree.Element):
        _drop_layout(element)
    for properties in [*root.iter(f"{W}rPr"), *root.iter(f"{W}pPr")]:
        if not len(properties) and not properties.attrib:
            properties.getparent().remove(properties)
    # Looked at before any run grows.
    looks = {run: _run_formatting(run) for run in root.iter(f"{W}r")}
    for run, look in looks.items():
        previous = run.getprevious()
        if previous is not None and looks.get(previous) == look:
            for child in [child for child in run if child.tag != f"{W}rPr"]:
                previous.append(child)
            run.getparent().remove(run)
    for run in root.iter(f"{W}r"):
        _join_texts(run)
    return canonical(root)


def _drop_layout(element: Any) -> None:
    if element.tail and not element.tail.strip():
        element.tail = None
    if element.tag in _TEXT_TAGS:
        text = element.text or ""
        if text == text.strip():
            element.set(_XML_SPACE, "preserve")
    elif element.text and not element.text.strip():
        element.text = None


def _run_formatting(run: Any) -> tuple[bytes, list[tuple[str, str]]]:
    properties = run.find(f"{W}rPr")
    return b"" if properties is None else canonical(properties), sorted(run.attrib.items())


def _join_texts(run: Any) -> None:
    for _, group in groupby(list(run), key=_text_kind):
        first, *others = group
        if others and first.tag in _JOINED_TAGS:
            first.text = "".join(text.text or "" for text in (first, *others))
            for text in others:
                run.remove(text)


def _text_kind(child: Any) -> Any:
    """A key that neighbours share if they can be merged; any other element is its own key."""
    return (child.tag, tuple(child.attrib.items())) if child.tag in _JOINED_TAGS else child
