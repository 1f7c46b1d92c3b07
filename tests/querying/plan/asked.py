"""Sixty questions and what a careful reader would make of them on Saturday, 21 November 2026.

Each is: the question, the days from and to, the labels that filter, and whether the metadata alone is asked ("list"),
the text under filters ("search"), the text alone ("open") or a time is missing ("which time").
"""

from __future__ import annotations

from querying.plan.vocabulary import Vocabulary

BLOG = Vocabulary(
    tags=(
        "acquisition services", "agency work", "agile", "api", "best practices", "content design", "culture", "data act",
        "design", "devops", "events", "guides", "how we work", "https", "micro-purchase platforms", "open data",
        "open source", "procurement", "security", "training", "user research", "user-centered design", "web design system",
        "lessons learned", "accessibility", "hackathons", "cloud.gov", "public benefits",
    ),
    dated=1.0,
)  # fmt: skip
NOTES = Vocabulary(
    doc_types=("daily-note", "goal", "idea-captures", "project", "project-note", "weekly-review"),
    statuses=("active", "done", "on-hold", "in progress", "someday"),
    projects=("Garden shed", "Atlas", "kitchen renovation"),
    tags=("health", "running", "woodwork", "reading", "home/garden"),
    dated=0.9,
)

Y2016 = ("2016-01-01", "2016-12-31")
Asked = tuple[str, tuple[str | None, str | None] | None, dict[str, object], str]

OF_BLOG: list[Asked] = [
    ("posts about procurement in 2016", Y2016, {"tags": ("procurement",)}, "list"),
    ("Notes tagged acquisition services from 2017", ("2017-01-01", "2017-12-31"), {"tags": ("acquisition services",)}, "list"),
    ("Which posts about open source were published in March 2015?", ("2015-03-01", "2015-03-31"), {"tags": ("open source",)}, "list"),
    ("List everything about user research since 2018", ("2018-01-01", None), {"tags": ("user research",)}, "list"),
    ("show me articles on security before 2016", (None, "2015-12-31"), {"tags": ("security",)}, "list"),
    ("What did you publish about APIs between 2014 and 2016?", ("2014-01-01", "2016-12-31"), {"tags": ("api",)}, "list"),
    ("all posts from Q3 2014", ("2014-07-01", "2014-09-30"), {}, "list"),
    ("the latest 5 posts about accessibility", None, {"tags": ("accessibility",), "limit": 5}, "list"),
    ("posts tagged #agile from the first half of 2015", ("2015-01-01", "2015-06-30"), {"tags": ("agile",)}, "list"),
    ("Find posts about the web design system from summer 2019", ("2019-06-01", "2019-08-31"), {"tags": ("web design system",)}, "list"),
    ("How many posts about training were there in 2014?", ("2014-01-01", "2014-12-31"), {"tags": ("training",)}, "list"),
    ("Which articles cover hackathons?", None, {"tags": ("hackathons",)}, "list"),
    ("Are there any posts on open data from last year?", ("2025-01-01", "2025-12-31"), {"tags": ("open data",)}, "list"),
    ("posts about user-centered design after June 2016", ("2016-07-01", None), {"tags": ("user-centered design",)}, "list"),
    ("anything about devops published in the last 6 months", ("2026-05-21", "2026-11-21"), {"tags": ("devops",)}, "list"),
    ("What was written on micro-purchase platforms in late 2015?", ("2015-09-01", "2015-12-31"), {"tags": ("micro-purchase platforms",)}, "list"),
    ("Give me the posts on lessons learned from May to August 2017", ("2017-05-01", "2017-08-31"), {"tags": ("lessons learned",)}, "list"),
    ("Every post about public benefits", None, {"tags": ("public benefits",)}, "list"),
    ("What happened in 2014?", ("2014-01-01", "2014-12-31"), {}, "list"),
    ("Summarise the events of spring 2016", ("2016-03-01", "2016-05-31"), {"tags": ("events",)}, "list"),
    ("posts from 3 May 2016", ("2016-05-03", "2016-05-03"), {}, "list"),
    ("Which posts about security mention passwords in 2016?", Y2016, {"tags": ("security",)}, "search"),
    ("What did posts about procurement in 2016 say about fixed prices?", Y2016, {"tags": ("procurement",)}, "search"),
    ("Why did the team move to HTTPS in 2015?", ("2015-01-01", "2015-12-31"), {}, "search"),
    ("How does procurement work for agencies?", None, {}, "open"),
    ("What is a micro-purchase?", None, {}, "open"),
    ("Who designs the forms?", None, {}, "open"),
    ("What may an agency publish under open source licences?", None, {}, "open"),
    ("How should a team march through a backlog?", None, {}, "open"),
    ("What is the limit of 2000 dollars for?", None, {}, "open"),
]  # fmt: skip

OF_NOTES: list[Asked] = [
    ("What did I finish in March?", ("2026-03-01", "2026-03-31"), {"statuses": ("done",), "intent": "accomplishments"}, "list"),
    ("what did i get done last week", ("2026-11-09", "2026-11-15"), {"statuses": ("done",), "intent": "accomplishments"}, "list"),
    ("What did I accomplish this month?", ("2026-11-01", "2026-11-30"), {"statuses": ("done",), "intent": "accomplishments"}, "list"),
    ("What am I working on?", None, {"statuses": ("active", "in progress"), "intent": "in_flight"}, "list"),
    ("Which projects are in progress?", None, {"statuses": ("in progress",), "doc_types": ("project",), "intent": "in_flight"}, "list"),
    ("Recap of last month", ("2026-10-01", "2026-10-31"), {"intent": "recap"}, "list"),
    ("What happened yesterday?", ("2026-11-20", "2026-11-20"), {"intent": "recap"}, "list"),
    ("summary of the week of 5 October", ("2026-10-05", "2026-10-11"), {"intent": "recap"}, "list"),
    ("my daily notes from last weekend", ("2026-11-14", "2026-11-15"), {"doc_types": ("daily-note",)}, "list"),
    ("Show my goals for 2026", ("2026-01-01", "2026-12-31"), {"doc_types": ("goal",)}, "list"),
    ("List active projects", None, {"statuses": ("active",), "doc_types": ("project",), "intent": "in_flight"}, "list"),
    ("which notes are on hold?", None, {"statuses": ("on-hold",)}, "list"),
    ("ideas captured since Monday", ("2026-11-16", None), {"doc_types": ("idea-captures",)}, "list"),
    ("list idea captures since Monday", ("2026-11-16", None), {"doc_types": ("idea-captures",)}, "list"),
    ("notes about running from September", ("2026-09-01", "2026-09-30"), {"tags": ("running",)}, "list"),
    ("notes tagged woodwork", None, {"tags": ("woodwork",)}, "list"),
    ("everything tagged #health this year", ("2026-01-01", "2026-12-31"), {"tags": ("health",)}, "list"),
    ("List the weekly reviews of the last 3 months", ("2026-08-21", "2026-11-21"), {"doc_types": ("weekly-review",)}, "list"),
    ("project notes on the Garden shed", None, {"doc_types": ("project-note",), "project": "Garden shed"}, "list"),
    ("What is left to do on the Atlas project?", None, {"project": "Atlas"}, "search"),
    ("What did we decide about tiles in the kitchen renovation?", None, {"project": "kitchen renovation"}, "search"),
    ("What did I finish for Atlas before June?", (None, "2026-05-31"), {"project": "Atlas", "statuses": ("done",), "intent": "accomplishments"}, "list"),
    ("What did I finish?", None, {"statuses": ("done",), "intent": "accomplishments"}, "which time"),
    ("Give me a recap", None, {"intent": "recap"}, "which time"),
    ("what have I accomplished so far", None, {"statuses": ("done",), "intent": "accomplishments"}, "list"),
    ("someday projects", None, {"statuses": ("someday",), "doc_types": ("project",)}, "list"),
    ("Which glue holds oak best?", None, {}, "open"),
    ("How far did I run on 3 October?", ("2026-10-03", "2026-10-03"), {}, "search"),
    ("What did the doctor say about my knee two weeks ago?", ("2026-11-02", "2026-11-08"), {}, "search"),
    ("Who recommended the reading lamp?", None, {}, "open"),
]  # fmt: skip
