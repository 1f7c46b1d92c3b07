"""Which of a release's trees a question is about, if any: a linear classifier first, then a cross-encoder.

For the classifier a question is read twice. As it is, it is compared with the texts of the tree. With the words of the
tree masked, only its wording counts: “what does it mean”, “who pays for it” and “my it is seven years old” are asked of
every subject. Of the masked question count its meaning as a whole and its phrases of up to three words. The weights are
learnt by `benchmarks/tree_selection.py` from questions of forty-two trees, of which some ask for the decision and some
for another matter of the same subject. Trees that the question may be about are then read together with it
(`tree_cross_encoder`), and the score is the weighted sum of both.
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
from knowledge.embedders.cross_encoder import log_odds
from querying.question.tree_cross_encoder import is_english, tree_cross_encoder, tree_text
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
# The score above which a tree takes a question, and above which other words of the question count for less
# (`consult_trees`).
THRESHOLD = 0.0
SURE = 0.6
# What the classifier's score and the cross-encoder's log odds count for, by logistic regression on three sets that
# neither has learnt (`benchmarks.tree_selection --weigh`); the constant, so that the threshold is zero, and the balance
# of the two were chosen on the same sets, on an older one and on northwind's questions (docs/evaluation.md).
_INTERCEPT, _CLASSIFIER_WEIGHT, _CROSS_ENCODER_WEIGHT = 0.8, 0.3, 0.55
_MAX_LOG_ODDS = 7.0
# Of the classifier alone.
_CLASSIFIER_THRESHOLD = -0.5
# The cross-encoder reads no tree that the classifier gives less, and of the rest only the likeliest: reading six in
# place of two changes one decision in a hundred.
_LEAST_READ = -3.0
# Behind earlier turns a question may go on about a tree to which the classifier gives this much by its own words.
_LEAST_CONTINUED = -5.0
_MAX_READ = 2
_MAX_CHARACTERS = 600
_MAX_TEXTS_PER_KIND = 60
_MAX_PHRASE_WORDS = 3
_PHRASE_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\?")
WEIGHTS = Path(__file__).with_name("tree_selection.npz")


@dataclass(frozen=True, kw_only=True)
class Features:
    """What the classifier sees of a question and a tree. `numbers`, float32 [400]: the nearness of its texts, words and
    facts in common, and the embedding of the masked question; `phrases` of the masked question. `unrelated` are the
    question's `unrelated_stems`."""

    numbers: Vector
    phrases: frozenset[str]
    unrelated: frozenset[str]


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
    its labels and questions; `vectors` one array [texts, 384] for each kind of text. `text` is what the cross-encoder
    reads where it `is_english`, and `id` the stored tree's, if it has one."""

    name: str
    tree: Tree
    subject: frozenset[str]
    words: frozenset[str]
    vectors: tuple[Vector, ...]
    text: str
    is_english: bool
    id: str = ""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """`index` of the tree that the question is about. `is_sure` says that the other words of the question tell the
    case, and ask for nothing else."""

    index: int
    is_sure: bool


def select_tree(
    profiles: Sequence[TreeProfile],
    *,
    question: str,
    facts: Collection[str] = (),
    context: Sequence[str] = (),
) -> Selection | None:
    """The tree that the question is about, or None when it is about none of them; of equals the first.

    `facts` are the names of the fields that the request gives values for. `context` is what the same person said
    before, oldest first. A question that names something of the tree, or has facts for it, may continue from there
    (“and for a slab?”). Raises `EmbedderRejected` where MiniLM's files are not installed.
    """
    scores = score_trees(profiles, question=question, facts=facts, context=context)
    best = max(scores, default=-np.inf)
    return Selection(index=scores.index(best), is_sure=best > SURE) if best > THRESHOLD else None


def unrelated_stems(profile: TreeProfile, *, question: str) -> set[str]:
    """Stems of the question's words of substance that the tree has nothing to do with: what else it is about."""
    related = _related_stems(profile, question, extract_facts(profile.tree, question=question))
    return _subject_words(question) - related - _MODAL_STEMS


def unrelated_words(profile: TreeProfile, *, question: str) -> list[str]:
    """The same as words of the question, in its order."""
    stems = unrelated_stems(profile, question=question)
    return list(dict.fromkeys(word.text for word in split_words(question) if word.stem in stems))


def profile_tree(name: str, tree: Tree, *, description: str = "") -> TreeProfile:
    """The profile of a tree with this name and description. Embeds its texts, which takes time."""
    text, name = tree_text(name, description, tree), f"{name} {description}".strip()
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
        text=text,
        is_english=is_english(text),
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
        unrelated=frozenset(content - related - _MODAL_STEMS),
    )


@dataclass(frozen=True, kw_only=True)
class ScoreParts:
    """What the classifier (`by_words`) and the cross-encoder (`log_odds`) say of a tree. The latter is None where it
    has not read the tree. It cannot unless both are English (`is_english`), and its no does not count for a question
    that has no other words than the tree's (`is_in_its_words`): of trees that say little it often denies what they
    say word for word."""

    by_words: float
    log_odds: float | None
    is_english: bool
    is_in_its_words: bool

    @property
    def score(self) -> float:
        """Of a question that stands by itself."""
        if self.is_english and self.is_in_its_words:
            return max(self._by_words_alone, self.read_score)
        return self.read_score

    @property
    def read_score(self) -> float:
        """Of a question that is read behind earlier turns: the network's no counts whatever its words are."""
        if not self.is_english:  # and it is never sure
            return min(self._by_words_alone, SURE)
        if self.log_odds is None:
            return min(self.by_words, _LEAST_READ)
        return _INTERCEPT + _CLASSIFIER_WEIGHT * self.by_words + _CROSS_ENCODER_WEIGHT * self.log_odds

    @property
    def _by_words_alone(self) -> float:
        return self.by_words - _CLASSIFIER_THRESHOLD


def score_trees(
    profiles: Sequence[TreeProfile], *, question: str, facts: Collection[str] = (), context: Sequence[str] = ()
) -> list[float]:
    """How much the question is about each tree: one above `THRESHOLD` is taken."""
    parts = score_parts(profiles, question, facts=facts)
    scores = [one.score for one in parts]
    if not context:
        return scores
    follow_ups = [
        index
        for index, (profile, one) in enumerate(zip(profiles, parts, strict=True))
        if one.score <= THRESHOLD and one.by_words > _LEAST_CONTINUED and _may_continue(profile, question, facts)
    ]
    continued = "\n".join([*(turn[-_MAX_CHARACTERS:] for turn in context[-2:]), question])
    again = score_parts([profiles[index] for index in follow_ups], continued, facts=facts)
    for index, one in zip(follow_ups, again, strict=True):
        scores[index] = max(scores[index], one.read_score)
    return scores


def score_parts(
    profiles: Sequence[TreeProfile], question: str, *, facts: Collection[str] = (), most_read: int = _MAX_READ
) -> list[ScoreParts]:
    """What both say of each tree. Of those that the cross-encoder can read it reads the likeliest `most_read`."""
    seen = [read_features(profile, question, facts=facts) for profile in profiles]
    by_words = [saved_weights().score(one) for one in seen]
    can_read = [one.is_english for one in profiles] if is_english(question) else [False] * len(profiles)
    says_something = bool(_subject_words(question))
    likely = [
        index
        for index, profile in enumerate(profiles)
        if can_read[index] and by_words[index] > _LEAST_READ
        if says_something or _given_fields(profile, facts)
    ]
    read = sorted(likely, key=lambda index: -by_words[index])[:most_read]
    found = tree_cross_encoder().probabilities(question, [profiles[index].text for index in read]) if read else []
    odds = {index: log_odds(probability, most=_MAX_LOG_ODDS) for index, probability in zip(read, found, strict=True)}
    return [
        ScoreParts(
            by_words=by_words[index],
            log_odds=odds.get(index),
            is_english=can_read[index],
            is_in_its_words=not seen[index].unrelated,
        )
        for index in range(len(profiles))
    ]


def _may_continue(profile: TreeProfile, question: str, facts: Collection[str]) -> bool:
    """Whether the question names something of the tree, or has facts for it."""
    extracted = extract_facts(profile.tree, question=question)
    return bool(_related_stems(profile, question, extracted) or _given_fields(profile, facts))


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
