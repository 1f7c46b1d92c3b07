"""How well the passages answer: each sentence is weighed against the question, word by word, by the late interaction
of querying/retrieval/late_interaction.py. No language model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from knowledge.chunking.chunker import title_path
from knowledge.embedders import get_embedder
from knowledge.embedders.local import LocalEmbedder
from knowledge.search.hybrid import Passage
from knowledge.search.query_words import NO_SYNONYMS, Synonyms
from language.sentences import sentence_spans
from language.terms import terms
from querying.question.conversation_context import WeightedTurn
from querying.retrieval.exclusions import excluded_words
from querying.retrieval.late_interaction import QuestionWords, SentenceMatch, Span, question_words
from querying.retrieval.token_states import States, token_states
from querying.types import Evidence, Sentence

# Passages whose sentences are weighed. Each that was not read lately costs some 10 ms.
MAX_SCORED_PASSAGES = 10
# What a sentence loses that speaks of everything but what is asked about.
_EXCLUSION_PENALTY = 0.2
# How many windows of them the model reads; these are what an answer costs. Which ones, the words decide.
MAX_WINDOWS = 12
# It begins with so many. Where they hold evidence as strong as this, the others would not change the answer: of
# northwind's questions three fifths end here, at the same figures (docs/evaluation.md).
FIRST_BATCH_WINDOWS = 4
CLEAR_STRENGTH = 0.72
# What a glance at the words of a passage is worth, beside reading it.
_LEXICAL_DISCOUNT = 0.8
# Sentences share a window of about 200 tokens, so that each is read in its context.
_WINDOW_CHARACTERS = 800
_TITLE_CHARACTERS = 160


@dataclass(frozen=True, kw_only=True)
class _Window:
    """Sentences that the model reads together, with the title before them."""

    passage: int
    spans: tuple[Span, ...]
    said: tuple[frozenset[str], ...]  # the stems of each span
    content: str  # of the whole passage
    head: str
    titled: frozenset[str]  # the stems of the head

    @property
    def text(self) -> str:
        return self.head + self.content[self.spans[0][0] : self.spans[-1][1]]

    @property
    def stems(self) -> frozenset[str]:
        return self.titled.union(*self.said)

    @property
    def shift(self) -> int:
        """What leads from the passage's offsets to those of the text."""
        return len(self.head) - self.spans[0][0]


@dataclass(frozen=True, kw_only=True)
class _ScoredPassage:
    """A passage whose sentences were matched. `standing` is what it is worth as a whole, whatever its sentences say:
    the score of the search, or the mean of that and a reranker's opinion. One that was not read has no matches."""

    passage: Passage
    standing: float
    matches: Sequence[tuple[Span, SentenceMatch]]
    lexical_estimate: float
    relevance: float | None
    question: str  # as it stands, without the turns before

    @property
    def worth(self) -> float:
        """By which passages are ordered."""
        best = max((match.titled for _, match in self.matches), default=self.lexical_estimate)
        return 0.7 * self.standing + 0.3 * best if self.relevance is None else self.relevance

    @property
    def strength(self) -> float:
        """Without the words of the title, which show that the document is right and not that the passage answers."""
        return _passage_strength(self.passage, self.matches)

    def sentences(self, source: int) -> Iterator[Sentence]:
        for (start, end), match in self.matches:
            text = self.passage.content[start:end]
            score = (
                0.6 * match.titled
                + 0.4 * self.standing
                - (_EXCLUSION_PENALTY if excluded_words(text, self.question) else 0.0)
            )
            yield Sentence(source=source, start=start, end=end, text=text, score=max(0.0, score))


def score_evidence(
    *,
    asked: Sequence[WeightedTurn],
    passages: Sequence[Passage],
    weights: Mapping[str, float],
    synonyms: Synonyms = NO_SYNONYMS,
    relevance: Sequence[float] | None = None,
) -> Evidence:
    """The passages in the order in which they answer, and their sentences, best first.

    `asked` is the question and, at less weight, the turns before it; `weights` has the inverse document frequency of
    each stem; `relevance` is a reranker's opinion of each passage, 0 to 1, and decides their order. Strength is
    between 0 and 1; 0 when there is nothing to weigh.
    """
    embedder = get_embedder("local")
    assert isinstance(embedder, LocalEmbedder)
    words = question_words(asked, weights=weights, synonyms=synonyms, embedder=embedder)
    if not passages or not words:
        return Evidence(passages=tuple(passages), sentences=(), strength=0.0)
    # Sorting keeps the order of equals, here and below.
    ranked = sorted(zip(passages, relevance or repeat(None)), key=lambda pair: -(pair[1] or 0.0))  # noqa: B905
    head, tail = ranked[:MAX_SCORED_PASSAGES], ranked[MAX_SCORED_PASSAGES:]
    read = _match_passages([passage for passage, _ in head], asked=words, embedder=embedder)
    question = max(asked, key=lambda said: said.weight).text
    weighed = [_scored_passage(*pair, *found, question) for pair, found in zip(head, read, strict=True)]
    weighed.sort(key=lambda one: -one.worth)
    sentences = [sentence for source, one in enumerate(weighed) for sentence in one.sentences(source)]
    sentences.sort(key=lambda sentence: (-sentence.score, sentence.source, sentence.start))
    return Evidence(
        passages=tuple([one.passage for one in weighed] + [passage for passage, _ in tail]),
        sentences=tuple(sentences),
        strength=max(one.strength for one in weighed),
    )


def _scored_passage(
    passage: Passage,
    relevance: float | None,
    matches: Sequence[tuple[Span, SentenceMatch]],
    lexical_estimate: float,
    question: str,
) -> _ScoredPassage:
    standing = passage.score if relevance is None else (passage.score + relevance) / 2
    return _ScoredPassage(
        passage=passage,
        standing=standing,
        matches=matches,
        lexical_estimate=lexical_estimate,
        relevance=relevance,
        question=question,
    )


def _passage_strength(passage: Passage, matches: Sequence[tuple[Span, SentenceMatch]]) -> float:
    return max((0.6 * match.bare + 0.4 * passage.score for _, match in matches), default=0.0)


def _match_passages(
    passages: Sequence[Passage], *, asked: QuestionWords, embedder: LocalEmbedder
) -> list[tuple[list[tuple[Span, SentenceMatch]], float]]:
    """For each passage its sentences and how they match, and what a glance at its words says of it. The most promising
    windows go through the model in one batch; the others in a second one, unless the first leave nothing open."""
    promising = _rank_windows(
        [window for at, each in enumerate(passages) for window in _split_into_windows(at, each)], asked
    )
    glances = [0.0 for _ in passages]
    for window, share in promising:
        glances[window.passage] = max(glances[window.passage], _LEXICAL_DISCOUNT * share)
    is_much = len(promising) == MAX_WINDOWS
    windows = [_trim_window(window, asked) if is_much else window for window, _ in promising]
    first = token_states(embedder, [window.text for window in windows[:FIRST_BATCH_WINDOWS]])
    matches = _match_windows(asked, passages, windows[:FIRST_BATCH_WINDOWS], first)
    if max(map(_passage_strength, passages, matches)) < CLEAR_STRENGTH and len(windows) > FIRST_BATCH_WINDOWS:
        rest = token_states(embedder, [window.text for window in windows[FIRST_BATCH_WINDOWS:]])
        matches = _match_windows(asked, passages, windows, [*first, *rest])
    return list(zip(matches, glances, strict=True))


def _match_windows(
    asked: QuestionWords, passages: Sequence[Passage], windows: Sequence[_Window], read: Sequence[States]
) -> list[list[tuple[Span, SentenceMatch]]]:
    """For each passage the sentences of its windows and how they match; `read` has what the model made of each."""
    found: list[list[tuple[Span, SentenceMatch]]] = [[] for _ in passages]
    in_title = [asked.in_title(_title_prefix(passage)) for passage in passages]
    similar = [asked.states @ states.T for states, _ in read]
    topics = [
        asked.topic([each for each, window in zip(similar, windows, strict=True) if window.passage == at])
        for at in range(len(passages))
    ]
    for window, each, (_, offsets) in zip(windows, similar, read, strict=True):
        starts, ends = np.asarray(offsets, dtype=np.intp).reshape(-1, 2).T
        for start, end in window.spans:
            first = int(np.searchsorted(ends, start + window.shift, side="right"))
            last = int(np.searchsorted(starts, end + window.shift, side="left"))
            at = window.passage
            match = asked.match(each[:, first:last], topic=topics[at], in_title=in_title[at])
            found[at].append(((start, end), match))
    return found


def _rank_windows(windows: Sequence[_Window], asked: QuestionWords) -> list[tuple[_Window, float]]:
    """At most READ_WINDOWS of them, each with the share of the question's words that it holds: the best of each
    passage, then the best of the others. The most promising first: a quarter of the words is worth a place of the
    ranking."""
    shared = sorted(((window, asked.share(window.stems)) for window in windows), key=lambda pair: -pair[1])
    firsts = list({window.passage: (window, share) for window, share in reversed(shared)}.values())
    firsts.sort(key=lambda pair: pair[0].passage)
    others = [pair for pair in shared if pair not in firsts]
    chosen = [*firsts, *others][:MAX_WINDOWS]
    return sorted(chosen, key=lambda pair: pair[0].passage - 4 * pair[1])


def _trim_window(window: _Window, asked: QuestionWords) -> _Window:
    """Without the sentences before the first and after the last that say a word of the question: an eighth of what the
    model would read where there is much to read. A window without any such word stays whole."""
    saying = [at for at, stems in enumerate(window.said) if asked.share(stems) > 0]
    if not saying:
        return window
    kept = slice(saying[0], saying[-1] + 1)
    return replace(window, spans=window.spans[kept], said=window.said[kept])


def _split_into_windows(index: int, passage: Passage) -> list[_Window]:
    """Neighbouring sentences together, as many as fit one window of the model, each with the title before it."""
    groups: list[list[Span]] = []
    for span in sentence_spans(passage.content):
        if groups and span[1] - groups[-1][0][0] <= _WINDOW_CHARACTERS:
            groups[-1].append(span)
        else:
            groups.append([span])
    head = f"{_title_prefix(passage)}. "
    titled = frozenset(terms(head))
    return [
        _Window(
            passage=index,
            spans=tuple(group),
            said=tuple(frozenset(terms(passage.content[start:end])) for start, end in group),
            content=passage.content,
            head=head,
            titled=titled,
        )
        for group in groups
    ]


def _title_prefix(passage: Passage) -> str:
    return title_path(passage.document_title, passage.section_path)[:_TITLE_CHARACTERS]
