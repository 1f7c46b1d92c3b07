"""Everyday words that mean the same, and irregular forms that stemming does not bring together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from language.terms import terms

_SYNONYM_GROUPS = """
rise rose risen increase grow grew grown growth climb|fall fell fallen decrease drop decline
reduce lower decrease lessen diminish cut|raise increase lift|begin began begun start commence
end terminate finish expire cease conclude|cancel terminate revoke rescind|write wrote written
buy bought purchase acquire|sell sold sale|pay paid payment|keep kept store retain maintain
build built construct erect|hold held|leave left|choose chose chosen select pick|give gave given|take took taken
know knew known knowledge|break broke broken|speak spoke spoken|find found discover identify|lose lost loss
send sent|spend spent|teach taught|think thought|bring brought|lead led|mean meant|meet met|see saw seen view
let allow permit authorise authorize permission|forbid forbidden prohibit ban bar disallow|require need demand
entitle eligible qualify|oblige duty must|help assist aid support|repair fix mend|change alter modify amend
modification amendment change alteration|get obtain receive acquire|show demonstrate|tell inform notify advise
notification notice|staff employee worker personnel|employment work job service
company firm corporation organization organisation|business company|car vehicle automobile
house home residence dwelling|doctor physician|child children kid minor|person people individual human|man men
woman women|customer client consumer|contract agreement|liver hepatic|kidney renal|heart cardiac|lung pulmonary
brain cerebral|blood haematic|illness disease sickness|drug medicine medication|injury wound hurt|hospital clinic
price cost charge fee|cost expense|money fund|salary wage pay|reimbursement refund repayment
share portion part proportion|rate ratio|whole entire complete|total overall sum|approximately circa roughly nearly
quick fast rapid|slow gradual|big large|small little|long lengthy|short brief|near close adjacent|far distant
wet damp moist|dry arid|hot warm|cold cool|correct right accurate|wrong incorrect false|error mistake|problem issue
goal aim objective target|way method manner|kind type sort|area region zone|place location site position|room space
yearly annual|daily day|length long|width wide breadth|height high tall|depth deep|strength strong
weight weigh heavy|protect guard shield safeguard|safe safety|danger hazard|hazardous risk
check verify confirm inspect examine|approve accept consent|consent permission agree|refuse reject decline deny
reply answer respond response|ask request inquire|try attempt|join connect attach|part component element
use utilise utilize employ usage|make produce create manufacture|put position|install fit
remove delete erase eliminate|destroy destruction|return give back|copy duplicate|disclose reveal divulge disclosure
secret confidential|information data|third party|rent lease let|tenant renter lessee|landlord lessor
law statute legislation|rule regulation|court tribunal|judge justice|crime offence offense|police officer
army military|war conflict|country nation|street road|sea ocean|timber wood lumber|rebar reinforcement|minimum least
least lowest smallest|highest largest|rarely seldom|often frequently|usually normally typically generally
always invariably|travel trip journey|trip journey visit|meal food|flight fly flew|holiday vacation leave
lawyer attorney solicitor|movie film|photo picture image|teacher instructor|school college|university college
shop store|garbage waste rubbish|petrol gasoline fuel|lift elevator|apartment flat|autumn fall|fortnight week
colour color|metre meter|litre liter|centre center|programme program|behaviour behavior|licence license
defence defense|grey gray|mould mold|aluminium aluminum|galvanised galvanized|analyse analyze|maximise maximize
minimise minimize|last survive continue remain endure|happen occur arise|cause lead result
result outcome consequence|effect impact influence|affect influence impact|contain include comprise consist hold
gather collect|divide split separate|combine merge unite|publish issue release|sign signature|deadline due
late overdue delayed|early prompt|immediate instant|soon promptly|prior previous earlier|following later subsequent
exceed surpass|reach attain achieve|stay remain|stand stood|apart separation|weather climate|exposed exposure
severe harsh aggressive|mild gentle|wall partition|floor storey story|ground soil earth|foundation footing
cover coverage insure|claim assert|emergency urgent|surgery operation|freeze froze frozen|decide decision
extend extension|conclude conclusion|divide division|provide provision|arrive receive|apply application
describe description|compare comparison|explain explanation|pay payer|dentist dental|eye vision|pregnancy maternity
death die dead|birth born|marry marriage|wife spouse husband|violate infringe breach contravene
ownership owned possess belong|death lethal mortality die fatal|harm damage impair adverse affect
enter entry entrance access admission admit|store keep retain hold save|remember recall|build create set establish
set establish found create|place put set|choose select opt pick elect|earn gain obtain win|lessen ease relieve
hire employ recruit engage|fire dismiss|quit resign|start launch introduce initiate open
stop halt cease discontinue end|speed velocity rate|shut close|fill complete|finish complete conclude|hide conceal
hurt injure harm|ill sick unwell|join enrol register enter|link connect|locate situate position|look view see
map chart|mix blend combine|move transfer relocate shift|name call term title|need require necessary necessity
new recent novel|note observe notice|old elderly aged|order command instruct|pact treaty agreement accord
plan scheme program|pledge promise commit undertake|point purpose|power energy|praise commend|pupil student learner
purchase buy get|range extend span|reach contact|read peruse|real actual genuine|reason cause ground
reduce decrease lower cut shrink|refer relate concern|reside live dwell|resident inhabitant|scare frighten
scientist researcher|scan examine|search seek hunt|seem appear|separate distinct|serious grave severe|shape form
show display present indicate reveal|shrink contract|skill ability competence|smart clever|speak talk
spot see notice recognise recognize detect identify|spread distribute|stage phase step|strange odd
suppose assume presume|sure certain|survey study|talk discuss|task job duty|teach instruct train
test examine trial try|theft stealing|thin slim|throw cast|tool instrument device|track trace follow|trade commerce
trouble difficulty difficult problem challenge|true correct|turn rotate|usual common ordinary|value worth
vote ballot|wait await|wealth rich|win victory|wish want desire|world global globe worldwide|worker labourer laborer
yield produce generate|generate create|gather assemble meet|guide lead|happen take|aim intend|answer solve
appoint name make|argue contend maintain hold|assure guarantee|award grant give|base found|bill invoice charge
border boundary|broad wide|burden obligation|capable able ability|capture catch|choice option alternative
city town municipality|clean wash|collapse fall fell crash|compel force oblige|complaint grievance
complex complicated|concern worry|confine limit restrict|consult ask|convert turn change|couple pair|damage loss
debate dispute discussion|dispute disagreement difference|deliver supply provide hand|denote mean|detect find
develop build make|device machine|differ vary|distribute share hand|effort endeavour endeavor attempt
enable let allow|endanger threaten|enforce apply|essential vital crucial necessary|evaluate assess judge
event incident occurrence|examine study|exempt free|expand widen grow enlarge extend|expert specialist
file submit lodge|final last|fit suit|former previous|free gratis|gain benefit|govern rule|group team
handle manage deal|high elevated|huge enormous large|idea concept notion|illegal unlawful|imagine suppose
important significant|improve better enhance|inquiry investigation|inside within|investigate examine
liable responsible liability|live life|main chief principal primary|manage run operate|mass weight|message note
mind brain|minor small|modern current|multiply increase|oppose resist|original initial first|outside beyond
partly partially|pause break|perform carry conduct execute|permanent lasting|persist last continue perpetuity
perpetuity forever indefinitely|poor bad|postpone delay defer|predict forecast|prefer favour favor
preserve keep conserve|proof evidence|proper right|protect defend|quick prompt|quota share|remark comment
remove withdraw|rent hire|report state|rescue save|reserve book|reveal expose|role function|scope range|section part
settle resolve|situation case|snag obstacle barrier hurdle|source origin|speech talk|stable steady|standard norm
strictly rigorously|subject topic|succeed follow|sufficient enough adequate|suitable fit appropriate|sum amount
surplus excess|swap exchange|switch change|teacher educator|tell say|thing item object|think believe|total whole
transmit send convey forward|transport carry|unique distinct individual|unite join|utter say|valid effective
visible seen|visit call|void invalid|warn alert|wipe clean|youth young|zero nil|nearby local|citizen resident
drawback disadvantage downside|advantage benefit|outbreak epidemic|lease rental|signatory party
thereafter afterwards|hinder impede obstruct interfere|production making produce
"""
# One thing and several of it; none whose stem is that of a word of another meaning: “person” and “personal”, “foot” and
# “footing”, “leaves” and “leave”, “vertices” and “vertical”.
_IRREGULAR_PLURALS = """
child children|grandchild grandchildren|woman women|tooth teeth|goose geese|mouse mice
ox oxen|wolf wolves|knife knives|wife wives|half halves|shelf shelves|loaf loaves|thief thieves|crisis crises
analysis analyses|hypothesis hypotheses|criterion criteria|phenomenon phenomena|bacterium bacteria|matrix matrices
"""


@cache
def _synonyms_by_stem() -> dict[str, frozenset[str]]:
    return _others_by_stem(f"{_SYNONYM_GROUPS}{_IRREGULAR_PLURALS}")


@cache
def _numbers_by_stem() -> dict[str, frozenset[str]]:
    return _others_by_stem(_IRREGULAR_PLURALS)


def _others_by_stem(groups: str) -> dict[str, frozenset[str]]:
    meaning: dict[str, set[str]] = {}
    for group in groups.replace("\n", "|").split("|"):
        stems = {stem for word in group.split() for stem in terms(word)}
        for stem in stems:
            meaning.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in meaning.items()}


def synonyms_of(stem: str) -> frozenset[str]:
    """The synonyms of this stem, as stems."""
    return _synonyms_by_stem().get(stem, frozenset())


def with_other_numbers(stems: Iterable[str]) -> frozenset[str]:
    """The stems, and for those of “child” or “teeth” that of “children” or “tooth”, which stemming does not bring
    together."""
    known = frozenset(stems)
    return known.union(*(_numbers_by_stem().get(stem, frozenset()) for stem in known))
