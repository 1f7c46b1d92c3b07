from __future__ import annotations

import hashlib
import sys
import time
from textwrap import indent
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from lexic.management.lexic_command import LexicCommand
from local import loopback_client
from marketplace import demo
from querying.management.commands.ask import format_answer


class Command(LexicCommand):
    help = "The main job, end to end: load the demo plugin, publish it, and ask it over HTTP.\n\nExample: make demo"

    def handle(self, **options: Any) -> None:
        begun = time.monotonic()
        call_command("migrate", interactive=False, verbosity=0)
        loaded = demo.load_demo(say=self._say)
        with loopback_client.running_web_server() as base_url:
            self._say(f"Asking {loaded.release} over HTTP at {base_url}")
            for question in demo.demo_questions():
                self._ask(base_url, loaded, question)
            for message in demo.desk_messages():
                self._say_to_desk(base_url, loaded, message)
        self._review(loaded)
        self._print_next_steps(loaded, seconds=time.monotonic() - begun)

    def _ask(self, base_url: str, loaded: demo.LoadedDemo, question: str) -> None:
        self.stdout.write(f"\n? {question}\n\n")
        answer = loopback_client.post_json(
            f"{base_url}/api/v1/query",
            body={"plugin": loaded.plugin.slug, "query": question},
            bearer=loaded.key,
        )
        if "error" in answer:
            raise CommandError(f"{answer['error']} {answer.get('hint', '')}".strip())
        self.stdout.write(format_answer(answer))

    def _say_to_desk(self, base_url: str, loaded: demo.LoadedDemo, message: str) -> None:
        """A second demo shows the same run again."""
        self._say(f"Saying to the agent of {loaded.desk.name}")
        self.stdout.write(f"\n? {message}\n\n")
        events = loopback_client.post_for_events(
            f"{base_url}/api/chat",
            body={"plugin": loaded.desk.slug, "message": message},
            bearer=loaded.key,
            idempotency_key=f"demo-{hashlib.sha256(message.encode()).hexdigest()[:32]}",
        )
        for event, data in events:
            if event == "error":
                raise CommandError(f"{data['message']} {data.get('hint', '')}".strip())
            if event == "step_start":
                self.stdout.write(f"  … {data['tool']}\n")
            elif event == "content":
                self.stdout.write(f"  {data['text'].strip()}\n")
            elif event == "document_result":
                self.stdout.write(indent(f"\n{data['document']['text']}\n", "  │ ", lambda line: True))
        self.stdout.write("")

    def _review(self, loaded: demo.LoadedDemo) -> None:
        self._say(f"Reviewing “{loaded.contract.title}” against a playbook, without a language model")
        review = demo.review_contract(loaded)
        self.stdout.write(f"\n  {review.classification}  {review.summary}\n\n")
        for finding in review.findings.all():
            self.stdout.write(f"  {finding.classification:6}  {finding.position}: {finding.reason}\n")
            for span in finding.contract_spans[:1]:
                self.stdout.write(f"          “{' '.join(span['text'].split())}” ({span['clause']})\n")

    def _print_next_steps(self, loaded: demo.LoadedDemo, *, seconds: float) -> None:
        shell = "/".join(sys.executable.split("/")[-3:])
        self.stdout.write(
            f"""
Loading, publishing and asking took {seconds:.0f} seconds. What next:

  make run                              start everything, then open http://localhost:8000
  sign in at /admin/ with               {loaded.email}  {loaded.password}
  ask from a shell                      {shell} manage.py ask {loaded.plugin.slug} "…"
  ask over HTTP                         curl localhost:8000/api/v1/query -H 'Content-Type: application/json' \\
                                          -H 'Authorization: Bearer {loaded.key}' \\
                                          -d '{{"plugin": "{loaded.plugin.slug}", "query": "…"}}'
"""
        )

    def _say(self, sentence: str) -> None:
        self.stdout.write(f"· {sentence}")
