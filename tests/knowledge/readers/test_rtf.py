from __future__ import annotations

import pytest

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.rtf import drop_hidden
from knowledge.readers.rtf_destinations import drop_binary, move_destinations
from knowledge.readers.types import DamagedDocument, UnreadableDocument
from tests.knowledge.readers.made import read_here
from tests.linear_time import grows_linearly

RULES = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title Cover rules}}"
    r"\pard Cover is {\b 45}\~mm \u8211? fine.\par"
    r"\trowd\cellx100\cellx200 Exposure\cell Cover\cell\row Mild\cell 20 mm\cell\row\pard Le caf\'e9 est ferm\'e9.\par"
    r"{\pict\pngblip 89504e470d0a}Last{\v Secret}\v more\v0  line.\par}"
)


def test_paragraphs_tables_and_letters_of_other_character_sets(tmp_path):
    (tmp_path / "a.rtf").write_text(RULES)
    header, [page] = read_here(tmp_path / "a.rtf", "rtf")
    assert header.title == "Cover rules"
    assert page.text.split("\n\n") == [
        "Cover is 45 mm – fine.",
        "Exposure | Cover\nExposure: Mild | Cover: 20 mm",
        "Le café est fermé.",
        "Last line.",
    ]


def test_what_is_hidden_is_left_out_to_where_its_hiding_ends():
    assert drop_hidden(r"{\v a{\b b}}c\v d\plain e\vertalt f\\v g}") == r"{{}}c\plain e\vertalt f\\v g}"


def test_notes_boxes_objects_headers_and_links_are_read_as_a_person_sees_them(tmp_path):
    link = r'{\field{\*\fldinst{HYPERLINK "https://example.org"}}{\fldrslt{the rules}}}'
    note = r"{\footnote\pard\plain{\super\chftn} On the coast.}"
    box = r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard Boxed words.\par}}}"
    shown = r"{\object\objemb{\*\objdata 0102}{\result{\pard Shown result.\par}}}"
    (tmp_path / "a.rtf").write_text(
        r"{\rtf1{\headerl\pard Draft of May\par}{\headerr\pard Draft of May\par}"
        rf"Cover{note} stands in {link}.\par \trowd Exposure{note}\par here\cell Cover\cell\row"
        rf"{{\pict\pngblip\bin3 }}}}{{}}{box}\pard Below it.{{\deleted Gone.}}\par{shown}}}"
    )
    _, [page] = read_here(tmp_path / "a.rtf", "rtf")
    assert page.text.split("\n\n") == [
        "Cover stands in the rules.",
        "On the coast.",
        "Exposure here | Cover",
        "On the coast.",
        "Below it.",
        "Boxed words.",
        "Shown result.",
        "Draft of May",
    ]


def test_hiding_and_what_stands_aside_are_found_in_linear_time():
    for unit in ("{", "}", "\\v ", "\\v0", "{\\v x}", "\\\\"):
        assert grows_linearly(drop_hidden, unit)
    for unit in ("{\\footnote ", "{\\footnote x}", "\\par", "\\fldinst{", "\\bin1 x", "\\bin0"):
        assert grows_linearly(lambda text: move_destinations(drop_binary(text)), unit)


@pytest.mark.parametrize(
    "text", [r"{\rtf1 \u99999999999?x}", r"{\rtf1 \'zz}", "{\\rtf1 " + "{" * 200_000, r"{\rtf1\bin9999999 x}"]
)
def test_f2_broken_files_end_with_text_or_a_reason(tmp_path, text):
    (tmp_path / "a.rtf").write_text(text)
    try:
        events = list(read_pages(tmp_path / "a.rtf", source_type="rtf"))
    except UnreadableDocument as refused:
        assert refused.code in ("damaged", "empty", "too_large")  # noqa: PT017 -- either end is right
    else:
        assert len(events) == 2


def test_what_is_only_called_so_is_damaged(tmp_path):
    (tmp_path / "a.rtf").write_text("words")
    with pytest.raises(DamagedDocument):
        read_here(tmp_path / "a.rtf", "rtf")


def test_a_text_that_speaks_of_binary_data_is_read_to_its_end(tmp_path):
    rtf = r"{\rtf1 A picture (\\pict, \{pict\}) may hold \\bin5 data.\par {\pict\macpict 09c60000}Its end\\begin.\par}"
    (tmp_path / "a.rtf").write_text(rtf)
    _, [page] = read_here(tmp_path / "a.rtf", "rtf")
    assert page.text.split("\n\n") == [
        r"A picture (\pict, {pict}) may hold \bin5 data.",
        r"Its end\begin.",
    ]
