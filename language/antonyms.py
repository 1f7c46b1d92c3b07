"""Antonyms: words by which two sentences that look alike say different things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from language.month_names import MONTHS, WEEKDAYS
from language.number_words import ORDINALS

# In any of their forms: "accept" and "reject", so "accepted" and "rejects" too.
_OPPOSITE_PAIRS = """
accelerate slow|accept reject|active passive|add remove|admit deny|advance delay|advantage disadvantage
agree disagree|allow prohibit|always never|ancient modern|appear vanish|approve refuse|arrive depart
ascend descend|attack defend|attract repel|backward forward|begin end|best worst|better worse|big small
birth death|boil freeze|borrow lend|bottom top|brave cowardly|bright dark|broad narrow|build destroy|buy sell
cause prevent|ceiling floor|cheap expensive|clean dirty|close open|cold hot|combine separate|common rare
complex simple|compulsory voluntary|connect disconnect|continue stop|cool warm|create destroy|credit debit
cure harm|dangerous safe|day night|deep shallow|defeat victory|definite vague|demand supply|dense sparse
deposit withdraw|difficult easy|domestic foreign|dry wet|early late|east west|eastern western|employer employee
empty full|encourage discourage|enemy ally|enter leave|even odd|exclude include|exit entrance|expand contract
export import|external internal|fail succeed|failure success|fall rise|false true|far near|fast slow|fat thin
female male|final initial|first last|fixed variable|flexible rigid|follow lead|forget remember|former latter
fresh stale|front back|future past|gain lose|general specific|gentle harsh|give take|good bad|grow shrink
guilty innocent|happy sad|hard soft|healthy sick|heavy light|high low|higher lower|hire fire|horizontal vertical
host guest|huge tiny|income expense|increase decrease|indoor outdoor|inferior superior|inner outer|inside outside
install uninstall|joint separate|junior senior|kind cruel|large small|larger smaller|largest smallest
latest earliest|lawful unlawful|left right|liquid solid|local global|long short|longer shorter|loose tight
loss profit|loud quiet|major minor|mandatory optional|mature immature|maximise minimise|maximum minimum
natural artificial|negative positive|new old|noisy silent|north south|northern southern|obey disobey|offer request
older younger|oldest youngest|optimist pessimist|part whole|peace war|permanent temporary|permit forbid|plus minus
poor rich|popular unpopular|powerful weak|presence absence|present absent|private public|promote demote
public secret|pull push|qualified unqualified|raise lower|rapid slow|real fake|rear front|receive send
refund charge|relax tense|reward punish|rough smooth|rural urban|save spend|seller buyer|shorten lengthen
similar different|single married|single multiple|sink float|start finish|straight crooked|strengthen weaken
strong weak|summer winter|sunrise sunset|synchronous asynchronous|tall short|teach learn|tenant landlord
thick thin|tighten loosen|together apart|tragedy comedy|transparent opaque|unanimous divided|unite divide
upper lower|upstairs downstairs|upward downward|valid invalid|visible invisible|wax wane|wide narrow|win lose
winner loser|within outside
after before|above below|over under|up down|into out|more less|more fewer|most least|all some|every some|each some
always sometimes|always rarely|often rarely|usually rarely|usually never|start stop|commence terminate
increase reduce|raise reduce|improves worsens|activate inhibit|activation inhibition|promote inhibit
induces inhibits|stimulates inhibits|stimulates suppresses|enhances impairs|upregulates downregulates
upregulated downregulated|supports opposes|lessor lessee|licensor licensee|lender borrower|creditor debtor
plaintiff defendant|vendor purchaser|trainer trainee|payer payee|mortgagor mortgagee|assignor assignee
franchisor franchisee|grantor grantee|mother father|husband wife|men women|boys girls|teacher student
doctor patient|disclosing receiving|discloser recipient|client contractor|owner contractor|owner tenant|gross net
input output|upstream downstream|acute chronic|benign malignant|acidic alkaline|gain loss|asset liability
interior exterior|encrypt decrypt|upload download|gains losses|profits losses|won lost|full partial
fully partially|exclusive inclusive|primary secondary|domestic international|mild severe|mild extreme
mild moderate|moderate severe|moderate extreme|severe extreme|fresh salt|simple compound|approve reject
grant refuse|can cannot|allow prevent|permits prevents|enables prevents|enable disable|open closed|easy hard
same different|same unique|identical different|same distinct|solely jointly
"""
# Whoever says one of a row does not say another of it.
_EXCLUSIVE_CLASSES = [
    " ".join(MONTHS),
    " ".join(WEEKDAYS),
    f"{' '.join(ORDINALS)} last",
    "spring summer autumn winter",
    "red orange yellow green blue violet purple black white grey brown pink",
    "north south east west northern southern eastern western",
    "daily weekly fortnightly monthly quarterly yearly annually hourly",
    "annual monthly weekly daily quarterly",
    "once twice thrice",
    "hour day week fortnight month quarter year",
    "double triple quadruple",
    "steel timber wood aluminium copper plastic",
]


def _others_by_word(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    """Each word with the others of the groups that it is in."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for words in map(frozenset, groups):
        for word in words:
            found[word] |= words - {word}
    return {word: frozenset(others) for word, others in found.items()}


def _inflected(pairs: Iterable[list[str]]) -> Iterator[tuple[str, ...]]:
    """Each pair in its inflections: "increases" is the contrary of "reduces", "increased" of "reduced"."""
    for pair in pairs:
        for ending in ("s", "ed", "ing"):
            yield tuple(word.removesuffix("" if ending == "s" else "e") + ending for word in pair)


_PAIRS = [pair.split() for pair in _OPPOSITE_PAIRS.strip().replace("\n", "|").split("|")]
_WORD_OPPOSITES = _others_by_word([*_PAIRS, *_inflected(_PAIRS), *map(str.split, _EXCLUSIVE_CLASSES)])


def opposite_words(word: str) -> frozenset[str]:
    """Words, as they are written, that are the contrary of this one or exclude it (Monday, Friday)."""
    return _WORD_OPPOSITES.get(word, frozenset())
