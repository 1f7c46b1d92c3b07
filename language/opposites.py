"""Everyday opposites: a question that says one and a passage that says the other do not speak of the same thing."""

from __future__ import annotations

from language.terms import terms

_OPPOSITE_PAIRS = """
above below|accelerate slow|accept reject|active passive|add remove|admit deny|advance delay
advantage disadvantage|after before|agree disagree|allow prohibit|always never|ancient modern|appear vanish
approve refuse|arrive depart|ascend descend|attack defend|attract repel|backward forward|begin end|best worst
better worse|big small|birth death|boil freeze|borrow lend|bottom top|brave cowardly|bright dark|broad narrow
build destroy|buy sell|cause prevent|ceiling floor|cheap expensive|clean dirty|close open|cold hot
combine separate|common rare|complex simple|compulsory voluntary|connect disconnect|continue stop|cool warm
create destroy|credit debit|cure harm|dangerous safe|day night|deep shallow|defeat victory|definite vague
demand supply|dense sparse|deposit withdraw|difficult easy|domestic foreign|dry wet|early late|east west
eastern western|employer employee|empty full|encourage discourage|enemy ally|enter leave|even odd
exclude include|exit entrance|expand contract|export import|external internal|fail succeed|failure success
fall rise|false true|far near|fast slow|fat thin|female male|few many|fewer more|final initial|first last
fixed variable|flexible rigid|follow lead|forget remember|former latter|fresh stale|front back|future past
gain lose|general specific|gentle harsh|give take|good bad|grow shrink|guilty innocent|happy sad|hard soft
healthy sick|heavy light|high low|higher lower|hire fire|horizontal vertical|host guest|huge tiny|income expense
increase decrease|indoor outdoor|inferior superior|inner outer|inside outside|install uninstall|joint separate
junior senior|kind cruel|large small|larger smaller|largest smallest|latest earliest|lawful unlawful|left right
less more|liquid solid|local global|long short|longer shorter|loose tight|loss profit|loud quiet|major minor
majority minority|mandatory optional|mature immature|maximise minimise|maximum minimum|most least
natural artificial|negative positive|new old|noisy silent|north south|northern southern|obey disobey
offer request|older younger|oldest youngest|optimist pessimist|part whole|peace war|permanent temporary
permit forbid|plus minus|poor rich|popular unpopular|powerful weak|presence absence|present absent
private public|promote demote|public secret|pull push|qualified unqualified|raise lower|rapid slow|real fake
rear front|receive send|refund charge|relax tense|reward punish|rough smooth|rural urban|save spend|seller buyer
shorten lengthen|similar different|single married|single multiple|sink float|start finish|straight crooked
strengthen weaken|strong weak|summer winter|sunrise sunset|superior inferior|synchronous asynchronous|tall short
teach learn|tenant landlord|thick thin|tighten loosen|together apart|tragedy comedy|transparent opaque
unanimous divided|unite divide|upper lower|upstairs downstairs|upward downward|valid invalid|vertical horizontal
visible invisible|war peace|wax wane|wide narrow|win lose|winner loser|within outside
"""


def _opposites_by_stem() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for pair in _OPPOSITE_PAIRS.replace("\n", "|").split("|"):
        stems = [stem for word in pair.split() for stem in terms(word)]
        if len(stems) == 2:
            opposites.setdefault(stems[0], set()).add(stems[1])
            opposites.setdefault(stems[1], set()).add(stems[0])
    return {stem: frozenset(others) for stem, others in opposites.items()}


OPPOSITE_STEMS = _opposites_by_stem()


def opposites_of(stem: str) -> frozenset[str]:
    """Stems that mean the contrary of this one."""
    return OPPOSITE_STEMS.get(stem, frozenset())
