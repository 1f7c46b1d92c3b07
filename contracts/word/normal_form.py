"""One form for all documents that say and look the same, however their text is cut into runs."""

from __future__ import annotations

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
    for run in list(root.iter(f"{W}r")):
        previous = run.getprevious()
        if previous is not None and previous.tag == run.tag and _look(previous) == _look(run):
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


def _look(run: Any) -> tuple[bytes, list[tuple[str, str]]]:
    properties = run.find(f"{W}rPr")
    return b"" if properties is None else canonical(properties), sorted(run.attrib.items())


def _join_texts(run: Any) -> None:
    for text in [child for child in run if child.tag in _JOINED_TAGS]:
        previous = text.getprevious()
        if previous is not None and previous.tag == text.tag and dict(previous.attrib) == dict(text.attrib):
            previous.text = (previous.text or "") + (text.text or "")
            run.remove(text)
