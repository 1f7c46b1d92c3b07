"""Handbooks in German, Spanish, Hindi, Chinese and Arabic, asked without a language model or a network.

    python -m benchmarks.languages [--each]      (some two minutes)

Each handbook of tests/data/handbooks is read as an EPUB of twenty pages into a plugin of its own. Ten questions to each
are ranked by BM25 (bm25s: the words as they stand, pairs of characters for Chinese; and again with the language's
stop words and Snowball stems), by Lexic's retrieval, and answered by the whole pipeline; five are about what the
handbook does not say. `--each` prints what came of each question. `--second` asks five others, of eight pages, which
were written after everything was tuned on the first; `--third` asks two, of twenty pages, which were written before
what the second showed was mended.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._harness import temporary_database
from tests.handbooks import (
    FOLDER,
    LANGUAGES,
    SECOND,
    THIRD,
    Handbook,
    bm25_first_pages,
    count_right,
    plain_words,
    read_handbook,
    stemmed_words,
)

if TYPE_CHECKING:
    from evaluation.eval_types import EvalDataset, PipelineOutcome, RetrievalOutcome

_CONTAINER = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
_COLUMNS = ("BM25", "stemmed", "page@1", "page@5", "answered", "cited", "refused", "in its language")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of a question: the pages in the order of their evidence, and the answer. `page` is None where the
    handbook does not answer."""

    text: str
    page: int | None
    ranked: tuple[int, ...]
    given: PipelineOutcome

    @property
    def cited(self) -> list[int]:
        return [one.page_number or 0 for one in self.given.citations]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", action="store_true", help="print what came of each question")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--second", dest="folder", action="store_const", const=SECOND, default=FOLDER, help="the other five handbooks"
    )
    other.add_argument(
        "--third",
        dest="folder",
        action="store_const",
        const=THIRD,
        default=FOLDER,
        help="two more, in German and Hindi",
    )
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    options = parser.parse_args()
    print(f"{'':9}" + "".join(f"{name:>{len(name) + 2}}" for name in _COLUMNS))
    with temporary_database(with_redis=True):
        for language in options.languages:
            if not (options.folder / f"{language}.txt").exists():
                continue
            handbook = read_handbook(language, options.folder)
            asked = ask(handbook)
            figures = _figures(handbook, asked)
            print(
                f"{language:9}" + "".join(f"{figures[name]:>{len(name) + 2}}" for name in _COLUMNS),
                flush=True,
            )
            for line in _lines(asked) if options.each else ():
                print(line)


def ask(handbook: Handbook) -> list[Asked]:
    """All its questions, put to a plugin that has nothing else."""
    from evaluation import eval_corpus, run_question

    with tempfile.TemporaryDirectory(prefix="languages-") as name:
        data = _dataset(handbook, Path(name) / handbook.language)
        corpus = eval_corpus.build_corpus(data, on_progress=lambda done, total: None)
    asked: list[Asked] = []
    pages = [page for _, page in handbook.questions] + [None for _ in handbook.unanswerable]
    for each, page in zip(data.questions, pages, strict=True):
        question = run_question.build_question(each, corpus)
        ranked = _ranked_pages(run_question.run_retrieval(question))
        given = run_question.run_pipeline(run_question.build_question(each, corpus))
        asked.append(Asked(text=each.text, page=page, ranked=ranked, given=given))
    return asked


def _ranked_pages(found: RetrievalOutcome) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.page_number or 0 for one in found.passages))


def _dataset(handbook: Handbook, folder: Path) -> EvalDataset:
    from evaluation import dataset

    (folder / "documents").mkdir(parents=True)
    write_epub(handbook, folder / "documents" / "handbook.epub")
    texts = [question for question, _ in handbook.questions] + list(handbook.unanswerable)
    rows = [{"id": str(at), "question": text} for at, text in enumerate(texts)]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return dataset.read_dataset(folder)


def write_epub(handbook: Handbook, path: Path) -> None:
    """The handbook as an EPUB: a chapter for each page, its first line as the heading."""
    names = [f"page-{number:02}.xhtml" for number in range(1, len(handbook.pages) + 1)]
    manifest = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">handbook</dc:identifier>'
        f"<dc:title>{escape(handbook.title)}</dc:title></metadata>"
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("book.opf", package)
        for name, page in zip(names, handbook.pages, strict=True):
            archive.writestr(name, f"<html><body>{''.join(_as_html(page))}</body></html>")


def _as_html(page: str) -> Iterator[str]:
    heading, *blocks = page.split("\n\n")
    yield f"<h1>{escape(heading)}</h1>"
    for block in blocks:
        rows = [line.split(" | ") for line in block.splitlines() if " | " in line]
        yield from (f"<p>{escape(line)}</p>" for line in block.splitlines() if " | " not in line)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        yield f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>" if rows else ""


def _figures(handbook: Handbook, asked: Sequence[Asked]) -> dict[str, str]:
    """How many of the ten, and of the five, by the column."""
    answerable = [one for one in asked if one.page is not None]
    refusals = [one for one in asked if one.given.outcome == "refused"]
    refused = sum(one.page is None for one in refusals)
    answered = [one for one in answerable if one.given.outcome == "answered"]
    counts = {
        "BM25": count_right(bm25_first_pages(handbook, plain_words), handbook),
        "stemmed": count_right(bm25_first_pages(handbook, stemmed_words), handbook),
        "page@1": sum(one.ranked[:1] == (one.page,) for one in answerable),
        "page@5": sum(one.page in one.ranked[:5] for one in answerable),
        "answered": len(answered),
        "cited": sum(one.page in one.cited for one in answered),
    }
    spoken = sum(_is_in_language(one.given.text, handbook.language) for one in refusals)
    return {name: str(count) for name, count in counts.items()} | {
        "refused": f"{refused}/{len(handbook.unanswerable)}",
        "in its language": f"{spoken}/{len(refusals)}",
    }


def _is_in_language(text: str, language: str) -> bool:
    from language.language_identification import language_of

    return language_of(text) == language


def _lines(asked: Sequence[Asked]) -> Iterator[str]:
    for one in asked:
        text = " ".join(one.given.text.split())[:160]
        yield f"  {one.page or '-':>2} {list(one.ranked[:3])} {one.given.outcome} {one.cited} {one.text} → {text}"


if __name__ == "__main__":
    main()
