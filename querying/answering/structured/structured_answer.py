"""A filled schema as the answer to the question."""

from __future__ import annotations

import json
from dataclasses import replace

from querying.answering.findings import Findings
from querying.answering.structured.fill_fields import FilledSchema
from querying.types.answer import Answer, Outcome, StructuredOutput
from querying.types.refusals import refusal_text

# Why a question with a schema is refused: nothing fills it, or not what may not be empty.
NOTHING_FILLED, FIELDS_NOT_VERIFIED = "nothing_filled", "fields_not_verified"


def structured_answer(filled: FilledSchema, findings: Findings) -> Answer:
    """The answer whose text is the JSON. It is a refusal where nothing is filled, or not all that the schema needs;
    then, as after any refusal, it says why and what came nearest. A question back stays one."""
    structure = StructuredOutput(value=filled.value, fields=tuple(filled.fields), unfilled=tuple(filled.unfilled))
    question = findings.question
    text = refusal_text(question.release) if filled.value is None else json.dumps(filled.value, ensure_ascii=False)
    if findings.clarification:
        assert findings.answer is not None
        return replace(findings.answer, text=text, structure=structure)
    if filled.value is not None and filled.has_values:
        return Answer(
            text=text,
            outcome=Outcome.ANSWERED,
            citations=tuple(filled.citations),
            confidence=filled.level,
            basis=findings.basis,
            structure=structure,
        )
    refusal = findings.answer if findings.answer and findings.answer.outcome == Outcome.REFUSED else None
    judged = findings.sufficiency
    return Answer(
        text=text,
        outcome=Outcome.REFUSED,
        reason=NOTHING_FILLED if filled.value is not None else FIELDS_NOT_VERIFIED,
        why=refusal.why if refusal else (),
        nearest=refusal.nearest if refusal else judged.nearest if judged else (),
        basis=findings.basis,
        structure=structure,
    )
