"""The value of a field in the words of a citation: a number, a date, a choice, true or false, or the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from language.bound_words import AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures
from language.figures.figure_types import Quantity, StatedDate
from language.negation import negated_stems, reverses_polarity
from language.terms import terms
from language.units import convert_number
from querying.answering.grounding.claim_support import Surroundings, compare_words, is_contradicted, stem_set
from querying.answering.grounding.figure_association import FigureContext, figure_contexts
from querying.field_schema import FieldKind, ValueSchema, words_of_name
from querying.types.answer import Citation

_BOUNDS = {AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN}
_MAX_DECIMALS = 9
_QUESTION_WEIGHT = 0.1


@dataclass(frozen=True, kw_only=True)
class FoundValue:
    """A value, how many words of the field and the question stand beside it (0 to 1), and of a number its unit, as pint
    calls it, and the bound that the text gives it (`>=`, `<` …)."""

    value: Any
    citation: Citation
    fit: float
    unit: str = ""
    bound: str = ""


def find_values(leaf: ValueSchema, citation: Citation, *, about: str) -> list[FoundValue]:
    """What the citation says of the field, in its order. `about` is the question that the fields belong to."""
    values = _FINDERS[leaf.kind](leaf, citation, about)
    return [found for found in values if leaf.fits(found.value)]


def best_value(leaf: ValueSchema, citation: Citation, *, about: str) -> FoundValue | None:
    """The one value that the citation gives the field: of several, that whose part of the sentence shares most words
    with the field and the question. None where there is none, or where several may be meant."""
    found = find_values(leaf, citation, about=about)
    most = max((one.fit for one in found), default=0.0)
    nearest = [one for one in found if one.fit == most]
    return nearest[0] if len({repr(one.value) for one in nearest}) == 1 else None


def label_fit(label: str, citation: Citation) -> float:
    """How much of what the field is about the citation speaks of, 0 to 1: in its words, or in the headings above."""
    passage = citation.passage
    heading = " ".join([passage.document_title, *passage.section_path])
    around = Surroundings(heading=heading, passage=passage.content)
    known = content_stems(label)
    return 1 - len(compare_words(label, citation.excerpt, around).missing & known) / len(known) if known else 0.0


def _numbers(leaf: ValueSchema, citation: Citation, about: str) -> list[FoundValue]:
    text = extract_figures(citation.excerpt).text
    found = []
    for context in figure_contexts(citation.excerpt):
        figure = context.figure
        if not isinstance(figure, Quantity) or figure.is_range or _is_change(text, figure):
            continue
        number = _in_unit(figure, leaf.unit)
        if number is None or (leaf.kind == FieldKind.INTEGER and number[0] != int(number[0])):
            continue
        value = int(number[0]) if number[0] == int(number[0]) else round(number[0], _MAX_DECIMALS)
        fit = _fit(context, leaf, about)
        bound = figure.bound if figure.bound in _BOUNDS else ""
        found.append(FoundValue(value=value, citation=citation, fit=fit, unit=number[1], bound=bound))
    return found


def _in_unit(figure: Quantity, unit: str) -> tuple[float, str] | None:
    """The number in this unit, or as it is written where none is asked for; None where it measures something else."""
    if not unit:
        return _as_number(figure.low), next((one for one in figure.units if one), "")
    for written in figure.units:
        if written == unit:
            return _as_number(figure.low), unit
        if written and (converted := convert_number(float(figure.low), written, unit)) is not None:
            return round(converted, _MAX_DECIMALS), unit
    return None


def _is_change(text: str, figure: Quantity) -> bool:
    """Whether something becomes more or less by the figure ("reduced by 5 mm"): it is no value of it then."""
    return text[: figure.start].rstrip().lower().endswith(" by")


def _as_number(number: Fraction) -> float:
    return int(number) if number.denominator == 1 else float(number)


def _dates(leaf: ValueSchema, citation: Citation, about: str) -> list[FoundValue]:
    """Whole dates alone: a month without its day is no date."""
    found = []
    for context in figure_contexts(citation.excerpt):
        stated = context.figure
        if isinstance(stated, StatedDate) and (day := _whole_date(stated)):
            written = day.isoformat() if leaf.kind == FieldKind.DATE else f"{day.isoformat()}T00:00:00Z"
            found.append(FoundValue(value=written, citation=citation, fit=_fit(context, leaf, about)))
    return found


def _whole_date(stated: StatedDate) -> date | None:
    try:
        return date(stated.year, stated.month, stated.day)
    except ValueError:
        return None


def _choices(leaf: ValueSchema, citation: Citation, about: str) -> list[FoundValue]:
    """The choices that the citation names and does not deny; of “severe” and “very severe”, where both stand in the
    same place, the longer."""
    said, denied = _folded_words(citation.excerpt), negated_stems(citation.excerpt)
    named = [choice for choice in leaf.choices if _names_choice(said, choice)]
    words = {_words_of(choice) for choice in named}
    found = [
        choice
        for choice in named
        if not any(_words_of(choice) < longer for longer in words) and not _stems(choice) & denied.keys()
    ]
    return [FoundValue(value=choice, citation=citation, fit=1.0) for choice in found]


def _folded_words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.casefold()).split()


def _words_of(choice: Any) -> frozenset[str]:
    return frozenset(_folded_words(words_of_name(str(choice))))


def _stems(choice: Any) -> frozenset[str]:
    return frozenset(terms(words_of_name(str(choice))))


def _names_choice(said: Sequence[str], choice: Any) -> bool:
    """Whether the words of the choice stand in the text one after another. True and false are said, not named."""
    words = _folded_words(words_of_name(str(choice)))
    if isinstance(choice, bool) or not words:
        return False
    return any(list(said[at : at + len(words)]) == words for at in range(len(said)))


def _truths(leaf: ValueSchema, citation: Citation, about: str) -> list[FoundValue]:
    """True where the citation says all that the field is about, false where it denies just that."""
    fit = label_fit(leaf.label, citation)
    if fit < 1.0:
        return []
    denies = reverses_polarity(leaf.label, citation.excerpt)
    if not denies and is_contradicted(leaf.label, citation.excerpt):
        return []
    return [FoundValue(value=not denies, citation=citation, fit=fit)]


def _text_values(leaf: ValueSchema, citation: Citation, about: str) -> list[FoundValue]:
    """The words themselves; where the field is about a name with a number, such as a grade or a clause, that."""
    wanted = content_stems(leaf.label)
    named = [one.written for one in extract_figures(citation.excerpt).names if wanted & stem_set(one.written)]
    text = named[0] if len(named) == 1 else " ".join(citation.excerpt.split())
    return [FoundValue(value=text, citation=citation, fit=label_fit(leaf.label, citation))]


def _fit(context: FigureContext, leaf: ValueSchema, about: str) -> float:
    """How many words of the field stand beside a figure; where that is equal, those of the question decide."""
    said = context.words | context.cell_words | context.subject
    return _stem_share(content_stems(leaf.label), said) + _QUESTION_WEIGHT * _stem_share(content_stems(about), said)


def _stem_share(wanted: frozenset[str], said: frozenset[str]) -> float:
    return len(wanted & said) / len(wanted) if wanted else 0.0


_FINDERS: dict[FieldKind, Callable[[ValueSchema, Citation, str], list[FoundValue]]] = {
    FieldKind.STRING: _text_values,
    FieldKind.NUMBER: _numbers,
    FieldKind.INTEGER: _numbers,
    FieldKind.BOOLEAN: _truths,
    FieldKind.DATE: _dates,
    FieldKind.DATETIME: _dates,
    FieldKind.CHOICE: _choices,
}
