from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import DamagedDocument, NoText, TooLarge, UnreadableDocument, UnsupportedDocument
from tests.knowledge.readers.made import read_here, repacked
from tests.knowledge.readers.test_sheets import LAUGHS

PLACE = (Inches(1), Inches(2), Inches(6), Inches(2))


def slides(path: Path, *draw: Callable[[Any], None], title: str = "") -> Path:
    """A presentation with one slide for each function."""
    deck = pptx.Presentation()
    deck.core_properties.title = title
    for fill in draw:
        fill(deck.slides.add_slide(deck.slide_layouts[5]))
    deck.save(str(path))
    return path


def cover(slide: Any) -> None:
    slide.shapes.title.text = "Nominal cover"
    slide.shapes.add_textbox(*PLACE).text_frame.text = "Cover protects the steel.\nIt is measured to the links."
    slide.notes_slide.notes_text_frame.text = "Say that 45 mm holds on the coast."


def exposure_table(slide: Any) -> None:
    table = slide.shapes.add_table(3, 2, *PLACE).table
    rows = [("Exposure", "Cover"), ("Mild", "20 mm"), ("Severe", "45 mm")]
    for at, (exposure, nominal) in enumerate(rows):
        table.cell(at, 0).text, table.cell(at, 1).text = exposure, nominal
    slide.shapes.title._element.getparent().remove(slide.shapes.title._element)


def chart(slide: Any) -> None:
    slide.shapes.title.text = "Sales"
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("Beams", (120, 130.5))
    data.add_series("Slabs", (80, None))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *PLACE, data)


def grouped(slide: Any) -> None:
    slide.shapes.title.text = "Groups"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(*PLACE).text_frame.text = "Outer"
    group.shapes.add_group_shape().shapes.add_textbox(*PLACE).text_frame.text = "Inner"


def test_a_slide_is_a_page_with_its_title_as_heading_and_its_notes_apart(tmp_path):
    path = slides(tmp_path / "a.pptx", cover, exposure_table, chart, grouped)
    header, pages = read_here(path, "pptx")
    assert (header.title, header.paged, header.page_total) == ("Nominal cover", True, 4)
    assert [page.label for page in pages] == ["slide 1", "slide 2", "slide 3", "slide 4"]
    assert pages[0].text.split("\n\n") == [
        "Nominal cover",
        "Cover protects the steel.\nIt is measured to the links.",
        "Speaker notes",
        "Say that 45 mm holds on the coast.",
    ]
    assert [(one.level, one.title) for one in pages[0].headings] == [(1, "Nominal cover"), (2, "Speaker notes")]
    assert all(pages[0].text.startswith(one.title, one.start) for one in pages[0].headings)
    assert pages[1].text == "Exposure | Cover\nExposure: Mild | Cover: 20 mm\nExposure: Severe | Cover: 45 mm"
    # A slide without a title does not stand under that of the slide before.
    assert [(one.level, one.title) for one in pages[1].headings] == [(1, "")]
    assert pages[2].text.split("\n\n")[1].split("\n") == [
        "Category | Beams | Slabs",
        "Category: 2024 | Beams: 120 | Slabs: 80",
        "Category: 2025 | Beams: 130.5",
    ]
    assert pages[3].text == "Groups\n\nOuter\n\nInner"


def test_a_chart_shows_dates_percents_and_years_as_its_formats_do(tmp_path):
    def shares(slide: Any) -> None:
        data = CategoryChartData(number_format="0%")
        data.categories = [date(2024, 1, 1), date(2024, 2, 1)]
        data.add_series("2023", (0.25, 0.285))
        data.add_series("2024", (0.3, None))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *PLACE, data)

    text = read_here(slides(tmp_path / "a.pptx", shares), "pptx")[1][0].text
    assert text.split("\n") == [
        "Category | 2023 | 2024",
        "Category: 2024-01-01 | 2023: 25% | 2024: 30%",
        "Category: 2024-02-01 | 2023: 29%",
    ]


def test_a_title_that_a_person_gave_goes_before_that_of_the_first_slide(tmp_path):
    assert read_here(slides(tmp_path / "a.pptx", cover, title="Durability"), "pptx")[0].title == "Durability"


def test_raised_digits_are_an_exponent_or_the_mark_of_a_note_and_no_other_number(tmp_path):
    def draw(slide: Any) -> None:
        paragraph = slide.shapes.title.text_frame.paragraphs[0]
        for text, is_raised in (("10", False), ("6", True), (" cycles of the beam", False), ("1", True)):
            run = paragraph.add_run()
            run.text = text
            if is_raised:
                run.font._element.set("baseline", "30000")

    _, [page] = read_here(slides(tmp_path / "a.pptx", draw), "pptx")
    assert page.text == "10⁶ cycles of the beam"


def test_a_hidden_slide_says_nothing_and_keeps_its_number(tmp_path):
    def hidden(slide: Any) -> None:
        cover(slide)
        slide._element.set("show", "0")

    _, pages = read_here(slides(tmp_path / "a.pptx", hidden, chart), "pptx")
    assert (pages[0].text, pages[0].headings, pages[1].label) == ("", (), "slide 2")


def test_cells_over_several_rows_are_repeated(tmp_path):
    def merged(slide: Any) -> None:
        exposure_table(slide)
        [table] = [shape.table for shape in slide.shapes if shape.has_table]
        table.cell(1, 0).merge(table.cell(2, 0))

    text = read_here(slides(tmp_path / "a.pptx", merged), "pptx")[1][0].text
    assert text.split("\n")[2].startswith("Exposure: Mild")


def test_pictures_alone_are_no_text(tmp_path):
    def blank(slide: Any) -> None:
        slide.shapes.title.text = ""

    with pytest.raises(NoText):
        read_here(slides(tmp_path / "a.pptx", blank), "pptx")


def test_macros_are_left_alone(tmp_path):
    path = slides(tmp_path / "a.pptm", cover)
    with zipfile.ZipFile(path) as archive:
        types = archive.read("[Content_Types].xml").decode()
    plain = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    types = types.replace(plain, "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml")
    repacked(path, {"[Content_Types].xml": types.encode(), "ppt/vbaProject.bin": b"Attribute VB_Name Shell"})
    assert read_here(path, "pptx")[1][0].text.startswith("Nominal cover")


def test_what_a_link_leads_to_is_not_opened(tmp_path):
    def linked(slide: Any) -> None:
        cover(slide)
        run = slide.shapes.add_textbox(*PLACE).text_frame.paragraphs[0].add_run()
        run.text, run.hyperlink.address = "the rules", "file:///etc/passwd"

    text = read_here(slides(tmp_path / "a.pptx", linked), "pptx")[1][0].text
    assert "the rules" in text
    assert "root:" not in text


def test_other_office_files_are_not_slides(tmp_path):
    from tests.knowledge.readers.made import word

    path = word(tmp_path / "a.pptx", lambda document: document.add_paragraph("words"))
    with pytest.raises(UnsupportedDocument):
        read_here(path, "pptx")


@pytest.mark.parametrize("part", ["ppt/presentation.xml", "ppt/slides/slide1.xml", "ppt/notesSlides/notesSlide1.xml"])
def test_a_broken_part_is_damaged(tmp_path, part):
    path = repacked(slides(tmp_path / "a.pptx", cover), {part: b"<not xml"})
    with pytest.raises(DamagedDocument):
        read_here(path, "pptx")


def _slide_xml(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read("ppt/slides/slide1.xml").decode()


def _nested_groups(path: Path) -> None:
    start, end = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>", "</p:grpSp>"
    xml = _slide_xml(path).replace("</p:spTree>", start * 60 + end * 60 + "</p:spTree>")
    repacked(path, {"ppt/slides/slide1.xml": xml.encode()})


def _entities(path: Path) -> None:
    xml = _slide_xml(path)
    head, body = xml.split("?>", 1)
    repacked(path, {"ppt/slides/slide1.xml": f"{head}?>{LAUGHS}{body}".replace("Nominal cover", "&j;").encode()})


def _slide_of_itself(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        relations = archive.read("ppt/_rels/presentation.xml.rels").decode()
    cyclic = relations.replace("slides/slide1.xml", "presentation.xml")
    repacked(path, {"ppt/_rels/presentation.xml.rels": cyclic.encode()})


def _bomb(path: Path) -> None:
    repacked(path, {"ppt/slides/slide1.xml": _slide_xml(path).replace("Nominal cover", "x" * 70_000_000).encode()})


@pytest.mark.parametrize("spoil", [_nested_groups, _entities, _slide_of_itself, _bomb])
def test_f2_hostile_slides_end_with_a_reason(tmp_path, spoil):
    path = slides(tmp_path / "a.pptx", cover)
    spoil(path)
    try:
        text = "".join(getattr(event, "text", "") for event in read_pages(path, source_type="pptx"))
    except UnreadableDocument as refused:
        assert refused.code in ("too_large", "damaged")  # noqa: PT017 -- either end is right
    else:
        assert spoil is _entities
        assert "haha" not in text


def test_a_slide_longer_than_a_page_may_be_is_too_large(tmp_path):
    with pytest.raises(TooLarge):
        read_here(slides(tmp_path / "a.pptx", cover), "pptx", max_page_characters=50)


def test_notes_give_no_title_to_a_deck_without_titles(tmp_path):
    def only_notes(slide: Any) -> None:
        slide.notes_slide.notes_text_frame.text = "Say that 45 mm holds on the coast."

    header, _ = read_here(slides(tmp_path / "a.pptx", only_notes), "pptx")
    assert header.title is None


def test_a_deck_that_lists_a_slide_which_it_does_not_have_is_damaged(tmp_path):
    path = slides(tmp_path / "a.pptx", cover)
    with zipfile.ZipFile(path) as archive:
        presentation = archive.read("ppt/presentation.xml")
    unknown = presentation.replace(b'<p:sldId id="256" r:id="', b'<p:sldId id="256" r:id="rId9')
    assert unknown != presentation
    with pytest.raises(DamagedDocument):
        read_here(repacked(path, {"ppt/presentation.xml": unknown}), "pptx")


def test_a_break_of_a_line_parts_its_words_in_titles_boxes_and_tables(tmp_path):
    def broken_lines(slide: Any) -> None:
        slide.shapes.title.text = "Nominal\vcover"
        slide.shapes.add_textbox(*PLACE).text_frame.text = "RUN make\vCMD serve"
        table = slide.shapes.add_table(2, 2, *PLACE).table
        table.cell(1, 0).text = "45\vmm"

    _, [page] = read_here(slides(tmp_path / "a.pptx", broken_lines), "pptx")
    assert page.text.split("\n\n") == ["Nominal cover", "RUN make\nCMD serve", "45 mm"]


@pytest.mark.parametrize("kind", ["area3DChart", "stockChart", "surface3DChart"])
def test_every_kind_of_chart_is_read_by_the_values_that_the_file_holds(tmp_path, kind):
    path = slides(tmp_path / "a.pptx", chart)
    with zipfile.ZipFile(path) as archive:
        name = next(one for one in archive.namelist() if one.startswith("ppt/charts/chart"))
        drawn = archive.read(name).replace(b"c:barChart>", f"c:{kind}>".encode())
    _, [page] = read_here(repacked(path, {name: drawn}), "pptx")
    assert "Category: 2024 | Beams: 120 | Slabs: 80\nCategory: 2025 | Beams: 130.5" in page.text


def test_points_of_a_scatter_chart_are_rows_and_series_of_other_places_have_their_own(tmp_path):
    def scatter(slide: Any) -> None:
        data = XyChartData()
        for name, points in (("Limit", [(0.7, 2.5), (1.8, 3.25)]), ("Found", [(0.9, 2)])):
            series = data.add_series(name)
            for point in points:
                series.add_data_point(*point)
        slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *PLACE, data)

    _, [page] = read_here(slides(tmp_path / "a.pptx", scatter), "pptx")
    assert page.text.split("\n") == [
        "Category | Limit",
        "Category: 0.7 | Limit: 2.5",
        "Category: 1.8 | Limit: 3.25",
        "Category | Found",
        "Category: 0.9 | Found: 2",
    ]
