from __future__ import annotations

from xml.etree import ElementTree as ET

from lexic.plots import render_bars

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_are_as_long_as_their_values_and_the_line_stands_at_one() -> None:
    picture = ET.fromstring(render_bars([("a half", 0.5), ("<two>", 2.0)], title="Ratios"))
    half, two = picture.findall(f"{SVG}rect")[1:]
    assert float(two.attrib["width"]) == 4 * float(half.attrib["width"])
    line = picture.find(f"{SVG}path")
    assert line is not None
    one = float(two.attrib["x"]) + 2 * float(half.attrib["width"])
    assert line.attrib["d"].startswith(f"M{one:.1f} ")
    assert [text.text for text in picture.findall(f"{SVG}text")] == ["Ratios", "a half", "0.50", "<two>", "2.00"]
