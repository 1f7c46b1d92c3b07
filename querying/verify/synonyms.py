"""Everyday words that mean the same, and irregular forms that stemming does not bring together."""

from __future__ import annotations

from knowledge.terms import terms

_GROUPS = """
rise rises rose risen increase increases grow grew grown growth climb climbed
fall fell fallen decrease drop decline|drop dropped decrease declined fell
reduce lower decrease lessen diminish cut|raise increase lift|begin began begun start commence
end ended terminate finish expire cease conclude|cancel terminate revoke rescind|write wrote written writing
buy bought purchase acquire|sell sold sale|pay paid payment|keep kept store retain maintain
build built construct erect|hold held|leave left|choose chose chosen select pick|give gave given
take took taken|know knew known knowledge|break broke broken|speak spoke spoken|find found discover identify
lose lost loss|send sent|spend spent|teach taught|think thought|bring brought|lead led|mean meant|meet met
grow grown|see saw seen view|let allow permit authorise authorize permission allowance
forbid forbidden prohibit ban bar disallow|require need demand|entitle eligible qualify
oblige obligation duty must|help assist aid support|repair fix mend|change alter modify amend
modification amendment change alteration|get obtain receive acquire|show demonstrate
tell inform notify advise|notification notice|staff employee worker personnel|employee worker
employment work job service|company firm corporation organization organisation|business company
car vehicle automobile|house home residence dwelling|doctor physician|child children kid minor
person people individual human|man men|woman women|customer client consumer|contract agreement|liver hepatic
kidney renal|heart cardiac|lung pulmonary|brain cerebral|blood haematic|illness disease sickness
drug medicine medication|injury wound hurt|hospital clinic|price cost charge fee|cost expense|money fund
salary wage pay|refund reimburse repay|reimbursement refund repayment|share portion part proportion
rate ratio|whole entire complete|total overall sum|about around
approximately approximate circa roughly nearly|quick fast rapid|slow gradual|big large|small little
long lengthy|short brief|near close adjacent|far distant|high tall|wet damp moist|dry arid|hot warm
cold cool|correct right accurate|wrong incorrect false|error mistake|problem issue|goal aim objective target
way method manner|kind type sort|area region zone|place location site position|room space
yearly annual year annually|monthly month|weekly week|daily day|hourly hour|length long|width wide breadth
height high tall|depth deep|thickness thick|strength strong|weight weigh heavy|age old|damage harm impair
protect protection guard shield safeguard|safe safety|danger dangerous hazard|hazardous risk
check verify confirm inspect examine inspection|approve approval accept consent|consent permission agree
refuse reject decline deny|reply answer respond response|ask request inquire|try attempt|join connect attach
part component element|use utilise utilize employ usage|make produce create manufacture|production making
place put position|install installation fit|remove delete erase eliminate|destroy destruction
return give back|copy duplicate|disclose reveal divulge disclosure|secret confidential|information data
third party|own possess ownership|rent lease let|tenant renter lessee|landlord lessor
law statute legislation|rule regulation|court tribunal|judge justice|crime offence offense|police officer
army military|war conflict|country nation|street road|sea ocean|timber wood lumber
rebar reinforcement reinforced reinforcing|minimum least|maximum most|least lowest smallest
most highest largest|also too|rarely seldom|often frequently|usually normally typically generally
always invariably|travel trip journey|trip journey visit|meal food|flight fly flew|holiday vacation leave
lawyer attorney solicitor|movie film|photo picture image|picture image|teacher instructor|student pupil
school college|university college|shop store|garbage waste rubbish|petrol gasoline fuel|lift elevator
apartment flat|autumn fall|fortnight week|colour color|metre meter|litre liter|centre center
programme program|organise organize organisation organization|behaviour behavior|labour labor
licence license|defence defense|grey gray|mould mold|aluminium aluminum|galvanised galvanized
analyse analyze|maximise maximize|minimise minimize|last survive continue remain endure|happen occur arise
cause lead result|result outcome consequence|effect impact influence|affect influence impact
contain include comprise consist hold|gather collect|divide split separate|combine merge unite
publish issue release|sign signed signature|deadline due|late overdue delayed|early prompt
immediate immediately instant|soon promptly|prior before previous earlier|after following later subsequent
until till|whole all entire|each every|exceed surpass|reach attain achieve|stay remain|stand stood
apart between separation|weather climate|exposed exposure|severe harsh aggressive|mild gentle|wall partition
floor storey story|ground soil earth|foundation footing|cover coverage insure insured|insurance coverage
claim assert|deduct deductible|emergency urgent|surgery operation|freeze froze frozen|decide decision
extend extension|conclude conclusion|divide division|provide provision|arrive arrival receive
apply application applicant|describe description|produce production|compare comparison|explain explanation
pay payer|dentist dental|eye vision|pregnancy maternity|death die died dead|birth born
marry married marriage|wife spouse husband
"""


def _table() -> dict[str, frozenset[str]]:
    meaning: dict[str, set[str]] = {}
    for group in _GROUPS.replace("\n", "|").split("|"):
        stems = {stem for word in group.split() for stem in terms(word)}
        for stem in stems:
            meaning.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in meaning.items()}


_SYNONYMS = _table()


def synonyms_of(stem: str) -> frozenset[str]:
    """Stems that may stand for this one."""
    return _SYNONYMS.get(stem, frozenset())
