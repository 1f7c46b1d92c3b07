"""Fills the fields of a schema: first from what was cited for the whole question, then by a search for each field.

A citation must name what the field is about beside the value. Where two values fit equally well, the field stays empty,
and so does one that nothing supports; it says why.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from language.content_words import content_stems
from lexic.concurrency import Place
from querying.answering.findings import Findings, apply_gate
from querying.answering.generate import generate
from querying.answering.llms import get_llm
from querying.answering.structured.field_values import FoundValue, best_value, find_values, label_fit
from querying.field_schema import ArraySchema, Node, ObjectSchema, ValueSchema, leaves
from querying.question.consultation import Consultation
from querying.question.resolve import ResolvedQuestion
from querying.retrieval import retriever
from querying.types.answer import Answer, Citation, FilledField
from querying.types.confidence import Confidence
from querying.types.events import Delta
from querying.types.question import Turn

# How much of what a field is about must stand in a citation, or in the headings above it.
MIN_FIT = 0.6
# Names of fields that mean the answer itself, besides those without a word of their own ("value", "result").
_ANSWER_NAMES = frozenset({"answer", "response", "text", "output", "explanation", "details"})
NOT_FOUND, AMBIGUOUS = "not_found", "ambiguous"

Path = tuple[str | int, ...]


@dataclass(kw_only=True)
class FilledSchema:
    """`value` is what fits the schema; None where a field that may not be empty is, whose paths are in `unfilled`."""

    value: dict[str, Any] | None = None
    fields: list[FilledField] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    unfilled: list[str] = field(default_factory=list)
    level: Confidence = Confidence.HIGH

    @property
    def has_values(self) -> bool:
        return any(one.citations for one in self.fields)

    def number_of(self, citation: Citation) -> int:
        """The number of this span among the citations, from 1; it is added where it is new."""
        known = {one.span: one.number for one in self.citations}
        number = known.get(citation.span, len(self.citations) + 1)
        if number > len(self.citations):
            self.citations.append(replace(citation, number=number))
        return number


class _Empty:
    """Stands for a field that nothing fills and that may not be null."""


_EMPTY = _Empty()


async def fill_fields(findings: Findings, schema: ObjectSchema, *, place: Place) -> FilledSchema:
    """The schema filled from verified citations. What is searched for is done in the turn of this place.

    Raises `EmbedderError`.
    """
    return await _Filler(findings, schema, place).fill()


def empty_fields(schema: ObjectSchema) -> FilledSchema:
    """The schema with nothing in it, for a question that has to be answered first."""
    filled = FilledSchema()
    value = _empty_value(schema, (), filled)
    filled.value = value if isinstance(value, dict) else None
    return filled


def _empty_value(node: Node, path: Path, filled: FilledSchema) -> Any:
    if isinstance(node, ObjectSchema):
        return _close_object(
            node, {name: _empty_value(one, (*path, name), filled) for name, one in node.fields.items()}
        )
    return _no_value(node, path, filled, reason=NOT_FOUND)


def _no_value(node: ValueSchema | ArraySchema, path: Path, filled: FilledSchema, *, reason: str) -> Any:
    filled.fields.append(FilledField(path=_pointer(path), value=None, reason=reason))
    if node.is_nullable:
        return None
    if isinstance(node, ArraySchema) and node.min_items == 0:
        return []
    filled.unfilled.append(_pointer(path))
    return _EMPTY


def _close_object(shape: ObjectSchema, values: dict[str, Any]) -> Any:
    """The object without what may be left out; null, or nothing, where a field that it needs is empty."""
    if any(values[name] is _EMPTY for name in shape.required):
        return None if shape.is_nullable else _EMPTY
    return {name: value for name, value in values.items() if value is not _EMPTY}


def _pointer(path: Path) -> str:
    """The path as a JSON pointer: `/beam/cover`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


class _Filler:
    """Fills one schema, and remembers what was cited for each label."""

    def __init__(self, findings: Findings, schema: ObjectSchema, place: Place) -> None:
        self.findings, self.schema, self.place = findings, schema, place
        self.question = findings.question
        consultation = findings.consultation
        self.about = f"{self.question.text} {consultation.recommendation} {consultation.decision_text}".strip()
        self.filled = FilledSchema()
        self.cited: dict[str, Sequence[Citation]] = {}
        self.main: Sequence[Citation] = ()
        self.is_one_field = sum(1 for _ in leaves(schema)) == 1

    async def fill(self) -> FilledSchema:
        ready = self.findings.answer
        self.main = await self._quoted_citations(self.findings) if ready is None else ready.citations
        value = await self._fill_node(self.schema, ())
        self.filled.value = value if isinstance(value, dict) else None
        return self.filled

    async def _fill_node(self, node: Node, path: Path) -> Any:
        if isinstance(node, ObjectSchema):
            values = {name: await self._fill_node(one, (*path, name)) for name, one in node.fields.items()}
            return _close_object(node, values)
        if isinstance(node, ArraySchema):
            return await self._fill_items(node, path)
        return await self._fill_leaf(node, path)

    async def _fill_leaf(self, leaf: ValueSchema, path: Path) -> Any:
        if self._means_answer(leaf.label, path):
            found = [one for citation in self.main if (one := best_value(leaf, citation, about=self.about))]
            return self._keep(leaf, path, found[:1])
        candidates = self._candidates(leaf, self.main)
        if not any(fit == 1.0 for fit, _ in candidates):
            candidates = [*self._candidates(leaf, await self._cite(leaf.label)), *candidates]
        best = max(((fit, found.fit) for fit, found in candidates), default=(0.0, 0.0))
        return self._keep(leaf, path, [found for fit, found in candidates if (fit, found.fit) == best])

    def _candidates(self, leaf: ValueSchema, citations: Sequence[Citation]) -> list[tuple[float, FoundValue]]:
        """The value of each citation that speaks of the field, and how much of it does."""
        fits = ((label_fit(leaf.label, citation), citation) for citation in citations)
        values = ((fit, best_value(leaf, citation, about=self.about)) for fit, citation in fits if fit >= MIN_FIT)
        return [(fit, found) for fit, found in values if found]

    def _keep(self, leaf: ValueSchema, path: Path, found: list[FoundValue]) -> Any:
        """The value, with its citation, where all that were found say the same; of texts the first."""
        is_text = bool(found) and isinstance(found[0].value, str) and not leaf.choices
        if not found or (not is_text and len({repr(one.value) for one in found}) > 1):
            return _no_value(leaf, path, self.filled, reason=AMBIGUOUS if found else NOT_FOUND)
        return self._record(path, found[0])

    def _record(self, path: Path, found: FoundValue) -> Any:
        number = self.filled.number_of(found.citation)
        self.filled.fields.append(
            FilledField(path=_pointer(path), value=found.value, citations=(number,), unit=found.unit, bound=found.bound)
        )
        return found.value

    async def _fill_items(self, items: ArraySchema, path: Path) -> Any:
        """Each value that is cited for the array; of an array of objects, each citation that fills one."""
        means_answer = self._means_answer(items.label, path)
        citations = self.main if means_answer else [*self.main, *await self._cite(items.label)]
        kept, used = list[Any](), set[tuple[int, int, int]]()
        for citation in citations:
            if not means_answer and label_fit(items.label, citation) < MIN_FIT:
                continue
            if isinstance(items.item, ValueSchema):
                for found in find_values(items.item, citation, about=self.about):
                    if found.value not in kept and not self._is_full(items, kept):
                        kept.append(self._record((*path, len(kept)), found))
            elif not self._is_full(items, kept) and citation.span not in used:
                used.add(citation.span)
                self._fill_item(items.item, citation, path, kept)
        if not kept or len(kept) < items.min_items:
            return _no_value(items, path, self.filled, reason=NOT_FOUND)
        return kept

    @staticmethod
    def _is_full(items: ArraySchema, kept: list[Any]) -> bool:
        return items.max_items is not None and len(kept) >= items.max_items

    def _fill_item(self, shape: ObjectSchema, citation: Citation, path: Path, kept: list[Any]) -> None:
        """Adds an object to an array, filled from one citation. An object without any value is left out."""
        one = FilledSchema(citations=self.filled.citations)
        value = self._fill_from(shape, citation, (*path, len(kept)), one)
        if isinstance(value, dict) and one.has_values:
            kept.append(value)
            self.filled.fields += one.fields

    def _fill_from(self, node: Node, citation: Citation, path: Path, one: FilledSchema) -> Any:
        if isinstance(node, ObjectSchema):
            inner = node.fields.items()
            return _close_object(
                node, {name: self._fill_from(each, citation, (*path, name), one) for name, each in inner}
            )
        found = best_value(node, citation, about=node.label) if isinstance(node, ValueSchema) else None
        if found is None:
            return _no_value(node, path, one, reason=NOT_FOUND)
        number = one.number_of(citation)
        one.fields.append(
            FilledField(path=_pointer(path), value=found.value, citations=(number,), unit=found.unit, bound=found.bound)
        )
        return found.value

    def _means_answer(self, label: str, path: Path) -> bool:
        """Whether the field is the answer itself: by its name, or as the only one, about what the question is about."""
        words = content_stems(label)
        is_asked = self.is_one_field and words <= content_stems(self.about)
        return not words or is_asked or path[-1] in _ANSWER_NAMES

    async def _cite(self, label: str) -> Sequence[Citation]:
        """What is cited for the field, asked for after the whole question; nothing where the gate refuses it."""
        if label not in self.cited:
            findings = await self.place.run(self._find_for_label, label)
            passes = findings.answer is None and findings.sufficiency is not None and findings.sufficiency.passes
            self.cited[label] = await self._quoted_citations(findings) if passes else ()
        return self.cited[label]

    def _find_for_label(self, label: str) -> Findings:
        """What the field's question finds, up to the gate. It is a follow-up of the whole question."""
        asked, said = self.question.asked, self.findings.consultation.recommendation
        context = [*asked.context, Turn(role="user", content=self.question.text)]
        context += [Turn(role="assistant", content=said)] if said else []
        text = label if label.endswith("?") else f"What is the {label}?"
        question = ResolvedQuestion.of(
            replace(asked, text=text, context=tuple(context), options=self.question.options, schema=None)
        )
        passages = retriever.retrieve(question)
        evidence = retriever.build_evidence(question, passages)
        return apply_gate(
            question, evidence=evidence, consultation=Consultation(), passages=passages, llm=get_llm("extractive")
        )

    async def _quoted_citations(self, findings: Findings) -> Sequence[Citation]:
        """What the extractive answerer cites, whichever model the site has: its words are those of the documents."""
        assert findings.evidence is not None
        if findings.basis:
            self.filled.level = min(self.filled.level, findings.basis.level, key=list(Confidence).index)
        pieces: AsyncGenerator[Delta | Answer] = generate(
            findings.question,
            evidence=findings.evidence,
            consultation=findings.consultation,
            llm=get_llm("extractive"),
            basis=findings.basis,
        )
        async with aclosing(pieces):
            answers = [piece async for piece in pieces if isinstance(piece, Answer)]
        return answers[-1].citations
