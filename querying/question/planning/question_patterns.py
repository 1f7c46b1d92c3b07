"""The words by which a question says what it wants: what it lists, how far something is, how many, and what only asks.

They are English; what the documents are labelled with is data, and stands in the vocabulary.
"""

from __future__ import annotations

import re

from language.terms import terms
from querying.question.planning.query_plan import Intent

THING = (
    r"(?:posts?|notes?|articles?|documents?|docs?|entries|entry|pages?|files?|items?|pieces?|stories|write-?ups?|blogs?|papers?|records?|logs?"
    r"|publications?|postings?|writings?|texts?|materials?|memos?|bulletins?|dispatch(?:es)?|newsletters?|columns?|essays?|features?|briefings?|announcements?|transcripts?|contributions?|paperwork|correspondence|literature)"
)
_WRITE = r"(?:writ(?:e|ing|ten|es)|wrote|publish(?:ed|ing)?|post(?:ed|ing)?|blog(?:ged|ging)?)"
# What may stand between an article and a document: numbers, labels, "of"; no verb that makes it the subject of another question.
_MODIFIERS = r"(?:(?!(?:did|do|does|have|has|had|can|could|should)\b)[\w.'’-]+\s+){0,5}"
THINGS = re.compile(rf"\s+{THING}\b", re.IGNORECASE)
LISTING = re.compile(
    rf"^\s*(?:please\s+)?(?:(?:(?:can|could|would)\s+you|(?:can|could|may)\s+i|i\s+(?:want|need|would\s+like)\s+to|i['’]d\s+like\s+to)\s+)?(?:please\s+)?(?:see|list|show|find|give|get|name|enumerate|pull\s+up|dig\s+(?:out|up)|bring\s+up|look\s+up|fetch|(?:i\s+am\s+|i['’]m\s+)?(?:looking|searching|hunting)\s+for|i['’]m\s+after)\b"
    rf"|\b(?:which|what|how\s+many|all|any|every|the\s+(?:latest|newest|most\s+recent|last|first))\s+(?:of\s+)?(?:the\s+|my\s+|our\s+|your\s+)?{_MODIFIERS}{THING}\b"
    rf"|\b(?:lists?|titles?|names?)\s+of\s+{_MODIFIERS}{THING}\b"
    rf"|^\s*(?:[\w-]+\s+)?(?:(?!(?:did|do|does)\b)[\w-]+\s+){{0,3}}{THING}\s+(?:about|on|from|in|of|since|before|after|between|tagged|published|written|dated|with|by|during|under|for|that)\b"
    rf"|\b(?:everything|anything|whether|did|has|have|was|were|what['’]s)\s+(?:[\w'’]+\s+){{0,3}}{_WRITE}\b"
    rf"|\b(?:(?:every|any|some)thing|stuff|what\s+(?:(?:do|have|had|has|did|is|was|are)\s+(?:i|we|you|they|there)(?:['’]ve)?(?:\s+(?:have|got|had))?|else|is|was))\s+(?:(?:tagged|about|on|from|re|regarding)\b|(?:newer|older|more\s+recent)\s+than)",
    re.IGNORECASE,
)
ABOUT = re.compile(
    r"\b(?:about|on|re|around|to\s+do\s+with|regarding|concerning|covering|tagged(?:\s+(?:as|with))?|with\s+(?:the\s+)?tags?|under\s+(?:the\s+)?(?:tag|topic)|filed\s+under|labelled|labeled|mention\w*|related\s+to|dealing\s+with|topics?\s+of|in\s+the\s+category|categori[sz]ed\s+(?:as|under)|that\s+(?:discuss|cover|deal\s+with|talk\s+about|speak\s+(?:of|about)|treat)|discussing)\b[\s:]*",
    re.IGNORECASE,
)
TAGGED = re.compile(r"\b(?:tag|tagged|tags|filed\s+under|labell?ed)\b", re.IGNORECASE)
HASH = re.compile(r"(?<!\w)#([\w/-]{2,60})")
# Beside these a status is one; in "a final deadline" it is an ordinary word.
MARKED = re.compile(
    r"\b(?:still|currently|now|marked|status|are|is|have|has|been|got|in|on|as|what['’]s|\w+thing)\s+(?:still\s+|currently\s+)?(?:in\s+|on\s+|as\s+)?$",
    re.IGNORECASE,
)
INTENTS = {
    Intent.ACCOMPLISHMENTS: re.compile(
        r"\b(?:accomplish\w*|achiev\w*|finish(?:ed)?|complet(?:ed?|ions?)|shipped|ship|delivered|got\s+done|get\s+done|wrap(?:ped)?\s+up|tick(?:ed)?\s+off|done)\b",
        re.IGNORECASE,
    ),
    Intent.IN_FLIGHT: re.compile(
        r"\b(?:in\s+flight|in[\s-]progress|under\s*way|in\s+the\s+middle\s+of|in\s+the\s+works|on\s+the\s+go|ongoing|on-going|unfinished|still\s+open|(?:am|are|is|currently)\s+(?:\w+\s+){0,2}working\s+on|working\s+on\s+(?:now|right\s+now|at\s+the\s+moment)|on\s+(?:my|our)\s+plate|active|still\s+(?:in\s+)?\w+ing|still\s+(?:in|on|at)\s+\w+|(?:are|is)\s+still\s+\w+|(?:have|has)(?:n['’]t|\s+not)\s+(?:yet\s+)?(?:been\s+)?(?:finished|completed|done))\b",
        re.IGNORECASE,
    ),
    Intent.RECAP: re.compile(
        r"\b(?:recap\w*|summar(?:y|ise|ize|ies)|what\s+(?:happened|went\s+on|has\s+happened)|overview|round-?up|look\s+back|retrospective|what(?:\s+has|'s|’s)?\s+(?:is\s+)?new|highlights?|(?:week|month|year|quarter)\s+in\s+review|sum(?:ming)?\s+up|run-?down|catch\s+(?:me|us)\s+up|fill\s+(?:me|us)\s+in|(?:bring|get)\s+(?:me|us)\s+up\s+to\s+(?:date|speed)|did\s+(?:i|we)\s+miss|(?:was|were|been)\s+(?:i|we|they)?\s*up\s+to|been\s+(?:happening|going\s+on))\b",
        re.IGNORECASE,
    ),
}
# Somebody's doings, past or up to now. Where nothing else is said, a recap of them is meant.
DID = re.compile(r"\b(?:did|done|was|were|been|have|has|had|got|made|went)\b|['’]ve\b", re.IGNORECASE)
SOMEBODY = re.compile(r"\b(?:i|we|they|my|our|me|us)\b", re.IGNORECASE)
# What somebody did or was busy with, and nothing on what it was about. Who did it, and by what words that is asked for, is no
# topic: "what the volunteers got done", "boil down what I achieved", "tell me what we managed to do", "the gist of my progress".
_END = r"(?=\s*(?:$|[?.,;!]|please\b|so\s+far\b|for\s+(?:me|us)\b|would\s+you\b|will\s+you\b))"
_DOES = (
    r"(?:do(?:ing|ne)?|did|achieved?|accomplish(?:ed)?|finish(?:ed)?|completed?|deliver(?:ed)?|g[eo]t\s+(?:done|through|up\s+to)|up\s+to"
    r"|work(?:ed|ing)?\s+on|busy(?:\s+with)?)"
)
DOINGS = re.compile(
    rf"^\s*(?:[\w;-]+\s+){{0,4}}(?:what|everything|all|whatever)\s+(?:that\s+)?(?:(?:did|has|have|had|was|were)\s+)?(?:"
    rf"(?:i|we)\s+(?:(?:did|have|had|was|were|got)\s+)?(?:(?:been|actually|just)\s+)?\w+(?:\s+(?:to\s+do|through|done|with|on|up\s+to)|\s+(?:(?:to|in|up)\s+)?{_DOES})?"
    rf"|(?:(?:the|our|my|this|your)\s+)?[\w-]+(?:\s+[\w-]+)?\s+(?:(?:has|have|had)\s+)?(?:been\s+)?{_DOES}){_END}"
    rf"|^\s*(?:[\w;-]+\s+){{0,4}}(?:my|our)\s+(?:recent\s+)?(?:progress|activit(?:y|ies)|achievements?|accomplishments?|doings|work){_END}",
    re.IGNORECASE,
)
# "Which posts have gone up", "what entries did we add": that there are documents, whatever the verb. Goals may also fail.
_AT_END = r"(?=\s*(?:$|[.,;?!]|about\b|on\b|re\b|regarding\b|tagged\b|in\b|from\b|since\b))"
APPEARING = re.compile(
    rf"\b(?:which|what|any|all|every|how\s+many)\s+{_MODIFIERS}{THING}\b(?:(?!\b(?:did|do|have|has|had|were|was)\b)[^,;?!]){{0,120}}?\s"
    rf"(?:(?:have|has|had|were|was|did|do|got)\s+(?:(?:i|we|you|they|anyone|(?:the|our)\s+team)\s+)?(?:(?:been|just|already|ever|also|actually)\s+)*)?"
    rf"(?P<verb>\w+(?:ed|en|ne|wn)|(?<=we\s|ou\s|ey\s)\w+|\w+\s+(?:up|out|live|off|through|round|over|online)){_AT_END}",
    re.IGNORECASE,
)
# How somebody comes to ask for documents, and what is to be done with them: "I remember reading an article", "my boss wants
# the posts", "could you send them over".
LEADING = re.compile(
    rf"(?:^|[,;.!?:–—]\s+)\s*(?P<verb>(?:i|we|my\s+\w+|our\s+\w+)(?:['’]\w+)?\s+(?:\w+\s+){{0,4}}?)(?:any|some|the|an?|all|every|those|your|our)\s+{_MODIFIERS}{THING}\b"
    r"|\b(?:can|could|would|will)\s+you\s+(?:please\s+)?\w+\s+(?:them|those|it|some|one)\b[^,;.?!]*",
    re.IGNORECASE,
)
# Documents themselves to be made shorter: what they say. "Sum up 2019" is made from what there was.
CONDENSE = re.compile(
    rf"\b(?:summar\w+|sum(?:med|s)?\s+up|condense|boil\s+down|gist|recap|digest|(?:main|key)\s+(?:points?|messages?|ideas?)|takeaways?)\s+(?:of\s+|from\s+)?(?:what\s+)?(?:{_MODIFIERS}{THING}|(?:[\w'’]+\s+){{0,2}}{_WRITE})\b",
    re.IGNORECASE,
)
# "Hand me", "let us have": whatever the verb, something is asked for.
REQUEST = re.compile(
    r"^\s*(?:please\s+)?(?:(?:can|could|would|will)\s+you\s+)?(?:(?:please|kindly|mind|be\s+able\s+to|be\s+so\s+kind\s+as\s+to)\s+)?[\w-]+\s+(?:me|us)\b",
    re.IGNORECASE,
)
# Words of a question that say nothing on what it is about, each pattern's named group or all of it.
TOPICLESS = (re.compile(rf"\b{THING}\b", re.IGNORECASE), ABOUT, REQUEST, DOINGS, APPEARING, LEADING)
HOW_TO = re.compile(
    r"\s*(?:how\s+(?:do|does|can|could|should|to|is|are|would)|why|(?:can|could|should|may|must)\s+(?:i|we|they|one))\b",
    re.IGNORECASE,
)
# What a status is called when something is finished, or not yet. Which of them count, the documents say.
_FINISHED = """
    done complete completed finished shipped closed archived delivered achieved published final finalised finalized approved
    resolved submitted merged signed-off
"""
FINISHED = frozenset(_FINISHED.split())
_OPEN = "active open ongoing started doing wip current in-progress in_progress underway draft in-review"
OPEN = frozenset([*_OPEN.split(), "in progress", "in review"])
NUMBERS = dict(
    zip(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"],
        [*range(2, 11), 12, 20],
        strict=True,
    )
) | {"dozen": 12}
FEW = rf"(\d{{1,3}}|{'|'.join(NUMBERS)})"
COUNT = re.compile(
    rf"\b(?:top|last|latest|newest|first|most\s+recent|previous)\s+{FEW}\s+(?!(?:day|week|fortnight|month|quarter|year)s?\b)"
    rf"|\b(?:list|show|give|name|find|get)\s+(?:me\s+|us\s+)?(?:the\s+)?(?:up\s+to\s+)?{FEW}\s+(?!(?:day|week|month|year)s?\b)"
    rf"|(?:^|\bthe\s+|\bmy\s+|\bour\s+){FEW}\s+(?:newest|latest|most\s+recent|last|oldest|best)\b",
    re.IGNORECASE,
)
SINGLE = re.compile(
    rf"(?:^\s*|\b(?:the|my|our)\s+)(?:latest|newest|most\s+recent|last)\s+(?:[\w-]+\s+)?{THING.replace('posts?', 'post').replace('notes?', 'note')}\b(?<!s)",
    re.IGNORECASE,
)
GOES_ON = re.compile(
    r"\s+(?:about|on|of|from|in|for|by|at|with|to|that|which|who|dated|tagged|labell?ed|mention\w*|say|says|said|cover\w*|is|are"
    r"|was|were|been|do|does|did|has|have|had|i|we|you|they|and|or|since|before|after|between|under|written|published|made|sent)\b",
    re.IGNORECASE,
)
DETERMINED = re.compile(
    r"(?:\b(?:the|a|an|my|our|your|their|which|what|all|any|every|each|these|those|latest|newest|last|first|recent|in|of|from"
    r"|list|show|find|get|me|\d+)|,)$",
    re.IGNORECASE,
)
# Words that ask for documents without saying what they are about. Each costs little: it counts only where everything else
# in the question is a label, a time, or another one of these.
ASKING_WORDS = """
    please hi hello hey thanks could would like love want need may possible kindly mostly quick brief briefly short
    maybe whatever stuff thing anything everything something whole entire list show find give get name enumerate tell
    see pull put dig fetch bring look seek search hunt check display print return retrieve remind know interested
    wonder browse read view point pick choose select go run walk together back post note article document doc entry
    page file item piece story blog weblog paper record log archive write-up wrote written publish author compose jot
    scribble draft create produce prepare compile assemble gather collect save store keep kept capture upload add got
    received arrive come came appear surface circulate issued released live went land carry bear belong fall relate
    mention discuss cover deal concern regard talk speak gist content touch treat include contain hold exist available
    dated set count number often dozen total tag topic category label status state marked flagged classified sorted
    subject every latest newest newer recent oldest older old last first top best many two three four five six seven
    eight nine ten twelve twenty finish complete done accomplish achieve ship deliver wrap tick make made work spend
    spent busy progress must whether chance w people anyone anybody somebody someone everyone team folk happen occur
    current active ongoing open new still yet far flight plate middle way right moment called titled entitled headline
    recap summary summarise summarize overview roundup rundown sum highlight review digest update catch fill speed
    miss time period day week month year quarter round project
"""
ASKING = frozenset(stem for word in ASKING_WORDS.split() for stem in terms(word))
ASKS = re.compile(r"\s*(?:what|who|why|when|where|how|is|are|do|does|did|can|may|should)\b", re.IGNORECASE)
# "Where can I find" and "how many" ask for documents, and not for what they say.
_INSIDE = r"who|why|when|where(?!\s+(?:can|could|do|would)\s+(?:i|we|one)\s+(?:find|see|read)\b)|how(?!-|\s+(?:many|often|to)\b)"
# Asks for what a text says, even where every word is a label: "where did I run?", "what time do the clocks go back?".
VALUE = re.compile(
    rf"\s*(?:what\s+(?:time|day|size|colou?r)|{_INSIDE}|is|are|do|does|did|can|may|should|was|were)\b",
    re.IGNORECASE,
)
# Asks for what a text says even where documents are named: "who wrote the memo on parking?".
DETAIL = re.compile(rf"\s*(?:{_INSIDE})\b", re.IGNORECASE)
# "Last year's budget", and what stands between: "last year's three posts".
OWN_TIME = re.compile(r"['’]s?\s+((?:(?!(?:in|on|of|for|from|about|and|to|at)\b)[\w-]+\s*){1,4})", re.IGNORECASE)
ANY_TIME = re.compile(r"\b(?:any|all)\s*time\b|\bever\b|\boverall\b|\bso\s+far\b|\bin\s+general\b", re.IGNORECASE)
