"""What of a question asks for something: people also say why they ask, that they are sorry, and thanks."""

from __future__ import annotations

import re

from querying.question.planning.label_vocabulary import LabelVocabulary, label_stem
from querying.question.planning.question_patterns import DOINGS, THING

# "Cloud.gov" has a full stop inside, so a clause ends only where a space follows.
_BREAK = re.compile(
    r"(?<=[,;:!?.])\s+(?:(?:and|but|so)\s+)?|\s+[–—-]+\s+|\s+but\s+"
    r"|\s+(?=(?:because|cos|so\s+(?:that\s+)?(?:i|we)|(?:as|since|before|while|if|in\s+case)\s+(?:i|we|you|my|our|there|it)|for\s+(?:an?|my|our|some)\s+(?:[\w-]+\s+){1,4}(?:i|we|i['’]m|we['’]re))\b)",
    re.IGNORECASE,
)
# Who tells something, or is polite, asks for nothing. "Since 2016" and "this year" are times.
_TOLD = re.compile(
    r"(?!.*(?:\b(?:what|which|who|why|when|where|how)\b|\?))\s*(?:(?:(?:because|cos|so|as|since|before|while|if|in\s+case|for)\s+(?:\w+\s+){0,4}?)?(?:i|we|you|they|he|she|it|someone|somebody|my|our|(?:this|that|there)(?:['’]s|\s+(?:is|was|will)))\b(?!\s+(?:\w+\s+)?(?:need|want|would\s+like|wonder\w*)\b)"
    r"|(?:sorry|hi|hello|hey|hiya|(?:good\s+)?(?:morning|afternoon|evening)|thanks|thank|cheers|ta|right|ok|okay|well|quick|random|bit|oh|um|go\s+on|anyway|yes|yeah)\b)",
    re.IGNORECASE,
)


def request_part(question: str, vocabulary: LabelVocabulary) -> str:
    """The question without clauses that only tell something, where another one names documents or doings."""
    clauses = {clause: names_documents(clause, vocabulary) for clause in _BREAK.split(question)}
    kept = [clause for clause, is_named in clauses.items() if is_named or not _TOLD.match(clause)]
    return " ".join(kept) if any(clauses.values()) else question


def names_documents(clause: str, vocabulary: LabelVocabulary) -> bool:
    """Whether the clause speaks of documents, or of what somebody did."""
    types = {vocabulary.stems(label)[-1] for label in vocabulary.doc_types if vocabulary.stems(label)}
    is_typed = any(label_stem(word) in types for word in re.findall(r"[^\W_]+", clause))
    return is_typed or bool(re.search(rf"\b{THING}\b", clause, re.IGNORECASE) or DOINGS.match(clause))
