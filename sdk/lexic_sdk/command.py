"""The command `lexic`: ask a plugin, list those that the key may ask, and chat, from a terminal.

It ends with 0 after an answer, 1 after an error, 2 for wrong arguments, 3 after a refusal, and 4 where a fact is
missing that nobody can be asked for.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from lexic_sdk.client import Lexic
from lexic_sdk.errors import LexicError
from lexic_sdk.events import Event
from lexic_sdk.results import Answer, Fact, NearestSource
from lexic_sdk.version import VERSION
from lexic_sdk.wording import as_text

ERROR, REFUSED, FACT_MISSING, INTERRUPTED = 1, 3, 4, 130
# Turns that a question takes along, of both sides.
_MAX_TURNS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit status. The arguments are those of the process where none are given."""
    given = _make_parser().parse_args(arguments)
    try:
        with Lexic(base_url=given.base_url) as lexic:
            return int(given.run(lexic, given))
    except LexicError as error:
        print(_printable(str(error)), file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stderr.close()
        return ERROR


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lexic",
        description="Ask Lexic plugins. Every claim in an answer cites the page that says so.",
        epilog="LEXIC_API_KEY holds the key, and LEXIC_BASE_URL the address of the server.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    parser.add_argument("--base-url", help="the server, in place of LEXIC_BASE_URL")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser("ask", help="ask one question")
    ask.add_argument("plugin", help="a slug, or slug@1.2.0")
    ask.add_argument("question", nargs="+", help="in whole sentences; - reads it from standard input")
    ask.add_argument(
        "--fact", action="append", default=[], type=_parse_fact, metavar="NAME=VALUE", help="what you know"
    )
    ask.add_argument("--json", action="store_true", help="print the answer as the server sent it")
    ask.set_defaults(run=_ask)
    plugins = commands.add_parser("plugins", help="list the plugins that the key may ask")
    plugins.add_argument("--json", action="store_true", help="print them as the server sent them")
    plugins.set_defaults(run=_list_plugins)
    chat = commands.add_parser("chat", help="ask one question after the other; an empty line ends it")
    chat.add_argument("plugin", help="a slug, or slug@1.2.0")
    chat.set_defaults(run=_chat)
    return parser


def _parse_fact(text: str) -> tuple[str, Fact]:
    """`name=value`. A number, true and false are read as such."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError("write it as NAME=VALUE")
    with suppress(ValueError):
        read = json.loads(value)
        if isinstance(read, int | float | bool):
            return name.strip(), read
    return name.strip(), value.strip()


# --- Commands -------------------------------------------------------------------------------------------


def _ask(lexic: Lexic, given: argparse.Namespace) -> int:
    words = " ".join(given.question)
    question = sys.stdin.read() if words == "-" else words
    facts = dict(given.fact) or None
    if given.json:
        answer = lexic.query(question, plugin=given.plugin, facts=facts)
        print(json.dumps(answer.raw, ensure_ascii=False, indent=2))
        return _exit_status(answer)
    answer = _with_missing_facts(lexic, lexic.query(question, plugin=given.plugin, facts=facts))
    print(_printable(_full_text(answer)))
    return _exit_status(answer)


def _list_plugins(lexic: Lexic, given: argparse.Namespace) -> int:
    found = lexic.me()
    if given.json:
        print(json.dumps([plugin.raw for plugin in found.plugins], ensure_ascii=False, indent=2))
        return 0
    width = max((len(plugin.slug) for plugin in found.plugins), default=0)
    for plugin in found.plugins:
        print(_printable(f"{plugin.slug:<{width}}  {plugin.name}"))
    if not found.plugins:
        print("There is no plugin that this key may ask.", file=sys.stderr)
    if found.has_more_plugins:
        print("There are more.", file=sys.stderr)
    return 0


def _chat(lexic: Lexic, given: argparse.Namespace) -> int:
    """Each question takes along what was said before it."""
    turns: list[dict[str, str]] = []
    for question in _lines("> "):
        try:
            context = turns[-_MAX_TURNS:] or None
            answer = lexic.query_stream_to_result(question, plugin=given.plugin, context=context, on_event=_show_status)
            answer = _with_missing_facts(lexic, answer)
        except LexicError as error:
            print(_printable(str(error)), file=sys.stderr)
            continue
        print(f"{_printable(_full_text(answer))}\n")
        turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer.answer}]
    return 0


# --- What people see ------------------------------------------------------------------------------------


def _with_missing_facts(lexic: Lexic, answer: Answer) -> Answer:
    """The answer once the person at the terminal has said what it asks back; as it is where nobody is there."""
    while (asked := answer.clarification) and sys.stdin.isatty():
        options = f" ({', '.join(asked.options)})" if asked.options else ""
        said = next(_lines(_printable(f"{asked.question}{options} ")), None)
        if said is None:
            break
        answer = lexic.answer_clarification(answer, said)
    return answer


def _lines(prompt: str) -> Iterator[str]:
    """What is typed, line by line, to an empty line or the end. The prompt is for people alone."""
    while True:
        try:
            line = input(prompt if sys.stdin.isatty() else "").strip()
        except EOFError:
            return
        if not line:
            return
        yield line


def _show_status(event: Event) -> None:
    """What is being done, on one line that the next thing takes the place of. A file gets none of it."""
    if not sys.stdout.isatty():
        return
    shown = f"{_printable(event.message)} …" if event.type == "status" else ""
    print(f"\r\x1b[K{shown}", end="", flush=True)


def _full_text(answer: Answer) -> str:
    """The answer with its sources; a question back with how to answer it; a refusal with why, and what came nearest."""
    if asked := answer.clarification:
        return f"{as_text(answer)}\nAsk again with --fact {asked.field}=…" if asked.field else as_text(answer)
    if not answer.is_refused:
        return as_text(answer)
    parts = [answer.answer, *answer.why]
    if answer.nearest:
        parts += ["Nearest, though not evidence:", *map(_near_line, answer.nearest)]
    return "\n".join(parts)


def _near_line(near: NearestSource) -> str:
    place = ", ".join(filter(None, (near.document, near.section)))
    return f"- {place}: “{' '.join(near.excerpt.split())}”" if near.excerpt else f"- {place}"


def _exit_status(answer: Answer) -> int:
    if answer.needs_clarification:
        return FACT_MISSING
    return REFUSED if answer.is_refused else 0


def _printable(text: str) -> str:
    """Without control characters, which a terminal obeys."""
    return "".join(character for character in text if character.isprintable() or character in "\n\t")
