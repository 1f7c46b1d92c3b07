"""The labels that a question names: types, statuses, projects and tags that the documents at hand really have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from language.terms import terms
from querying.question.planning.label_vocabulary import LabelVocabulary, label_stem, stem_positions
from querying.question.planning.query_plan import Intent
from querying.question.planning.question_patterns import (
    ABOUT,
    ASKING,
    DETERMINED,
    FINISHED,
    GOES_ON,
    HASH,
    MARKED,
    OPEN,
    TAGGED,
    THING,
    THINGS,
    TOPICLESS,
    VALUE,
)

_MORE = re.compile(r"\s+(?!(?:right|now|for|since)\b)\w", re.IGNORECASE)


@dataclass
class _Word:
    text: str
    stem: str
    start: int
    is_used: bool = False


class LabelMatcher:
    """The labels that a question names. Each word of it is part of one label at most, the longest first."""

    def __init__(self, text: str, vocabulary: LabelVocabulary) -> None:
        self._text = text
        self._vocabulary = vocabulary
        self._things: list[tuple[int, int]] = []
        self._words = [
            _Word(text=match.group(), stem=stem, start=match.start())
            for match in re.finditer(r"[^\W_]+", text)
            for stem in [label_stem(match.group())]
        ]

    def doc_types(self) -> tuple[str, ...]:
        types = self._vocabulary.doc_types
        whole = list(self._take(types, only=self._is_thing))
        return (*whole, *(label for label in types if label not in whole and self._claim_part(label)))

    def _claim_part(self, label: str) -> bool:
        """ "My ideas" are "idea-captures" where no other type has that word."""
        others = {
            stem for one in self._vocabulary.doc_types if one != label for stem in self._vocabulary.stems(one)
        }
        own = [
            stem for stem in self._vocabulary.stems(label) if stem not in others and not THINGS.match(f" {stem}")
        ]
        is_part = len(self._vocabulary.stems(label)) > 1
        return is_part and any(self._claim([stem], only=self._is_named_thing) for stem in own)

    def _is_named_thing(self, group: Sequence[_Word]) -> bool:
        before = self._text[: group[0].start].rstrip()
        is_named = group[-1].text.lower().endswith("s") and (not before or bool(DETERMINED.search(before)))
        return is_named and self._is_thing(group)

    def shape(self) -> str:
        """The text with every type of document that it names as just "notes": what makes a list of it is the same."""
        text = self._text
        for start, end in sorted(self._things, reverse=True):
            text = f"{text[:start]}{'notes' if text[end - 1] in 'sS' else 'note'}{text[end:]}"
        return text

    def project(self) -> str | None:
        named = [project for project in self._vocabulary.projects if self._is_named(project)]
        found = next(iter(self._take(named)), None)
        if found:  # "the Atlas project" names one project, and not a type of document
            self._claim_beside(found)
        return found

    def statuses(self, intent: Intent) -> tuple[str, ...]:
        known = self._vocabulary.statuses
        by_intent = {Intent.ACCOMPLISHMENTS: FINISHED, Intent.IN_FLIGHT: OPEN}.get(intent, frozenset())
        is_open = intent != Intent.LOOKUP
        named = tuple(self._take(known, only=lambda group: is_open or self._is_status(group)))
        return named or tuple(status for status in known if status.lower() in by_intent)

    def tags(self, *, is_list: bool) -> tuple[str, ...]:
        """Tags that are named as tags, that stand before documents or that documents are about ("procurement posts",
        "notes on design"); in a list also those that follow "about" anywhere; and any where nothing else is said."""
        hashed = {match.group(1).lower() for match in HASH.finditer(self._text)}
        marks = [match.span() for match in HASH.finditer(self._text)]
        for word in self._words:
            word.is_used = word.is_used or any(start <= word.start < end for start, end in marks)
        exact = [tag for tag in self._vocabulary.tags if tag.lower() in hashed]
        before = [word.is_used for word in self._words]
        anywhere = list(self._take(self._vocabulary.tags))
        if not self.left_over() and (is_list or not VALUE.match(self._text)):
            return tuple(dict.fromkeys([*exact, *anywhere]))
        for word, was_used in zip(self._words, before, strict=True):
            word.is_used = was_used
        is_named = is_list or bool(TAGGED.search(self._text))
        about = ABOUT.search(self._text) if is_named else self._about_things()
        start = about.end() if about else 0 if is_named else len(self._text)
        found = self._take(
            self._vocabulary.tags, only=lambda group: group[0].start >= start or self._is_before_thing(group)
        )
        return tuple(dict.fromkeys([*exact, *found]))

    def _about_things(self) -> re.Match[str] | None:
        """The "about" right after the documents that are asked about."""
        ends = [*(match.end() for match in re.finditer(rf"\b{THING}\b", self._text, re.IGNORECASE))]
        ends += [end for _, end in self._things]
        found = (ABOUT.match(self._text, end + 1) for end in sorted(ends))
        return next(filter(None, found), None)

    def _is_before_thing(self, group: Sequence[_Word]) -> bool:
        after = group[-1].start + len(group[-1].text)
        is_type = any(0 <= start - after <= 1 for start, _ in self._things)
        return is_type or bool(THINGS.match(self._text[after:]))

    def left_over(self) -> list[str]:
        """Content words that are no label and none of the words that ask, list, or say whose."""
        found = (match for pattern in TOPICLESS for match in pattern.finditer(self._text))
        asking = [match.span(match.lastgroup or 0) for match in found]
        left = (word for word in self._words if not (word.is_used or word.text.isdigit() or self._is_ending(word)))
        left = (word for word in left if not any(start <= word.start < end for start, end in asking))
        return [word.text for word in left if terms(word.text) and word.stem not in ASKING and not self._owns(word)]

    def _is_ending(self, word: _Word) -> bool:
        """The "m" of "I'm"."""
        return word.start > 1 and self._text[word.start - 1] in "'’" and self._text[word.start - 2].isalpha()

    def _owns(self, word: _Word) -> bool:
        """ "The clinic's work" says whose, and not what."""
        return bool(re.match(r"['’]s\s+\w", self._text[word.start + len(word.text) :]))

    def _is_thing(self, group: Sequence[_Word]) -> bool:
        """Whether these words name documents. A single word may be a verb ("who do they report to") or a measure."""
        before = self._text[: group[0].start].rstrip()
        if group[0].text.lower() in ("minutes", "hours", "seconds") and re.search(
            r"\bhow\s+many$", before, re.IGNORECASE
        ):
            return False
        after = self._text[group[-1].start + len(group[-1].text) :]
        is_plural = group[-1].text.lower().endswith("s")
        # "The letter slot", "a policy number": the first of two nouns names no document, but in "meeting notes".
        is_first = bool(re.match(r"\s+[^\W\d]", after)) and not GOES_ON.match(after)
        if len(group) == 1 and not is_plural and is_first and not THINGS.match(after):
            return False
        is_sure = len(group) > 1 or not before or is_plural or self._is_used_at(before)
        if is_sure or DETERMINED.search(self._without_label(before)):
            self._things.append((group[0].start, group[-1].start + len(group[-1].text)))
            return True
        return False

    def _without_label(self, before: str) -> str:
        """ "The approved" as "the": a status or tag before a document is no noun of its own."""
        last = re.search(r"[^\W_]+$", before)
        labels = (*self._vocabulary.statuses, *self._vocabulary.tags)
        is_label = last and any(self._vocabulary.stems(label) == (label_stem(last.group()),) for label in labels)
        return before[: last.start()].rstrip() if last and is_label else before

    def _is_status(self, group: Sequence[_Word]) -> bool:
        """Whether these words say how far something is: before or after what is listed, or after "is", "still"."""
        after = group[-1].start + len(group[-1].text)
        beside = any(start - after in (0, 1) or 0 <= group[0].start - end <= 1 for start, end in self._things)
        is_noun = group[-1].text.lower().endswith("s") and bool(
            DETERMINED.search(self._text[: group[0].start].rstrip())
        )
        is_before = beside or is_noun or self._is_before_thing(group)
        has_things = bool(self._things) or bool(
            re.search(rf"\b(?:{THING}|(?:any|every|no)thing)\b", self._text, re.IGNORECASE)
        )
        # "What is still blocked?" asks for nothing but that.
        is_all = re.match(r"(?:so\s+)?what\b", self._text, re.I) and not _MORE.match(self._text, after)
        return is_before or bool((has_things or is_all) and MARKED.search(self._text[: group[0].start]))

    def _is_used_at(self, before: str) -> bool:
        """Whether the last word of this beginning is part of a label: "draft memo", "Atlas report"."""
        return any(word.is_used and before.endswith(word.text) for word in self._words)

    def _take(
        self, labels: Iterable[str], *, only: Callable[[Sequence[_Word]], bool] = lambda _: True
    ) -> Iterator[str]:
        longest_first = sorted(labels, key=lambda label: -len(self._vocabulary.stems(label)))
        for label in longest_first:
            if self._claim(self._vocabulary.stems(label), only=only):
                yield label

    def _claim(self, stems: Sequence[str], *, only: Callable[[Sequence[_Word]], bool]) -> bool:
        for at in stem_positions(stems, [word.stem for word in self._words]):
            group = self._words[at : at + len(stems)]
            if not any(word.is_used for word in group) and only(group):
                for word in group:
                    word.is_used = True
                return True
        return False

    def _claim_beside(self, project: str) -> None:
        beside = re.search(
            rf"\bproject\s+[\"“]?{re.escape(project)}|{re.escape(project)}[\"”]?\s+project\b",
            self._text,
            re.IGNORECASE,
        )
        for word in self._words:
            if beside and beside.start() <= word.start < beside.end():
                word.is_used = True

    def _is_named(self, project: str) -> bool:
        """A name of one ordinary word needs its capital, or the word "project" beside it."""
        if len(self._vocabulary.stems(project)) > 1:
            return True
        name = re.escape(project)
        # Who writes without any capitals writes names without them too.
        if self._text.islower() or project.islower():
            return bool(re.search(rf"\b(?:for|on|of|in|about|the|my|our)\s+{name}\b", self._text, re.IGNORECASE))
        beside = rf"\bproject\s+[\"“]?{name}\b|\b{name}\s+project\b"
        return bool(re.search(rf"\b{name}\b", self._text) and project[:1].isupper()) or bool(
            re.search(beside, self._text, re.IGNORECASE)
        )
