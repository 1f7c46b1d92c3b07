"""Which of a release's trees a question is about, if any: a linear classifier over shared words and MiniLM.

A question is read twice. As it is, it is compared with the texts of the tree. With the words of the tree masked, only
its wording counts: “what does it mean”, “who pays for it” and “my it is seven years old” are asked of every subject. Of
the masked question count its meaning as a whole and its phrases of up to three words. The weights are learnt by
`benchmarks/tree_selection.py` from questions of forty-two trees, of which some ask for the decision and some for
another matter of the same subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder
from trees.definition.fields import collect_fields
from trees.definition.nodes import Tree
from trees.facts.extraction import Fact, extract_facts
from trees.words import content_stems, is_content_word, split_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

# Words of any professional question, which say nothing about its subject.
_GENERAL_STEMS = content_stems(
    "minimum maximum value required requirement needs rule limit allowed case apply applicable correct right best good "
    "given give get find know explain describe define mean kind type amount number many much condition check decide "
    "decision question answer choose choice first general use want make take according"
)
# “How soon must it be seen?” is about nothing else than “How soon is it seen?”
_MODAL_STEMS = content_stems("must ought")
# Log odds above which a tree takes a question: found by leaving out the questions of one tree after another.
THRESHOLD = -0.5
# One that scores less is plainly about something else: it does not go on from what was said before.
_FOLLOW_UP_THRESHOLD = -4.0
_MAX_CHARACTERS = 600
_MAX_TEXTS_PER_KIND = 60
_MAX_PHRASE_WORDS = 3
_PHRASE_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\?")
WEIGHTS = Path(__file__).with_name("tree_selection.npz")


@dataclass(frozen=True, kw_only=True)
class Features:
    """What the classifier sees of a question and a tree. `numbers`, float32 [400]: the nearness of its texts, words and
    facts in common, and the embedding of the masked question; `phrases` of the masked question."""

    numbers: Vector
    phrases: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What was learnt: `numbers`, float32 [400], and for a phrase what it adds to the score."""

    numbers: Vector
    phrases: Mapping[str, float]

    def score(self, seen: Features) -> float:
        # Sorted, because sets have no order, and a sum of floats depends on it.
        said = sorted(self.phrases.keys() & seen.phrases)
        return float(seen.numbers @ self.numbers) + sum(self.phrases[phrase] for phrase in said)


@dataclass(frozen=True, kw_only=True)
class TreeProfile:
    """What a tree is about. `subject` are the stems of its name, description and recommendations, `words` also those of
    its labels and questions; `vectors` one array [texts, 384] for each kind of text. `id` is the stored tree's, if it
    has one."""

    name: str
    tree: Tree
    subject: frozenset[str]
    words: frozenset[str]
    vectors: tuple[Vector, ...]
    id: str = ""


def select_tree(
    profiles: Sequence[TreeProfile],
    *,
    question: str,
    facts: Collection[str] = (),
    context: Sequence[str] = (),
) -> int | None:
    """The index of the tree that the question is about, or None when it is about none of them; of equals the first.

    `facts` are the names of the fields that the request gives values for. `context` is what the same person said
    before, oldest first. A question that names something of the tree, or has facts for it, may continue from there
    (“and for a slab?”).
    """
    scores = [score_tree(one, question=question, facts=facts, context=context) for one in profiles]
    best = max(scores, default=-np.inf)
    return scores.index(best) if best > THRESHOLD else None


def unrelated_stems(profile: TreeProfile, *, question: str) -> set[str]:
    """Stems of the question's words of substance that the tree has nothing to do with: what else it is about."""
    related = _related_stems(profile, question, extract_facts(profile.tree, question=question))
    return _subject_words(question) - related - _MODAL_STEMS


def unrelated_words(profile: TreeProfile, *, question: str) -> list[str]:
    """The same as words of the question, in its order."""
    stems = unrelated_stems(profile, question=question)
    return list(dict.fromkeys(word.text for word in split_words(question) if word.stem in stems))


def profile_tree(name: str, tree: Tree) -> TreeProfile:
    """The profile of a tree with this name and description. Embeds its texts, which takes time."""
    questions = [node.question.text for node in tree.questions if node.question.text]
    labels = [node.label for node in tree.nodes.values() if node.label]
    advice = [node.action.recommendation for node in tree.actions]
    hints = [node.action.source_hint for node in tree.actions]
    subject = _subject_words(" . ".join([name, tree.name, tree.description, *advice, *hints]))
    return TreeProfile(
        name=name,
        tree=tree,
        subject=frozenset(subject),
        words=frozenset(subject | _subject_words(" . ".join([*labels, *questions]))),
        vectors=tuple(_embed_all(texts) for texts in ([name], questions, advice, labels)),
    )


def read_features(profile: TreeProfile, question: str, *, facts: Collection[str] = ()) -> Features:
    """What the classifier sees of the question beside this tree. `facts` are names of fields given with it."""
    vector = _embed(question)
    near = [one @ vector for one in profile.vectors]
    everything = np.sort(np.concatenate(near))[::-1]
    extracted = extract_facts(profile.tree, question=question)
    content, related = _subject_words(question), _related_stems(profile, question, extracted)
    said = extracted.keys() | _given_fields(profile, facts)
    masked = _masked(question, profile.words)[:_MAX_CHARACTERS]
    numbers = [
        *(one.max(initial=0.0) for one in near),
        everything[:3].mean(),
        everything.mean(),
        min(len(related & profile.subject), 4) / 2,
        min(len(related), 5) / 2,
        len(related) / max(1, len(content)),
        min(len(content - related), 8) / 4,
        min(len(said), 3),
        not content - related and bool(related & profile.subject),
        not content - related and len(related) > 1,
        question.rstrip().endswith("?"),
        min(len(question), 200) / 100,
    ]
    return Features(
        numbers=np.concatenate([np.array(numbers), _embed(masked), [1.0]]).astype(np.float32),
        phrases=_masked_phrases(masked),
    )


def score_tree(
    profile: TreeProfile, *, question: str, facts: Collection[str] = (), context: Sequence[str] = ()
) -> float:
    """How much the question is about the tree: one above `THRESHOLD` is taken."""
    score = saved_weights().score(read_features(profile, question, facts=facts))
    if score > THRESHOLD or score < _FOLLOW_UP_THRESHOLD or not context:
        return score
    extracted = extract_facts(profile.tree, question=question)
    if not _related_stems(profile, question, extracted) and not _given_fields(profile, facts):
        return score
    continued = "\n".join([*context[-2:], question])
    return max(score, saved_weights().score(read_features(profile, continued, facts=facts)))


def _related_stems(profile: TreeProfile, text: str, facts: Mapping[str, Fact]) -> set[str]:
    """The stems of the text that belong to the tree: its words, and those that state the facts read from it."""
    stated = {word for fact in facts.values() for word in content_stems(fact.span) or {fact.span}}
    return (content_stems(text) & profile.words) | (stated - _GENERAL_STEMS)


def _given_fields(profile: TreeProfile, facts: Collection[str]) -> set[str]:
    return set(facts) & set(collect_fields(profile.tree)) if facts else set()


def _subject_words(text: str) -> set[str]:
    return content_stems(text) - _GENERAL_STEMS


def _masked(text: str, words: Collection[str]) -> str:
    """The text with "it" for every run of the tree's words."""
    masked, at = "", 0
    for word in split_words(text):
        if is_content_word(word.text) and word.stem in words:
            masked, at = f"{masked}{text[at : word.start]}it", word.end
    return re.sub(r"\bit(?:[ -]it)+\b", "it", masked + text[at:])


def _masked_phrases(masked: str) -> frozenset[str]:
    """One to three words that follow each other; question marks are words, and so are the start and the end."""
    words = ["^", *_PHRASE_WORD.findall(masked.lower()), "$"]
    lengths = range(1, _MAX_PHRASE_WORDS + 1)
    return frozenset(" ".join(run) for length in lengths for run in _runs(words, length))


def _runs(words: Sequence[str], length: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(length)), strict=False)


def _embed_all(texts: Iterable[str]) -> Vector:
    rows = [_embed_tree_text(text[:_MAX_CHARACTERS]) for text in list(texts)[:_MAX_TEXTS_PER_KIND]]
    return np.array(rows, np.float32).reshape(len(rows), local_embedder().dimensions)


@lru_cache(maxsize=4096)
def _embed_tree_text(text: str) -> Vector:
    return local_embedder().embed_batch([text])[0]


def _embed(text: str) -> Vector:
    return local_embedder().embed_one(text[:_MAX_CHARACTERS])


@cache
def saved_weights() -> Weights:
    with np.load(WEIGHTS) as file:
        phrases = dict(zip(file["phrases"].tolist(), file["phrase_weights"].tolist(), strict=True))
        return Weights(numbers=file["weights"].astype(np.float32), phrases=phrases)


def save_weights(learnt: Weights) -> None:
    names = sorted(learnt.phrases)
    np.savez_compressed(
        WEIGHTS,
        weights=learnt.numbers.astype(np.float16),
        phrases=np.array(names),
        phrase_weights=np.array([learnt.phrases[name] for name in names], np.float16),
    )
