"""XML out of a stranger's archive: nothing outside of it is loaded, and no entity is made longer."""

from __future__ import annotations

from lxml import etree

from knowledge.readers.types import DamagedDocument


def parse_xml(data: bytes) -> etree._Element:
    """The root of an XML part. Raises `DamagedDocument`, also for one that is nested beyond reason."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DamagedDocument() from error


def local_name(tag: object) -> str:
    """The name of an element without its namespace; empty for the tag of a comment, which is no text."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
