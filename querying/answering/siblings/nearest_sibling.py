"""What the nearest evidence is about, where it matches the question but for one thing that it names.

Only what is certain is told: that the two are of one kind must be seen in the documents, or in the place that both
have before, or behind, the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain

from knowledge.embedders import local_embedder
from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from language.antonyms import opposite_words
from language.synonyms import synonyms_of
from language.terms import terms
from querying.answering.siblings.asked_member import AskedMember, find_asked_member
from querying.answering.siblings.duty_bearer import find_other_bearer
from querying.answering.siblings.same_place import Replaced, find_in_place
from querying.answering.siblings.sibling_sets import line_label, row_name, sibling_sets
from querying.answering.siblings.words import read_words, stems_of
from querying.types.evidence import Evidence, Sentence

# Two names this near to each other mean one thing; siblings of the pairs for development are at most at .76.
_MIN_PARAPHRASE = 0.8
# Names of roles this near may mean one ("guests" and "visitors" .61), where the documents never have both in one
# sentence or list, as they have two roles. That alone tells nothing: "buyer" and "seller" are at .82.
_MIN_ROLE_NEARNESS = 0.55


@dataclass(frozen=True, kw_only=True)
class _Read:
    """The best sentence of the evidence with what stands above it."""

    member: AskedMember
    sentence: Sentence
    passage: Passage
    evidence: Evidence


def find_nearest_sibling(question: str, evidence: Evidence) -> Replaced | None:
    """What was asked, and what the best sentence speaks of in its place; None where it speaks of what was asked, or
    where it is not certain that the two are siblings, as with several questions in one."""
    if not evidence.sentences:
        return None
    best = evidence.sentences[0]
    passage = evidence.passages[best.source]
    if passage.path or evidence.sub_questions:
        return None
    if not evidence.wording.language:
        words = read_words(question, stop_terms=evidence.wording.stop_terms)
        bound = find_other_bearer(question, words, best.text, read_words(best.text))
        if bound is not None and not _are_one_role(bound, evidence.passages):
            return bound
    member = find_missing_member(question, evidence)
    if member is None:
        return None
    read = _Read(member=member, sentence=best, passage=passage, evidence=evidence)
    return next(filter(None, _findings(read)), None)


def find_missing_member(question: str, evidence: Evidence) -> AskedMember | None:
    """The one thing that the question names and neither the best sentence nor what stands above it does; None where all
    is said, several things are not, or several questions are asked."""
    if not evidence.sentences or evidence.sub_questions:
        return None
    words = read_words(question, stop_terms=evidence.wording.stop_terms)
    member = find_asked_member(question, words, is_said=_said_by_best(evidence))
    return member if member and member.is_noun else None


def is_named_elsewhere(question: str, evidence: Evidence) -> bool:
    """Whether another sentence of the best one's passage says a word of the question that this one lacks: "Cats are not
    allowed." is not about dogs where "Dogs are welcome." stands beside it."""
    if not evidence.sentences or evidence.sub_questions:
        return False
    best, is_said = evidence.sentences[0], _said_by_best(evidence)
    asked = stems_of(read_words(question, stop_terms=evidence.wording.stop_terms))
    missing = [stem for stem in asked if not is_said(stem)]
    if not missing:
        return False
    passage = evidence.passages[best.source]
    others = (passage.content[start:end] for start, end in passage.sentence_spans() if start != best.start)
    said = frozenset(chain.from_iterable(map(terms, others)))
    return any(evidence.wording.is_said(stem, said) for stem in missing)


def _said_by_best(evidence: Evidence) -> Callable[[str], bool]:
    """Tells whether the best sentence, or what stands above it, says a stem or a synonym."""
    best = evidence.sentences[0]
    said = _said_stems(best, evidence.passages[best.source])
    return partial(_is_said, said=said, evidence=evidence)


def _said_stems(best: Sentence, passage: Passage) -> frozenset[str]:
    cell = best.cell.wording if best.cell else ""
    texts = [passage.document_title, *passage.section_path, best.header, cell, best.text]
    return frozenset(terms(" ".join(texts))) | best.ranges.numbers


def _is_said(stem: str, *, said: frozenset[str], evidence: Evidence) -> bool:
    return evidence.wording.is_said(stem, said) or bool(synonyms_of(stem) & said)


def _findings(read: _Read) -> Iterator[Replaced | None]:
    yield _other_row(read)
    yield _known_sibling(read)
    yield _other_label(read)
    if not read.evidence.wording.language:
        for text in (read.sentence.text, *reversed(read.passage.section_path)):
            found = find_in_place(read.member, text, read_words(text))
            yield None if found and _is_paraphrase(found) else found


def _are_opposites(found: Replaced) -> bool:
    others = {other for word in found.asked.split() for other in opposite_words(word.casefold())}
    return not others.isdisjoint(found.found.casefold().split())


def _is_paraphrase(found: Replaced) -> bool:
    """Whether the two mean one thing: "annual fee" and "yearly fee" are nearer to each other than siblings are, codes
    and opposites aside."""
    if any(character.isdigit() for character in found.asked) or _are_opposites(found):
        return False
    return _nearness(found) >= _MIN_PARAPHRASE


def _are_one_role(found: Replaced, passages: Sequence[Passage]) -> bool:
    """Whether two words name one role: they are near in meaning, and nothing that was found sets them side by side.
    "Gold Members" and "Silver Members" are two kinds of one."""
    asked, own = terms(found.asked), terms(found.found)
    are_of_one_kind = min(len(asked), len(own)) > 1 and asked[-1] == own[-1]
    if are_of_one_kind or _are_opposites(found) or _nearness(found) < _MIN_ROLE_NEARNESS:
        return False
    one, other = frozenset(asked).difference(own), frozenset(own).difference(asked)
    return not any(one <= said and other <= said for said in _said_side_by_side(passages))


def _said_side_by_side(passages: Sequence[Passage]) -> Iterator[Set[str]]:
    """The stems of each sentence, and of the names of each list, table or run of headings."""
    for passage in passages:
        for start, end in passage.sentence_spans():
            yield frozenset(terms(passage.content[start:end]))
    for names in sibling_sets(passages):
        yield frozenset(terms(" ".join(names)))


def _nearness(found: Replaced) -> float:
    embedder = local_embedder()
    return float(embedder.embed_one(found.asked) @ embedder.embed_one(found.found))


def _other_row(read: _Read) -> Replaced | None:
    """The row's name, where the head of its column says what is asked, and the name says nothing of it."""
    name = row_name(read.sentence.text)
    heads = f"{read.sentence.header} {read.sentence.cell.head if read.sentence.cell else ''}"
    if not name or not read.member.others & frozenset(terms(heads)):
        return None
    return _other_name(read, name)


def _other_label(read: _Read) -> Replaced | None:
    """The label of the line, where lines around it have labels too, and the rest says what is asked."""
    label = line_label(read.sentence.text)
    if not label:
        return None
    siblings = [line_label(line) for line in read.passage.content.splitlines()]
    rest = frozenset(terms(" ".join([*read.passage.section_path, read.sentence.text.partition(":")[2]])))
    if len(set(filter(None, siblings))) < 2 or not read.member.others & rest:
        return None
    return _other_name(read, label)


def _other_name(read: _Read, name: str) -> Replaced | None:
    """The name in the place of the member, where the question has no word of it."""
    stems = stems_of(read_words(name, stop_terms=read.evidence.wording.stop_terms))
    if not stems or stems & read.member.asked_stems:
        return None
    return Replaced(asked=read.member.text(), found=name)


def _known_sibling(read: _Read) -> Replaced | None:
    """Two names that stand side by side in the documents: the question has one, and what is read is about the other."""
    for names in sibling_sets(_passages_with(read)):
        asked = [name for name in names if _is_asked(name, read.member)]
        if not asked:
            continue
        found = [name for name in names if _is_read(name, asked[0], read)]
        if len(found) == 1:
            return Replaced(asked=_as_asked(asked[0], read.member), found=found[0])
    return None


def _passages_with(read: _Read) -> list[Passage]:
    """Those that may say what is missing, in their titles too."""
    texts = [(one, f"{one.section_path} {one.content}".casefold()) for one in read.evidence.passages]
    return [one for one, text in texts if one is read.passage or all(stem in text for stem in read.member.missing)]


def _as_asked(name: str, member: AskedMember) -> str:
    """The name as the question has it; what is missing alone where it has other words between."""
    at = member.question.casefold().find(name.casefold())
    return member.question[at : at + len(name)] if at >= 0 else member.text()


def _is_asked(name: str, member: AskedMember) -> bool:
    stems = stems_of(read_words(name))
    return member.missing <= stems <= member.asked_stems


def _is_read(name: str, asked: str, read: _Read) -> bool:
    """Whether the best sentence is about this sibling: its own row, label or section names it, or its words do."""
    own = stems_of(read_words(name)) - stems_of(read_words(asked))
    if not own or own & read.member.asked_stems:
        return False
    names = (row_name(read.sentence.text), line_label(read.sentence.text), *read.passage.section_path)
    if name in names:
        return True
    said = frozenset(terms(read.sentence.text))
    return CELL_SEPARATOR not in read.sentence.text and stems_of(read_words(name)) <= said
