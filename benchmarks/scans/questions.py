"""Questions of a set, asked of its PDFs and of scans of them: are the same pages found, and stand the cited words where
they are marked?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

import pypdfium2

from benchmarks.scans.made_scans import TruePage, TrueWord, true_page, write_cut, write_scan
from benchmarks.scans.scoring import SIGN_OF_NUMBER, plain_text, similarity
from evaluation import dataset, eval_corpus, run_question
from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import EvalDataset, EvalQuestion, PageSpan, PipelineOutcome
from evaluation.scoring import question_scores
from evaluation.scoring.gold_locator import GoldLocator
from knowledge.models import Page

# A cited word is where its box is when so much of it stands there on the page.
_SAME_WORD = 0.75
_SAME_CITATION = 0.9


@dataclass
class Answers:
    """What was asked of both, and what came."""

    asked: int = 0
    pages: int = 0
    text_page_at_5: float = 0.0
    scan_page_at_5: float = 0.0
    answered: int = 0
    citations: int = 0
    citations_in_place: int = 0
    cited_words: int = 0
    cited_words_in_place: int = 0
    high: int = 0
    wrong_digits: int = 0
    wrong_digits_and_high: int = 0
    out_of_place: list[str] = field(default_factory=list)

    @property
    def share_of_text(self) -> float:
        return self.scan_page_at_5 / max(self.text_page_at_5, 0.001)

    def line(self) -> str:
        """The figures in words; page@5 where it was measured."""
        pages = (
            f"page@5 {self.scan_page_at_5:.3f} of the scans, {self.text_page_at_5:.3f} of the PDFs "
            f"({self.share_of_text:.3f} of it); "
        )
        return (
            f"{self.asked} questions over {self.pages} pages: {pages if self.text_page_at_5 else ''}{self.answered} "
            f"answered from the scans, {self.high} with high confidence; {self.citations_in_place} of "
            f"{self.citations} citations and {self.cited_words_in_place} of {self.cited_words} cited words are marked "
            f"where they stand; {self.wrong_digits} answers cite wrong digits, {self.wrong_digits_and_high} of them "
            "with high confidence"
        )


def ask_of_scans(folder: Path, work: Path, *, dpi: int, pages: int | None) -> Answers:
    """Reads the first so many pages of each document (None: all) twice, and asks what they answer. In a database."""
    truth = _cut_and_scanned(folder / "documents", work, dpi=dpi, pages=pages)
    data = _of_pages(dataset.read_dataset(folder), {name: len(found) for name, found in truth.items()})
    libraries = []
    for kind in ("text", "scan"):
        files = tuple(sorted((work / kind).glob("*.pdf")))
        data = replace(data, name=f"{folder.name} {kind}", files=files)
        libraries.append((data, eval_corpus.build_corpus(data, on_progress=lambda _done, _total: None)))
    figures = Answers(asked=len(data.questions), pages=sum(map(len, truth.values())))
    figures.text_page_at_5, figures.scan_page_at_5 = (_page_at_5(one, library) for one, library in libraries)
    add_answers(figures, *libraries[1], truth)
    return figures


def _cut_and_scanned(documents: Path, work: Path, *, dpi: int, pages: int | None) -> dict[str, list[TruePage]]:
    for kind in ("text", "scan"):
        (work / kind).mkdir(parents=True)
    truth = {}
    for path in sorted(documents.glob("*.pdf")):
        with pypdfium2.PdfDocument(path) as document:
            count = min(pages or len(document), len(document))
        truth[path.name] = [true_page(path, number) for number in range(1, count + 1)]
        write_cut(path, work / "text" / path.name, pages=count)
        write_scan(truth[path.name], work / "scan" / path.name, dpi=dpi)
    return truth


def _of_pages(data: EvalDataset, counts: Mapping[str, int]) -> EvalDataset:
    """The questions whose page was read, and those that no page answers."""
    kept = [
        asked
        for asked in data.questions
        if all(place.pages and min(place.pages) <= counts[place.document] for place in asked.gold)
    ]
    return replace(data, questions=tuple(kept))


def _page_at_5(data: EvalDataset, library: EvalCorpus) -> float:
    places = GoldLocator(library.documents, files=data.files)
    found = [_hit(asked, library, places) for asked in data.questions]
    right = [value for value in found if value is not None]
    return sum(right) / max(1, len(right))


def _hit(asked: EvalQuestion, library: EvalCorpus, places: GoldLocator) -> float | None:
    found = run_question.run_retrieval(run_question.build_question(asked, library))
    key = question_scores.build_answer_key(asked, library=library, places=places)
    return question_scores.score_question(asked, key=key, found=found, given=None).values.get("page@5")


def add_answers(
    figures: Answers, data: EvalDataset, library: EvalCorpus, truth: Mapping[str, Sequence[TruePage]]
) -> None:
    """Puts its questions, and compares what the answers cite with the text layers."""
    names = {pk: name for name, pk in library.documents.items()}
    for asked in data.questions:
        given = run_question.run_pipeline(run_question.build_question(asked, library))
        if given.outcome == "answered":
            _add_answer(figures, given, names, truth)


def _add_answer(
    figures: Answers, given: PipelineOutcome, names: Mapping[UUID, str], truth: Mapping[str, Sequence[TruePage]]
) -> None:
    has_wrong_digits = False
    for cited in given.citations:
        page = truth[names[cited.document]][(cited.page_number or 1) - 1]
        right, count, is_exact = _cited_words(cited, page)
        is_in_place = count > 0 and right >= _SAME_CITATION * count
        figures.citations += 1
        figures.citations_in_place += is_in_place
        figures.cited_words += count
        figures.cited_words_in_place += right
        has_wrong_digits |= not is_exact
        if not is_in_place or not is_exact:
            figures.out_of_place.append(f"{names[cited.document]}, page {cited.page_number}: {cited.text[:200]}")
    figures.answered += 1
    figures.high += given.confidence == "high"
    figures.wrong_digits += has_wrong_digits
    figures.wrong_digits_and_high += has_wrong_digits and given.confidence == "high"


def _cited_words(cited: PageSpan, truth: TruePage) -> tuple[int, int, bool]:
    """How many of the words whose boxes a citation marks stand there, how many there are, and whether all figures of
    the citation are those of the page."""
    page = Page.objects.get(pk=cited.page_id)
    right = count = 0
    read_signs = ""
    under_all: dict[tuple[float, ...], TrueWord] = {}
    for start, end, *box in page.word_boxes or ():
        if end <= cited.start or start >= cited.end:
            continue
        text, under = plain_text(page.text[int(start) : int(end)]), _words_under(box, truth)
        true = plain_text("".join(word.text for word in under))
        count += 1
        right += text in true or similarity(true, text) >= _SAME_WORD
        under_all |= {word.box: word for word in under}
        read_signs += "".join(SIGN_OF_NUMBER.findall(text))
    true_signs = "".join("".join(SIGN_OF_NUMBER.findall(plain_text(word.text))) for word in under_all.values())
    return right, count, read_signs == true_signs


def _words_under(box: Sequence[float], truth: TruePage) -> list[TrueWord]:
    """The words of the text layer that stand in this box of the scan."""
    x0, top, x1, bottom = box
    x, y = truth.to_original((x0 + x1) / 2, (top + bottom) / 2)
    half = (x1 - x0) / 2 + 1
    found = []
    for line in truth.lines:
        for word in line:
            left, above, right, below = word.box
            is_level = above - 3 <= y <= below + 3
            if is_level and (abs(word.centre[0] - x) <= half or left <= x <= right):
                found.append(word)
    return found
