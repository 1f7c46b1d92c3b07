from __future__ import annotations

from collections.abc import Sequence

import pytest

from knowledge.embedders import local_embedder
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS, Synonyms
from knowledge.search.wording import Wording
from language.terms import terms
from querying.question.resolve import WeightedTurn
from querying.retrieval import evidence, sentence_windows
from querying.retrieval.late_interaction import QuestionWords, question_words
from querying.retrieval.token_states import read_states
from querying.types.evidence import Evidence
from tests.querying.passages import passage

RATIO = Synonyms([["w/c", "water-cement ratio"]])
FILLER = "The yard keeps its gravel in the third bay behind the office. "


def weighed(*turns: tuple[str, float], passages: Sequence[Passage], **options) -> Evidence:
    said = [WeightedTurn(text=text, weight=weight) for text, weight in turns]
    synonyms = options.get("synonyms", NO_SYNONYMS)
    texts = [part for turn in said for part in (turn.text, *synonyms.expansions(turn.text))]
    weights = dict.fromkeys(terms(" ".join(texts)), 1.0)
    return evidence.score_evidence(turns=said, passages=passages, weights=weights, **options)


def test_the_sentence_that_answers_comes_first() -> None:
    found = weighed(
        ("Where is the gravel?", 1.0),
        passages=[passage("Beams are made of concrete. The gravel is in the third bay. Doors are painted green.")],
    )
    assert found.sentences[0].text == "The gravel is in the third bay."
    assert 0.5 < found.strength <= 1


def test_no_sentence_is_matched_twice_when_more_windows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    matched = []
    real = QuestionWords.match
    monkeypatch.setattr(QuestionWords, "match", lambda *args, **options: matched.append(1) or real(*args, **options))
    passages = [passage(f"Bay {number} is behind the office. Gravel lies here.", number=number) for number in range(9)]
    found = weighed(("Who checks the spacers of a beam?", 1.0), passages=passages)
    assert len(found.sentences) == len(matched) == 18


def test_nothing_to_weigh_has_no_strength() -> None:
    assert weighed(("Where is it?", 1.0), passages=[]).strength == 0
    assert weighed(("the of and", 1.0), passages=[passage(FILLER)]).strength == 0


def test_evidence_about_another_member_of_the_class_leaves_a_word_unmatched() -> None:
    passages = [passage("A column exposed to weather needs 45 mm of cover. Doors are painted green.")]
    own = weighed(("What cover does a column exposed to weather need?", 1.0), passages=passages)
    other = weighed(("What cover does a prestressed column exposed to weather need?", 1.0), passages=passages)
    assert other.strength > 0.5
    assert own.sentences[0].weakest > 0.5 > other.sentences[0].weakest


def test_a_word_of_the_title_or_of_an_earlier_turn_is_not_asked_of_the_sentence() -> None:
    passages = [passage("The opening hours are nine to five.", document_title="Glass House")]
    titled = weighed(("What are the opening hours of the Glass House?", 1.0), passages=passages)
    assert titled.sentences[0].weakest > 0.5
    followed = weighed(("What are the opening hours?", 1.0), ("Tell me of prestressed beams.", 0.3), passages=passages)
    assert followed.sentences[0].weakest > 0.5


def test_of_a_short_question_a_common_word_is_asked_of_the_sentence_too() -> None:
    passages = [passage("The rabbits eat hay and carrots in their run.")]
    turns = [WeightedTurn(text="Are the rabbits insured?", weight=1.0)]
    common = {"rabbit": 6.0, "insur": 2.0}
    found = evidence.score_evidence(turns=turns, passages=passages, weights=common)
    assert found.sentences[0].weakest < 0.5


def test_the_strength_of_a_sentence_has_no_words_of_its_title() -> None:
    titled = passage("It is asked for at the desk.", number=1, document_title="Season tickets of the Glass House")
    other = passage("The Glass House sells season tickets.", number=2, document_title="Notes", lexical=0.4, score=0.4)
    found = weighed(("Where does the Glass House sell season tickets?", 1.0), passages=[titled, other])
    strengths = {one.text: one.strength for one in found.sentences}
    assert strengths[other.content] > strengths[titled.content]
    assert found.strength == pytest.approx(max(strengths.values()))


def test_a_turn_before_counts_less() -> None:
    passages = [passage("Footings stand on gravel.", number=1), passage("Beams hang on hooks.", number=2)]
    for asked, expected in [(("footings", "beams"), 1), (("beams", "footings"), 2)]:
        found = weighed((f"What of {asked[0]}?", 1.0), (f"What of {asked[1]}?", 0.3), passages=passages)
        assert found.passages[0].chunk_id == expected


def test_a_long_conversation_leaves_the_question_whole() -> None:
    passages = [passage("Footings stand on gravel.", number=1), passage(FILLER, number=2)]
    found = weighed(("What do footings stand on?", 1.0), ("office " * 400, 0.3), passages=passages)
    assert found.passages[0].chunk_id == 1


def test_a_synonym_is_as_good_as_the_word() -> None:
    passages = [passage("The water-cement ratio is at most 0.45 here.", score=0.5)]
    without = weighed(("What is the w/c?", 1.0), passages=passages)
    with_synonyms = weighed(("What is the w/c?", 1.0), passages=passages, synonyms=RATIO)
    spelled_out = weighed(("What is the water-cement ratio?", 1.0), passages=passages)
    assert with_synonyms.strength > without.strength + 0.05
    assert with_synonyms.strength == pytest.approx(spelled_out.strength, abs=0.02)


def test_a_synonym_never_makes_a_match_worse() -> None:
    passages = [passage("The w/c is at most 0.45 here.", score=0.5)]
    without = weighed(("What is the w/c?", 1.0), passages=passages)
    assert weighed(("What is the w/c?", 1.0), passages=passages, synonyms=RATIO).strength >= without.strength - 1e-4


def test_a_rerankers_opinion_decides_the_order() -> None:
    passages = [passage(FILLER, number=1), passage("Gravel is in bay 3.", number=2), passage("Doors.", number=3)]
    found = weighed(("Where is the gravel?", 1.0), passages=passages, relevance=[0.1, 0.2, 0.9])
    assert [one.chunk_id for one in found.passages] == [3, 2, 1]


def test_a_rerankers_opinion_leaves_the_strength_as_it_was() -> None:
    passages = [passage(FILLER, number=1), passage("The gravel is in bay 3.", number=2)]
    without = weighed(("Where is the gravel?", 1.0), passages=passages)
    assert weighed(("Where is the gravel?", 1.0), passages=passages, relevance=[0.9, 0.2]).strength == without.strength


def test_of_many_windows_those_with_the_questions_words_are_read() -> None:
    long = FILLER * 30 + "The crane was inspected in March. " + FILLER * 30
    passages = [passage(long), passage(FILLER, number=2)]
    found = weighed(("When was the crane inspected?", 1.0), passages=passages, max_windows=3)
    assert found.sentences[0].text == "The crane was inspected in March."
    assert {sentence.source for sentence in found.sentences} == {0, 1}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many windows went through the model, batch by batch."""
    batches: list[int] = []

    def counted(embedder, texts):
        batches.append(len(texts))
        return read_states(embedder, texts)

    monkeypatch.setattr(evidence, "read_states", counted)
    return batches


GRAVEL = passage("The gravel is in the third bay.", number=1, score=1.0)
OTHERS = [passage(f"{FILLER} {number}", number=number, score=0.2) for number in range(2, 9)]


def test_where_the_first_windows_answer_plainly_the_others_are_not_read(read: list[int]) -> None:
    found = weighed(("Where is the gravel?", 1.0), passages=[GRAVEL, *OTHERS])
    assert read == [evidence.FIRST_BATCH_WINDOWS]
    assert found.sentences[0].text == "The gravel is in the third bay."
    assert len(found.passages) == 8


def test_where_they_leave_it_open_all_are_read(read: list[int]) -> None:
    found = weighed(("Who paints the doors?", 1.0), passages=[GRAVEL, *OTHERS])
    assert read == [evidence.FIRST_BATCH_WINDOWS, 8 - evidence.FIRST_BATCH_WINDOWS]
    assert {sentence.source for sentence in found.sentences} == set(range(8))


def test_a_passage_far_down_that_says_the_words_is_among_the_first(read: list[int]) -> None:
    doors = [passage(f"Door {number} is painted green.", number=number, score=0.3) for number in range(2, 7)]
    last = passage("The gravel is in the third bay.", number=9, score=0.9)
    found = weighed(("Where is the gravel in the bay?", 1.0), passages=[*doors, last])
    assert read == [evidence.FIRST_BATCH_WINDOWS]
    assert found.passages[0].chunk_id == 9


def test_the_words_of_a_sentence_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    monkeypatch.setattr(sentence_windows, "terms", lambda text: counted.append(text) or terms(text))
    rules = [f"Rule {number} says where the gravel of yard {number} is kept. {FILLER * 20}" for number in range(9)]
    weighed(("Where is the gravel?", 1.0), passages=[passage(rule, number=n) for n, rule in enumerate(rules)])
    of_rules = [text for text in counted if text.startswith("Rule")]
    assert sorted(of_rules) == sorted({rule.partition(". ")[0] + "." for rule in rules})
    assert all(len(text) < 200 for text in counted)  # sentences and titles, no windows


def test_more_passages_than_windows_to_read_do_no_harm() -> None:
    passages = [passage(FILLER, number=number) for number in range(1, 13)]
    found = weighed(("Where is the gravel?", 1.0), ("The office?", 0.3), passages=passages, max_windows=2)
    assert sorted(one.chunk_id for one in found.passages) == list(range(1, 13))
    assert {sentence.source for sentence in found.sentences} == {0, 1}


def test_the_topic_of_earlier_turns_need_not_be_in_the_sentence() -> None:
    apart = passage("Spacers are made of mortar. They stand one metre apart.", score=0.3)
    alone = passage("They stand one metre apart.", score=0.3)
    turns = (("How far apart do they stand?", 1.0), ("What are spacers made of?", 0.3))
    assert weighed(*turns, passages=[apart]).strength > weighed(*turns, passages=[alone]).strength + 0.02


def test_sentences_are_spans_of_their_passages() -> None:
    passages = [passage(FILLER * 40, number=1), passage("Gravel – 3 m³. Where? In bay 3.", number=2)]
    found = weighed(("Where is the gravel?", 1.0), passages=passages)
    for sentence in found.sentences:
        assert found.passages[sentence.source].content[sentence.start : sentence.end] == sentence.text


def test_each_of_several_questions_has_its_own_best_sentence() -> None:
    text = f"A retainer is a fee that is paid before the work begins. {FILLER}The invoice is due on the first of May."
    asked = "What is a retainer, and when is the invoice due?"
    found = weighed((asked, 1.0), passages=[passage(text)])
    assert [part.text for part in found.sub_questions] == ["What is a retainer", "when is the invoice due?"]
    assert [part.sentences[0].text.split()[1] for part in found.sub_questions] == ["retainer", "invoice"]
    assert all(len(part.sentences) == len(found.sentences) for part in found.sub_questions)


def test_one_question_has_no_parts_nor_has_one_whose_other_half_has_no_words() -> None:
    for asked in ("What is a retainer?", "What is a retainer and why?"):
        assert weighed((asked, 1.0), passages=[passage("A retainer is a fee.")]).sub_questions == ()


def test_words_of_a_turn_before_belong_to_every_part() -> None:
    passages = [passage("The fee of a retainer is paid in May.", number=1), passage("A crane is inspected.", number=2)]
    found = weighed(("What is the fee and when is it paid?", 1.0), ("Tell me of retainers.", 0.3), passages=passages)
    assert [part.sentences[0].source for part in found.sub_questions] == [0, 0]


def test_a_number_in_the_range_of_a_sentence_counts_as_said() -> None:
    passages = [
        passage(
            "If you cancel 7 to 14 days before departure, half is refunded. "
            "If you cancel fewer than 7 days before departure, nothing is refunded."
        )
    ]
    found = weighed(("What is refunded if I cancel 10 days before departure?", 1.0), passages=passages)
    first, second = found.sentences
    assert first.text.startswith("If you cancel 7 to 14 days")
    assert (first.ranges.numbers, second.ranges.numbers) == ({"10"}, frozenset())
    assert first.ranges.wording == "What is refunded if I cancel 7 to 14 days before departure?"
    assert first.weakest > 0.5 > second.weakest


def test_a_row_of_a_markdown_table_is_read_with_its_header() -> None:
    table = "| Exposure | Nominal cover |\n| --- | --- |\n| mild | 20 mm |\n| severe | 45 mm |\n"
    found = weighed(("Which nominal cover does a severe exposure need?", 1.0), passages=[passage(table)])
    assert found.sentences[0].text == "| severe | 45 mm |"
    assert found.strength > 0.6


def test_a_long_table_repeats_its_header_for_the_rows_below() -> None:
    rows = "".join(f"| class {number} of the long table of classes | {number} mm |\n" for number in range(1, 60))
    table = f"| Exposure | Nominal cover |\n| --- | --- |\n{rows}| severe | 45 mm |\n"
    found = weighed(("Which nominal cover does a severe exposure need?", 1.0), passages=[passage(table)])
    assert found.sentences[0].text == "| severe | 45 mm |"


def test_a_word_of_the_question_is_said_where_it_is_a_share_of_it() -> None:
    turns = [WeightedTurn(text="Where is the w/c of beams?", weight=1.0)]
    weights = {"beam": 1.0, "w": 1.0, "c": 0.0, "water": 1.0, "cement": 1.0, "ratio": 0.0}
    for forms in ({}, {"beam": ["girder"]}):
        words = question_words(
            turns, weights=weights, synonyms=RATIO, embedder=local_embedder(), wording=Wording(forms=forms)
        )
        for said in ("beam", "girder", "water", "ratio", "gravel", ""):
            stems = frozenset(said.split())
            assert words.says_any(stems) == (words.share(stems) > 0), said
        assert words.says_any({"girder"}) == bool(forms)


def test_a_part_of_a_window_begins_with_the_header_row_of_the_table_that_it_begins_inside_of() -> None:
    rows = "".join(f"| Tool {number} | {number} EUR |\n" for number in range(1, 6))
    (window,) = sentence_windows.split_into_windows(
        0, passage(f"Tools are hired out.\n\n| Tool | Fee |\n|---|---|\n{rows}")
    )
    part = window.part(4, 5)
    assert part.text == "Cover handbook > 3 Cover. | Tool | Fee | | Tool 2 | 2 EUR |\n| Tool 3 | 3 EUR |"
    start, end = part.header_place(part.spans[0]) or (0, 0)
    assert part.text[start:end] == "| Tool | Fee |"
    assert part.part(0, 0).text == "Cover handbook > 3 Cover. | Tool | Fee | | Tool 2 | 2 EUR |"
