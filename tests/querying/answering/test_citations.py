from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from querying.answering.citations import CitationVerifier, referenced_numbers, without_marks
from tests.querying.passages import passage

SEVERE = passage(
    "Buildings stand in weather. For severe exposure the nominal cover of a beam is 45 mm. Columns need more.",
    number=1,
)
MILD = passage("For mild exposure the nominal cover of a beam is 20 mm.", number=2)


def test_a_citation_is_narrowed_to_the_sentence_of_the_page_that_says_it():
    cited = CitationVerifier([SEVERE]).cite("The nominal cover for a beam in severe exposure is 45 mm [Source 1].")
    (citation,) = cited.citations
    assert citation.excerpt == "For severe exposure the nominal cover of a beam is 45 mm."
    assert SEVERE.content[citation.start - SEVERE.start : citation.end - SEVERE.start] == citation.excerpt
    assert cited.text == "The nominal cover for a beam in severe exposure is 45 mm [Source 1]."


def test_lx_070_a_source_that_does_not_exist_is_a_phantom_and_its_mark_is_removed():
    cited = CitationVerifier([SEVERE]).cite("Steel is lighter than wood [Source 7].")
    assert (cited.real, cited.phantom, cited.citations) == (0, 1, ())
    assert cited.text == "Steel is lighter than wood."


def test_a_wrong_figure_is_not_borne_out():
    cited = CitationVerifier([SEVERE, MILD]).cite(
        "The nominal cover of a beam for severe exposure is 54 mm [Source 1]."
    )
    assert cited.citations == ()
    assert cited.has_unsupported_number


def test_a_right_sentence_with_the_wrong_source_gets_the_right_one():
    cited = CitationVerifier([SEVERE, MILD]).cite("For mild exposure the nominal cover of a beam is 20 mm [Source 1].")
    (citation,) = cited.citations
    assert citation.passage == MILD


def test_a_sentence_without_a_mark_is_cited_when_a_passage_plainly_says_it():
    cited = CitationVerifier([SEVERE, MILD]).cite("For mild exposure the nominal cover of a beam is 20 mm.")
    assert [citation.passage for citation in cited.citations] == [MILD]


def test_lx_064_citations_are_numbered_as_they_appear_and_the_same_span_keeps_its_number():
    citer = CitationVerifier([SEVERE, MILD])
    first = citer.cite("For mild exposure the cover of a beam is 20 mm [Source 2].")
    second = citer.cite("For severe exposure the cover of a beam is 45 mm [Source 1].")
    again = citer.cite("So mild exposure means a nominal cover of 20 mm for the beam [Source 2].")
    assert [c.number for c in (*first.citations, *second.citations, *again.citations)] == [1, 2, 1]
    assert [citation.number for citation in citer.citations] == [1, 2]


def test_marks_are_read_in_the_forms_that_models_write():
    assert referenced_numbers("a [Source 1] b [Sources 2 and 3] c [source 4, 5] d 【Source 6】") == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]
    assert referenced_numbers("a [1] b (Source 2) c [Resource 3]") == []


def test_removing_marks_leaves_no_stray_space_before_the_full_stop():
    assert without_marks("It is 45 mm [Source 1] [Source 2].") == "It is 45 mm."


def test_a_claim_without_content_words_is_never_cited():
    assert CitationVerifier([SEVERE]).cite("It is so [Source 1].").citations == ()


def test_links_and_images_do_not_get_into_the_answer():
    cited = CitationVerifier([SEVERE]).cite(
        "For severe exposure ![x](http://evil.example/a.png) the nominal cover of a "
        "[beam](https://evil.example) is 45 mm <img src=x> [Source 1]."
    )
    assert "evil" not in cited.text
    assert "<" not in cited.text
    assert cited.citations


@given(st.text(alphabet=st.sampled_from("[]【】sSource 0123456789,.\n"), max_size=400))
def test_no_text_breaks_the_citer_and_every_citation_is_verbatim(text: str):
    citer = CitationVerifier([SEVERE, MILD])
    citer.cite(text)
    for citation in citer.citations:
        content, start = citation.passage.content, citation.passage.start
        assert content[citation.start - start : citation.end - start] == citation.excerpt


def test_a_hundred_thousand_hostile_characters_are_read_in_one_pass():
    for hostile in ("[Source " * 12_500, "[" * 100_000, "[source " + "1," * 50_000, "<a " * 33_000):
        assert CitationVerifier([SEVERE]).cite(hostile).citations == ()


def test_a_flipped_negation_is_not_borne_out():
    plan = passage("The plan does not cover the cost of travel to a clinical trial.")
    assert (
        CitationVerifier([plan])
        .cite("The plan does cover the cost of travel to a clinical trial [Source 1].")
        .citations
        == ()
    )
    assert CitationVerifier([plan]).cite("The cost of travel to a clinical trial is not covered [Source 1].").citations
