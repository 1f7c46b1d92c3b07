"""The list that a question asks for as a whole: the steps of a procedure, the things to check; or the short prose of a
section that tells how it is done.

The list is asked for where two things hold. The question asks for steps (`question_kinds`) of what the heading of the
section, or the line that leads in to the list, names. And no sentence below says much more of the question than these
do. In another language than English the words of the question tell what it asks for, and the heading must say more of
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from knowledge.search.passages import Passage
from knowledge.search.sections import read_section
from knowledge.search.wording import Wording
from language.capitalised_words import capitalised_words
from language.lists import find_lists
from language.negation import has_negation
from language.sentences import sentence_spans
from language.stemming import STEMMED_LANGUAGES, stem_in
from language.terms import terms
from language.topic_words import topic_stems
from language.word_matching import terms_by_word
from querying.retrieval.page_lists import STOPS, PageList, below_headings, section_lists
from querying.retrieval.question_kinds import may_ask_for_steps, nearness_to_steps
from querying.types.evidence import Evidence, ListPart, SectionList, Sentence

# The lists of so many sections are looked at: those of the best sentences.
_MAX_SECTIONS, _MAX_SENTENCES = 3, 5
# What the heading and the lead-in must say of the question, by weight, and what another sentence may add to it.
_MIN_SHARE, _MAX_ADDED_SHARE = 0.3, 0.45
# The same in another language than English, where words alone tell.
_MIN_SHARE_BY_WORDS = 0.5
_LEADING_IN = (":", "：")
# A longer list is quoted so far.
MAX_ITEMS, MAX_CHARACTERS = 12, 1500
# Prose that is longer is no answer as a whole.
_MIN_PROSE_SENTENCES, _MAX_PROSE_SENTENCES, _MAX_PROSE_CHARACTERS = 2, 12, 1000
# What stands right above the list is quoted so far up.
_MAX_CHARACTERS_BEFORE = 320


def with_section_list(
    evidence: Evidence, *, question: str, weights: Mapping[str, float], revisions: Mapping[int, int]
) -> Evidence:
    """The evidence with the list that the question asks for, where it asks for one. `weights` are those of stems,
    `revisions` those of the knowledge bases. Raises `EmbedderError`."""
    asked = _asked_words(question, weights, evidence.wording)
    if not any(asked.weights.values()) or evidence.sub_questions:
        return evidence
    best: list[Sequence[PageList]] = []
    nearness = 0.0
    sections = list(_sections(evidence, asked=asked, revisions=revisions))
    for section in sections:
        for one in section_lists(section):
            near = _nearness_of_list(one, section, asked)
            if near and near >= nearness and not _is_of_another_name(section, evidence, asked):
                best = [*best, one] if near == nearness else [one]
                nearness = near
    if best:
        return _attach(evidence, best[0], is_one_of_several=len(best) > 1)
    return next((_attach_prose(evidence, one) for one in sections if _tells_how(one, evidence, asked)), evidence)


@dataclass(frozen=True, kw_only=True)
class _AskedWords:
    """A question, its words of substance with their weights, their stems in its own language, and how it is worded."""

    question: str
    weights: Mapping[str, float]
    stems: Mapping[str, str]
    wording: Wording

    @property
    def min_share(self) -> float:
        return _MIN_SHARE_BY_WORDS if self.wording.language else _MIN_SHARE

    def said(self, texts: Iterable[str]) -> frozenset[str]:
        """The terms of the texts, and the stems of their words in another language than English."""
        joined = "\n".join(texts)
        own = _stems_by_term(joined, self.wording.language).values()
        return frozenset(chain(terms(joined), own))

    def share(self, said: frozenset[str]) -> float:
        """How much of the question is said, by weight, 0 to 1."""
        found = sum(weight for word, weight in self.weights.items() if self._is_said(word, said))
        return found / sum(self.weights.values())

    def _is_said(self, word: str, said: frozenset[str]) -> bool:
        return self.wording.is_said(word, said) or self.stems.get(word) in said


def _asked_words(question: str, weights: Mapping[str, float], wording: Wording) -> _AskedWords:
    """Stop words of another language than English weigh nothing."""
    words = terms(question) if wording.language else topic_stems(question)
    return _AskedWords(
        question=question,
        weights={word: weights.get(word, 0.0) for word in words},
        stems=_stems_by_term(question, wording.language),
        wording=wording,
    )


def _stems_by_term(text: str, language: str) -> dict[str, str]:
    """The stem of each word in this language by the term that the index has of it; none where that is the same."""
    if language not in STEMMED_LANGUAGES:
        return {}
    words = ((word, *own) for word, own in terms_by_word(text).items() if len(own) == 1)
    return {term: stem_in(word.lower(), language) for word, term in words}


def _sections(evidence: Evidence, *, asked: _AskedWords, revisions: Mapping[int, int]) -> Iterator[list[Passage]]:
    """Those that the best sentences stand in, one passage for each page, as far as the question may ask for a list of
    theirs: reading one costs a statement."""
    sources = dict.fromkeys(one.source for one in evidence.sentences[:_MAX_SENTENCES])
    seen: list[Passage] = []
    for passage in [evidence.passages[source] for source in sources][:_MAX_SECTIONS]:
        revision = revisions.get(passage.knowledge_base_id)
        if revision is None or passage.path or any(_overlap(passage, one) for one in seen):
            continue
        if not _may_have_list(passage, asked):
            continue
        section = read_section(passage, revision=revision)
        seen += section
        yield section


def _may_have_list(passage: Passage, asked: _AskedWords) -> bool:
    """Whether the question may ask for a list of this section, as far as the passage tells: it shows one, or leads in
    to one. Where it does not, the rest of the section may, and the heading must say what a clear question asks for."""
    language = asked.wording.language
    if passage.content.endswith(_LEADING_IN) or find_lists(passage.content):
        return may_ask_for_steps(asked.question, language=language, shows_list=True)
    says_it = asked.share(asked.said(passage.section_path[-1:])) >= asked.min_share
    return says_it and may_ask_for_steps(asked.question, language=language, shows_list=False)


def _is_of_another_name(section: Sequence[Passage], evidence: Evidence, asked: _AskedWords) -> bool:
    """Whether the question names something that this section and its document do not, and that a sentence nearly as
    good names: what one plan covers is no answer for the other. Only English keeps capitals for names."""
    if asked.wording.language or not (names := frozenset(terms(" ".join(capitalised_words(asked.question))))):
        return False
    unsaid = names - asked.said(chain.from_iterable((*_titles(page), page.content) for page in section))
    best = evidence.sentences[:_MAX_SENTENCES]
    named = asked.said(chain.from_iterable((*_titles(evidence.passages[one.source]), one.text) for one in best))
    return bool(unsaid & named)


def _titles(passage: Passage) -> tuple[str, ...]:
    return (passage.document_title, *passage.section_path)


def _overlap(one: Passage, other: Passage) -> bool:
    return one.page_id == other.page_id and one.start < other.end and other.start < one.end


def _nearness_of_list(found: Sequence[PageList], section: Sequence[Passage], asked: _AskedWords) -> float:
    """How near the question is to a question for the steps of the list's heading or lead-in. 0 where it does not ask
    for the list, or where the list says what must not be done."""
    lead_in = _lead_in(found)
    if any(map(has_negation, lead_in)) and not has_negation(asked.question):
        return 0.0
    return _nearness([*found[0].page.section_path[-1:], *lead_in], section, asked)


def _nearness(
    headings: Sequence[str], section: Sequence[Passage], asked: _AskedWords, *, above: Sequence[str] = ()
) -> float:
    """How near the question is to a question for the steps of what these name; 0 where it asks for something else. What
    the titles `above` say of the question, no sentence adds."""
    said = asked.said(headings)
    share = asked.share(said)
    if share < asked.min_share:
        return 0.0
    texts = (page.content[start:end] for page in section for start, end in sentence_spans(page.content))
    known = said | asked.said(above)
    if max(asked.share(known | asked.said([text])) for text in texts) - asked.share(known) > _MAX_ADDED_SHARE:
        return 0.0
    if asked.wording.language:  # the embedder does not know it
        return share
    return max(nearness_to_steps(asked.question, heading) for heading in headings)


def _tells_how(section: Sequence[Passage], evidence: Evidence, asked: _AskedWords) -> bool:
    """Whether the question clearly asks how to do what the heading names, and the section tells it in a few whole
    sentences on one page; the best sentence is one of them."""
    if len(section) != 1 or not _holds_best_sentence(section[0], evidence):
        return False
    page, prose = section[0], _prose(section[0])
    if find_lists(page.content) or not all(page.content[start:end].endswith(STOPS) for start, end in prose):
        return False
    is_short = _MIN_PROSE_SENTENCES <= len(prose) <= _MAX_PROSE_SENTENCES
    if not is_short or prose[-1][1] - prose[0][0] > _MAX_PROSE_CHARACTERS:
        return False
    if not may_ask_for_steps(asked.question, language=asked.wording.language, shows_list=False):
        return False
    near = _nearness(page.section_path[-1:], section, asked, above=_titles(page))
    return near > 0 and not _is_of_another_name(section, evidence, asked)


def _holds_best_sentence(page: Passage, evidence: Evidence) -> bool:
    best = evidence.sentences[0]
    passage = evidence.passages[best.source]
    return _overlap(page, replace(passage, start=passage.start + best.start, end=passage.start + best.end))


def _prose(page: Passage) -> tuple[tuple[int, int], ...]:
    """The sentences of a section below its heading."""
    return below_headings(page, sentence_spans(page.content))


def _attach_prose(evidence: Evidence, section: Sequence[Passage]) -> Evidence:
    """The evidence with the sentences of the section as a list without items."""
    page = PageList(page=section[0], items=(), before=_prose(section[0]))
    return _with_parts(evidence, [page], SectionList(parts=()))


def _lead_in(found: Sequence[PageList]) -> list[str]:
    """The line that leads in to the list."""
    lines = [page.text(span) for page in found for span in page.before]
    return [line for line in lines[-1:] if line.endswith(_LEADING_IN)]


@dataclass(frozen=True, kw_only=True)
class _Kept:
    pages: list[PageList]
    left_out: int
    rest: Passage | None


def _attach(evidence: Evidence, found: Sequence[PageList], *, is_one_of_several: bool) -> Evidence:
    kept = _cut(found)
    if not any(page.items for page in kept.pages):  # the first item alone is too long
        return evidence
    listed = SectionList(left_out=kept.left_out, rest=kept.rest, is_one_of_several=is_one_of_several, parts=())
    return _with_parts(evidence, kept.pages, listed)


def _with_parts(evidence: Evidence, pages: Sequence[PageList], listed: SectionList) -> Evidence:
    """The evidence with this list, whose parts are what these pages have of it."""
    parts = []
    for page in pages:
        evidence, source = _with_passage(evidence, page)
        shift = page.page.start - evidence.passages[source].start
        items, before = (
            tuple((start + shift, end + shift) for start, end in spans) for spans in (page.items, page.before)
        )
        parts.append(ListPart(source=source, items=items, before=before))
    return replace(evidence, section_list=replace(listed, parts=tuple(parts)))


def _cut(found: Sequence[PageList]) -> _Kept:
    """As much of the list as is quoted, in whole items."""
    pages: list[PageList] = []
    items = characters = left_out = 0
    rest: Passage | None = None
    for page in found:
        kept = []
        for start, end in page.items:
            characters += end - start
            if left_out or items >= MAX_ITEMS or characters > MAX_CHARACTERS:
                rest, left_out = rest or page.page, left_out + 1
            else:
                kept.append((start, end))
                items += 1
        before = _nearest_sentences(page)
        if kept or (before and not left_out):
            pages.append(replace(page, items=tuple(kept), before=before))
    return _Kept(pages=pages, left_out=left_out, rest=rest)


def _nearest_sentences(page: PageList) -> tuple[tuple[int, int], ...]:
    """The sentences right above the list, back to where they would be too much."""
    kept: list[tuple[int, int]] = []
    for span in reversed(page.before):
        if page.before[-1][1] - span[0] > _MAX_CHARACTERS_BEFORE:
            break
        kept.insert(0, span)
    return tuple(kept)


def _with_passage(evidence: Evidence, page: PageList) -> tuple[Evidence, int]:
    """The evidence with a passage that holds this part of the list, and the passage's number. It is a passage that was
    read, made longer if it must be, or a new one."""
    start, end = (page.page.start + at for at in page.span)
    passages = list(evidence.passages)
    for number, one in enumerate(passages):
        if one.page_id != page.page.page_id or one.path:
            continue
        if one.start <= start and end <= one.end:
            return evidence, number
        if _overlap(one, replace(page.page, start=start, end=end)) and _holds(page.page, one):
            longer = _between(page.page, min(start, one.start), max(end, one.end), like=one)
            return _with_longer_passage(evidence, number, longer), number
    passages.append(_between(page.page, start, end, like=page.page))
    return replace(evidence, passages=tuple(passages)), len(passages) - 1


def _holds(outer: Passage, inner: Passage) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _between(page: Passage, start: int, end: int, *, like: Passage) -> Passage:
    content = page.content[start - page.start : end - page.start]
    return replace(like, start=start, end=end, content=content)


def _with_longer_passage(evidence: Evidence, number: int, longer: Passage) -> Evidence:
    """The evidence with this passage in place of a shorter one; its sentences stand where they stood on the page."""
    shift = evidence.passages[number].start - longer.start

    def moved(sentence: Sentence) -> Sentence:
        if sentence.source != number:
            return sentence
        return replace(sentence, start=sentence.start + shift, end=sentence.end + shift)

    passages = [longer if at == number else one for at, one in enumerate(evidence.passages)]
    return replace(evidence, passages=tuple(passages), sentences=tuple(map(moved, evidence.sentences)))
