"""What must be said together with a sentence, so that the quotation means what the page means.

A sentence that begins with "It" brings the one before, a list item the line that leads in to it, and a rule the
exception that stands beside it.
"""

from __future__ import annotations

import re
from itertools import islice

from language.content_words import content_stems
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.answering.llms.extractive.statements import (
    MAX_STATEMENT_CHARACTERS,
    is_list_item,
    is_statement,
    leads_in,
    replies,
)
from querying.types.evidence import Sentence

# A list is read up or down so far.
MAX_LIST_ITEMS, MAX_LIST_SENTENCES = 12, 60

# What the document calls itself or its parts is plain without the sentence before.
_SELF_REFERENCE = (
    r"(?!\s+(?:\w+\s+)?(?:agreement|policy|plan|document|handbook|manual|guide|contract|chapter|section|clause|standard"
    r"|code|act|article|report|page|table|paper|study|role|position|company|course|program(?:me)?)s?\b)"
)
_PRONOUN = re.compile(
    r"(?:(?:It|Its|They|Their|He|His|She|Her)|(?:This|That|These|Those)\s+(?:is|are|was|were|has|have|does|do|will|would|can"
    r"|could|may|might|must|shall|should|means?|meant|includes?|included|appl(?:y|ies)|ensures?|helps?|allows?|requires?))\b"
)
_ANAPHOR = re.compile(
    rf"{_PRONOUN.pattern}|(?:(?:This|That|These|Those|Such|Both){_SELF_REFERENCE})\b"
    r"|(?:The\s+(?:same|latter|former|above)|Either|Neither)\b",
)
# "An agreement without these exceptions …": the noun names what was listed.
_DEMONSTRATIVE = re.compile(r"\b(?:these|those|such)\s{1,8}((?:\w{1,40}\s{1,8})?\w{1,40})", re.IGNORECASE)
# "On Saturdays it is open from …": the pronoun comes behind a phrase that opens the sentence.
_OPENING = re.compile(
    r"(?:On|At|In|From|During|After|Before|Until|Since|For|By|To)(?:\s+[\w’'-]{1,30}){1,5}?,?\s+(?=(?:it|they|he|she)\b)"
)
# "It is important that …": it stands for what follows.
_EXPLETIVE = re.compile(
    r"It(?:['’]s|\s+(?:is|was|may\s+be|will\s+be|can\s+be|should\s+be|must\s+be))\s+(?:\w+\s+){0,3}?(?:that|to|for)\b"
)
# "There are a few exceptions to the rule": they come next.
_ANNOUNCES = re.compile(
    r"\b(?:there\s+(?:are|is)|here\s+are)\s+(?:\w+\s+){0,2}?(?:a\s+few|some|several|certain|many|two|three|four|five|one)\b"
    r"|\b(?:the\s+following|as\s+follows|listed\s+below|these\s+steps)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"(?:However|But|Except|Unless|Provided|Notwithstanding|Nevertheless|Otherwise|Exceptions?|The\s+(?:only\s+)?exceptions?"
    r"|Exclusions?|(?:This|These|It|They|That)\s+(?:rule\s+|requirement\s+|limit\s+)?(?:do(?:es)?\s+not|shall\s+not|may\s+not"
    r"|must\s+not|applies\s+only|apply\s+only|is\s+subject\s+to|are\s+subject\s+to)|Only\s+(?:if|when|where))\b",
)


def list_referred_to(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Sentence | None:
    """The lead-in of the list right above, where the sentence says "these exceptions" and the question wants them."""
    above = neighbours.before(sentence)
    if above is None or is_list_item(sentence.text):
        return None
    lead_in = list_lead_in(above, neighbours)
    if lead_in is None:
        return None
    shared = content_stems(question) & content_stems(lead_in.text)
    nouns = (content_stems(match[1]) for match in _DEMONSTRATIVE.finditer(sentence.text))
    return lead_in if any(noun & shared for noun in nouns) else None


def list_lead_in(item: Sentence, neighbours: Neighbours) -> Sentence | None:
    """The line above the list that this item stands in: one that leads in to it, or the heading."""
    if not is_list_item(item.text):
        return None
    items, nearest, first = 1, None, item
    may_hold_heading = _may_hold_heading(item)
    for above in islice(neighbours.preceding(item), MAX_LIST_SENTENCES):
        if is_list_item(above.text):
            if leads_in(above.text) and not neighbours.is_set_in_less(item, first):
                return above
            items, nearest, first = items + 1, None, above
            may_hold_heading = may_hold_heading or _may_hold_heading(above)
            if items > MAX_LIST_ITEMS:
                return None
            continue
        nearest = nearest or above
        if neighbours.starts_line(above):  # where it does not, it is a further sentence of an item
            is_lead_in = leads_in(nearest.text) or (neighbours.is_heading(nearest) and not may_hold_heading)
            return nearest if is_lead_in and len(nearest.text) <= MAX_STATEMENT_CHARACTERS else None
    return None


def list_items(heading: Sentence, neighbours: Neighbours) -> list[Sentence]:
    """The list items under a line that leads in to them, each with its further sentences. An item that leads in to
    others ends the list, and so does a line that may be the heading of the next one."""
    found: list[Sentence] = []
    items = 0
    for below in islice(neighbours.following(heading), MAX_LIST_SENTENCES):
        is_item = is_list_item(below.text)
        items += is_item
        is_further = found and not (is_item or neighbours.starts_line(below))
        if not (is_item or is_further) or items > MAX_LIST_ITEMS or leads_in(below.text):
            break
        if not leads_in(heading.text) and _may_hold_heading(below):
            break
        found.append(below)
    return found


def _may_hold_heading(item: Sentence) -> bool:
    """Whether a further line of the item, not set in, begins with a capital: it may be the heading of the next list."""
    return any(line[:1].isupper() for line in item.text.splitlines()[1:])


def antecedent(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Sentence | None:
    """The sentence before, where this one is about something that only that one names.

    A pronoun needs it always; "such" and the like where it has words of the question that this one lacks, or where
    this one has none of them.
    """
    before, text = neighbours.before(sentence), _without_opening(sentence.text)
    if before is None or _EXPLETIVE.match(text) or is_separate(before, sentence, neighbours):
        return None
    if not _ANAPHOR.match(text) or not is_statement(before.text):
        return None
    own, others = (content_stems(question) & content_stems(one.text) for one in (sentence, before))
    return before if begins_with_pronoun(sentence) or others - own or not own else None


def begins_with_pronoun(sentence: Sentence) -> bool:
    text = _without_opening(sentence.text)
    return _PRONOUN.match(text) is not None and not _EXPLETIVE.match(text)


def _without_opening(text: str) -> str:
    """The sentence from its pronoun on, where only a short phrase stands before that."""
    opening = _OPENING.match(text)
    return text[opening.end()].upper() + text[opening.end() + 1 :] if opening else text


def reply_above(sentence: Sentence, neighbours: Neighbours, *, question: str) -> Sentence | None:
    """The short answer above the sentence, right under a question that shares a word with the one that is asked:
    "Seven days." comes before what else is said of it."""
    above = neighbours.before(sentence)
    asked = neighbours.before(above) if above else None
    if above is None or asked is None or is_statement(above.text):
        return None
    page = f"{asked.text}{neighbours.between(asked, above)}"
    is_reply = replies(above.text, above=page, heading=neighbours.heading(sentence))
    return above if is_reply and content_stems(question) & content_stems(asked.text) else None


def following_sentence(sentence: Sentence, neighbours: Neighbours) -> Sentence | None:
    """The sentence after, where it limits what this one says, or is what this one announces."""
    after = neighbours.after(sentence)
    if after is None or is_separate(sentence, after, neighbours) or not is_statement(after.text):
        return None
    return after if _EXCEPTION.match(after.text) or _ANNOUNCES.search(sentence.text) else None


def is_separate(one: Sentence, other: Sentence, neighbours: Neighbours) -> bool:
    """Whether the second sentence is in another paragraph, or is a list item."""
    return neighbours.between(one, other).count("\n") > 1 or is_list_item(other.text)
