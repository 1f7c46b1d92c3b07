"""What a contract review costs, and what others notice of it: `python -m benchmarks.reviews` (about ten minutes).

Reviews a contract of 200 pages against a playbook of 40 positions. First in this process, where each position is judged
and then asked as a question, in turn, so that both come from the same minutes of a machine that may have other work;
neither finds read what was read for the other.
Then by the workers of a Lexic of its own, which is asked over HTTP meanwhile; the workers are halted every few seconds
and go on. Prints the seconds of both ways and their ratio, the memory of the process that reviews at its first findings
and at its last, and milliseconds of an answer with and without a review. `--json` prints the figures for programs.
"""

from __future__ import annotations

import random
import statistics
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import run_benchmark, time_call
from benchmarks.ingestion import (
    NOUNS,
    PHASE_SECONDS,
    TERMS,
    VERBS,
    create_published_plugin,
    descendant_pids,
    http_question_timer,
    paused_workers,
    percentile_95,
    running_lexic,
    time_answers_for,
)

if TYPE_CHECKING:
    from accounts.models import User
    from contracts.models import ContractReview
    from knowledge.models import Document
    from plugins.models import Plugin

TextCache = OrderedDict[str, Any]
PAGES, CLAUSES_PER_PAGE, POSITIONS = 200, 4, 40
# Positions that are judged and asked in turn, behind the first one. The later ones find more that was read before.
COMPARED_POSITIONS = POSITIONS - 1  # the first one loads the embedder
MAX_SECONDS = 600
ACTORS = ["the Supplier", "the Customer", "either party", "the Receiving Party", "the Contractor"]


def main() -> None:
    run_benchmark(__doc__, run_with_server)


def run_with_server() -> dict[str, float]:
    with running_lexic() as (address, process):
        plugin, owner, secret = create_published_plugin()
        contract, playbook = add_contract_and_playbook(owner)
        return {
            **compare_with_questions(owner, plugin, contract, playbook),
            **measure_beside_review(address, process, (plugin, owner, secret), contract, playbook),
        }


def add_contract_and_playbook(owner: User) -> tuple[Document, Document]:
    """Both have been read."""
    from knowledge.documents.lifecycle import add_file
    from knowledge.ingest import ingest
    from knowledge.models import Document
    from knowledge.personal_knowledge_base import personal_knowledge_base

    base, made = personal_knowledge_base(owner), []
    for name, content in (("contract.pdf", contract_pdf()), ("playbook.md", playbook_text().encode())):
        made.append(add_file(knowledge_base=base, file_name=name, stream=BytesIO(content)).document.pk)
        ingest(made[-1])
    Document.objects.filter(pk=made[1]).update(is_template=True, doc_type="playbook")
    contract, playbook = (Document.objects.get(pk=pk) for pk in made)
    if contract.page_count != PAGES:
        raise SystemExit(f"The contract was read as {contract.page_count} pages: {contract.error}")
    return contract, playbook


def contract_pdf() -> bytes:
    """200 pages of some 2,400 characters."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    choose, styles, file = random.Random(3), getSampleStyleSheet(), BytesIO()
    parts = [Paragraph("SUPPLY AGREEMENT", styles["Title"])]
    for number in range(1, PAGES * CLAUSES_PER_PAGE + 1):
        noun = choose.choice(NOUNS)
        parts.append(Paragraph(f"{number}. On the {noun}", styles["Heading2"]))
        parts.append(Paragraph(clause_text(choose, noun), styles["BodyText"]))
        if number % CLAUSES_PER_PAGE == 0:
            parts.append(PageBreak())
    SimpleDocTemplate(file, title="Supply agreement").build(parts)
    return file.getvalue()


def clause_text(choose: random.Random, noun: str) -> str:
    said = (
        f"{choose.choice(ACTORS).capitalize()} shall see that the {choose.choice(NOUNS)} near the {noun} is "
        f"{choose.choice(VERBS)} {choose.choice(TERMS)}, within {choose.randrange(2, 90)} days of notice."
        for _ in range(5)
    )
    return " ".join(said)


def playbook_text() -> str:
    choose = random.Random(5)
    positions = []
    for number in range(POSITIONS):
        noun, verb = NOUNS[number % len(NOUNS)], VERBS[number % len(VERBS)]
        positions.append(
            f"## The {noun}, {verb}\n\nWho has the {noun} {verb}, and when.\n\n"
            f"- Preferred: The Supplier shall see that the {noun} is {verb} {choose.choice(TERMS)}.\n"
            f"- Acceptable: Either party may have the {noun} {verb} within sixty days of notice.\n"
            f"- Walk-away: The Customer shall have the {noun} {verb} at its own cost.\n"
            "- Required: yes\n- Severity: 3\n- Likelihood: 3\n"
        )
    head = "---\nname: Supply playbook\nversion: 1.0.0\nscope: contract\n---\n\n# Supply playbook\n\n"
    return head + "\n".join(positions)


def compare_with_questions(owner: User, plugin: Plugin, contract: Document, playbook: Document) -> dict[str, float]:
    """Seconds of judging a position, and of asking each of its statements as a question that reads this contract."""
    from functools import partial

    from asgiref.sync import async_to_sync

    from contracts.playbook.playbook_sources import find_playbook
    from contracts.review.document_search import DocumentRevision, search_statement
    from contracts.review.rule_judge import judge_position
    from conversations.private_document_search import private_layers
    from knowledge.search.filters import Filters
    from querying import pipeline, releases
    from querying.types.question import Caller, Options, Question

    positions = find_playbook(str(playbook.pk), principal=owner).playbook.positions
    search = partial(search_statement, DocumentRevision.of(contract))
    release = releases.resolve(plugin.slug, principal=owner)
    layers = private_layers(owner, project=None)
    options = Options(filters=Filters(document_ids=(contract.pk,)))

    def ask(text: str) -> None:
        caller = Caller(name="benchmark", user_id=owner.pk)
        question = Question(text=text, release=release, caller=caller, layers=layers, is_private=True, options=options)
        async_to_sync(pipeline.answer)(question)

    judge_position(positions[0], search=search)
    ask(positions[0].statements[0].plain)  # the embedder is loaded
    judged, asked, statements = 0.0, 0.0, 0
    kept_of_judging: TextCache = OrderedDict()
    kept_of_asking: TextCache = OrderedDict()
    for position in positions[1:]:
        with remembering(kept_of_judging):
            judged += time_call(partial(judge_position, position, search=search))
        for statement in [*position.wanted, *position.of_kind("walk_away")]:
            statements += 1
            with remembering(kept_of_asking):
                asked += time_call(partial(ask, statement.plain))
    return {
        "a position is judged, s": judged / COMPARED_POSITIONS,
        "its statements are asked one by one, s": asked / COMPARED_POSITIONS,
        "ratio of judging to asking": judged / asked,
        "statements of a position": statements / COMPARED_POSITIONS,
    }


@contextmanager
def remembering(kept: TextCache) -> Iterator[None]:
    """The texts that were read before are these: judging and asking find nothing read for each other."""
    from querying.retrieval import token_states

    before, token_states._cached_states = token_states._cached_states, kept
    try:
        yield
    finally:
        token_states._cached_states = before


def measure_beside_review(
    address: str, process: int, people: tuple[Plugin, User, str], contract: Document, playbook: Document
) -> dict[str, float]:
    from contracts.review.start_review import start_review

    plugin, owner, secret = people
    choose = random.Random(7)
    questions = [f"When is the {noun} {choose.choice(VERBS)}?" for noun in NOUNS * 20]
    ask = http_question_timer(address, plugin, secret)
    for question in questions[: len(NOUNS)]:  # every passage has been weighed once
        ask(question)
    review = start_review(contract, by=owner, principal=owner, playbook=str(playbook.pk))
    quiet: list[float] = []
    busy: list[float] = []
    memory: list[tuple[int, float]] = []
    end = time.monotonic() + MAX_SECONDS
    while not is_finished(review) and time.monotonic() < end:
        busy += time_answers_for(PHASE_SECONDS, ask, questions, after=len(busy))
        memory.append((review.positions_done, reviewer_megabytes(process)))
        with paused_workers(process):
            quiet += time_answers_for(PHASE_SECONDS, ask, questions, after=len(quiet))
    if review.state != "done":
        raise SystemExit(f"The review is {review.state} at {review.progress}.")
    reviewing = [(done, used) for done, used in memory if done > 0]
    return {
        "nothing is reviewed, median ms": statistics.median(quiet),
        "nothing is reviewed, 95% ms": percentile_95(quiet),
        "a contract is reviewed, median ms": statistics.median(busy),
        "a contract is reviewed, 95% ms": percentile_95(busy),
        "ratio of the medians": statistics.median(busy) / statistics.median(quiet),
        "ratio at 95%": percentile_95(busy) / percentile_95(quiet),
        "questions each": min(len(busy), len(quiet)),
        "positions reviewed": review.positions_done,
        "positions at the first look": reviewing[0][0],
        "MB at the first look": reviewing[0][1],
        "MB at half of the positions": next(used for done, used in reviewing if done >= POSITIONS / 2),
        "MB at the last look": reviewing[-1][1],
    }


def is_finished(review: ContractReview) -> bool:
    review.refresh_from_db(fields=["state", "positions_done"])
    return review.is_finished


def reviewer_megabytes(process: int) -> float:
    """Of the largest process of the worker that reviews."""
    return max((resident_megabytes(pid) for pid in descendant_pids(process) if is_reviewer(pid)), default=0.0)


def is_reviewer(pid: int) -> bool:
    with suppress(OSError):
        return b"reviewer@" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def resident_megabytes(pid: int) -> float:
    with suppress(OSError, StopIteration, IndexError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
    return 0.0


if __name__ == "__main__":
    main()
